package tools

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// A change is what an answer says of a write that may have changed a document's text.
type change struct {
	Changed        bool     `json:"changed"`
	Verified       bool     `json:"verified"`
	RevisionBefore int      `json:"revision_before"`
	Revision       int      `json:"revision"`
	Guarded        bool     `json:"guarded"`
	Lost           *lost    `json:"lost,omitempty"`
	Notes          []string `json:"notes,omitempty"`
	earlier
	diff
}

// notGuarded is what answers say of a write during which others could have saved.
const notGuarded = "guarded false: this Outline cannot detect what others save meanwhile"

// line writes the revisions, and what is to be told after them.
func (c change) line(t *output.Text, more string) {
	t.Printf("revision_before %d, revision %d%s", c.RevisionBefore, c.Revision, more)
	t.If(c.Changed && !c.Verified).Printf(", verified false")
	t.If(!c.Guarded).Printf(", %s", notGuarded)
	t.Blank()
}

// rest writes what follows the revisions.
func (c change) rest(t *output.Text, documentID string, dryRun bool) {
	if c.Lost != nil {
		c.Lost.write(t, dryRun)
	}
	writeNotes(t, c.Notes...)
	c.earlier.write(t, documentID)
	c.diff.write(t)
}

type updatedDocument struct {
	documentName
	URL            string `json:"url" format:"uri"`
	Published      bool   `json:"published,omitempty"`
	Appended       bool   `json:"appended"`
	Changed        bool   `json:"changed"`
	Verified       bool   `json:"verified"`
	RevisionBefore int    `json:"revision_before"`
	Revision       int    `json:"revision"`
	CharsBefore    int    `json:"chars_before"`
	CharsAfter     int    `json:"chars_after"`
	Guarded        bool   `json:"guarded"`
	Note           string `json:"note,omitempty"`
	earlier

	section string // the heading of the one that was written, "" for the whole text
}

// notesOf says what the caller should know about an update that succeeded.
func (in updateDocumentIn) notesOf(u edit.Result) (notes []string) {
	notes = notesOnOthers(u)
	if note := earlierOf(u).note(); note != "" && changed(u) {
		notes = append(notes, note)
	}
	loss := lossIn(u)
	lost := loss.CommentAnchors
	if len(lost) > 0 {
		notes = append(notes, output.Count(len(lost), "comment loses its", "comments lose their")+" place in the text, which is replaced: comment_anchors "+strings.Join(lost, ", "))
	}
	if loss.HighlightColors+loss.ColumnWidths > 0 {
		notes = append(notes, fmt.Sprintf("lost in text that is kept: highlight_colors %d, column_widths %d", loss.HighlightColors, loss.ColumnWidths))
	}
	notes = append(notes, commentNotes(u.Before, u.After, lost)...)
	if !changed(u) && in.Text != "" && prosemirror.Unpadded(in.Text) != prosemirror.Unpadded(u.Before.Text) {
		notes = append(notes, formOnly(in.Text))
	}
	return notes
}

// formOnly is the note on a text that changes nothing but its form.
func formOnly(text string) string {
	note := "only the form of the Markdown differs, which Outline does not keep"
	if strings.Contains(text, "\n\n\n") {
		note += `; for an empty paragraph, write a line of \ between blank lines`
	}
	return note
}

// lossIn returns what text that is kept has lost.
func lossIn(u edit.Result) edit.Loss {
	if u.Before.Tree == nil || u.After.Tree == nil {
		return edit.Loss{}
	}
	return edit.Lost(u.Before.Tree, u.After.Tree)
}

// planned returns a document as a plan is going to leave it.
func planned(before outline.Document, plan edit.Plan) outline.Document {
	after := before
	after.Text = plan.Stored(before.Text)
	if last := len(plan.Steps) - 1; last >= 0 {
		after.Tree = plan.Steps[last].Request.Result
	}
	return after
}

// describe says what becomes of comments, colors and widths.
func describe(t *output.Text, before, after outline.Document, loss edit.Loss) {
	if lost := newLost(loss); lost != nil {
		lost.write(t, true)
	}
	writeNotes(t, commentNotes(before, after, loss.CommentAnchors)...)
}

// commentNotes are the notes on comments that lose their place because their text is gone, or
// that are on fewer words than before. The lost ones are told elsewhere.
func commentNotes(before, after outline.Document, lost []string) (notes []string) {
	if before.Tree == nil || after.Tree == nil {
		return nil
	}
	if removesComments(before, after, lost) {
		notes = append(notes, commentsRemoved)
	}
	ids := slices.DeleteFunc(edit.Shortened(before.Tree, after.Tree), func(id string) bool { return slices.Contains(lost, id) })
	if len(ids) > 0 {
		notes = append(notes, "comments stay, but on fewer words of the passage than before: "+strings.Join(ids, ", "))
	}
	return notes
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
	t.If(d.section != "").Printf("the section %s of ", output.Quote(output.Excerpt(d.section, 100)))
	d.documentName.write(t)
	t.If(d.Published).Printf(", which is now published")
	t.If(!d.Changed && d.Note == "").Printf(" already has this content")
	t.Line(", %s", d.URL)
	t.Printf("revision_before %d, revision %d, chars_before %d, chars_after %d", d.RevisionBefore, d.Revision, d.CharsBefore, d.CharsAfter)
	t.If(d.Changed && !d.Verified).Printf(", verified false")
	t.If(!d.Guarded).Printf(", %s", notGuarded)
	t.Blank()
	writeNotes(t, d.Note)
	d.earlier.write(t, d.id())
}

// notesOnOthers describes the changes by others that were seen during an update.
func notesOnOthers(u edit.Result) (notes []string) {
	who := "another user"
	if u.Others.Name != "" {
		who = output.OneLine(output.Excerpt(u.Others.Name, 100))
	}
	switch {
	case u.Unguarded:
		notes = append(notes, "this Outline does not check revisions, and the document was changed between reading and writing it: what another user wrote may be lost")
	case u.Others.Before:
		notes = append(notes, "another user changed the document while this call was under way; this change stands beside theirs")
	}
	if u.Others.After {
		notes = append(notes, who+" changed the document at "+stamp(u.Others.At)+", after this change, which is still there")
	}
	return notes
}
