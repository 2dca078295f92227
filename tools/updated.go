package tools

import (
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

type updatedDocument struct {
	documentName
	URL            string `json:"url" format:"uri"`
	Published      bool   `json:"published,omitempty"`
	Appended       bool   `json:"appended"`
	Changed        bool   `json:"changed"`
	RevisionBefore int    `json:"revision_before"`
	Revision       int    `json:"revision"`
	CharsBefore    int    `json:"chars_before"`
	CharsAfter     int    `json:"chars_after"`
	Guarded        bool   `json:"guarded"`
	Note           string `json:"note,omitempty"`
	earlier
}

// notesOf says what the caller should know about an update that succeeded.
func (in updateDocumentIn) notesOf(u edit.Result) (notes []string) {
	notes = notesOnOthers(u)
	if note := earlierOf(u).note(); note != "" && changed(u) {
		notes = append(notes, note)
	}
	lost := placesLost(u)
	if len(lost) > 0 {
		notes = append(notes, output.Count(len(lost), "comment has lost its", "comments have lost their")+" place in the text, which was replaced")
	}
	if u.Earlier != nil && changed(u) && removesComments(u.Before, u.After, lost) {
		notes = append(notes, commentsRemoved)
	}
	if !changed(u) && in.Text != "" && in.Text != u.Before.Text {
		notes = append(notes, "the change only concerns how the Markdown is written, which Outline does not keep")
	}
	return notes
}

// placesLost returns the comments that have lost their place in text that is kept.
func placesLost(u edit.Result) []string {
	if u.Before.Tree == nil || u.After.Tree == nil {
		return nil
	}
	return edit.Lost(u.Before.Tree, u.After.Tree).CommentAnchors
}

// WriteText implements output.Result.
func (d updatedDocument) WriteText(t *output.Text) {
	done := "Updated"
	switch {
	case !d.Changed && d.Note != "":
		done = "Nothing changed in"
	case !d.Changed:
		done = "Nothing changed:"
	case d.Appended:
		done = "Appended to"
	}
	t.Printf("%s ", done)
	d.documentName.write(t)
	t.If(d.Published).Printf(", which is now published")
	t.If(!d.Changed && d.Note == "").Printf(" already has this content")
	t.Line(", %s", d.URL)
	t.Printf("revision_before %d, revision %d, chars_before %d, chars_after %d", d.RevisionBefore, d.Revision, d.CharsBefore, d.CharsAfter)
	t.If(!d.Guarded).Printf(", guarded false")
	t.Blank()
	if d.Note != "" {
		t.Line("Note: %s.", d.Note)
	}
	d.earlier.write(t, d.id())
}
