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

// preview is the answer to a dry run.
func (e *editing) preview() editedDocument {
	answer := e.newAnswer(newDiff(e.Before, e.First.Stored(e.Before.Text), "with the edits"), e.First.Lost)
	answer.dryRun = true
	return answer
}

// answer is the answer to edits that are written.
func (e *editing) answer() editedDocument {
	diff := diffOf(e.Before, e.Now)
	if e.occurrences() == 0 { // otherwise the caller does not know the places
		diff = diff.cut(maxDiff)
		diff.inBrief = true
	}
	answer := e.newAnswer(diff, e.Lost)
	answer.Changed, answer.Verified = !edit.SameStored(e.Before, e.Now), e.Verified
	if !answer.Changed {
		answer.Notes = append(answer.Notes, "the edits only change how the Markdown is written, which Outline does not keep")
		return answer
	}
	answer.earlier = newEarlier(e.Earlier, e.NoEarlier)
	if note := answer.earlier.note(); note != "" {
		answer.Notes = append(answer.Notes, note)
	} else if removesComments(e.Before, e.Now, e.Lost.CommentAnchors) {
		answer.Notes = append(answer.Notes, commentsRemoved)
	}
	answer.Notes = append(answer.Notes, nonEmpty(shortened(e.Before, e.Now))...)
	return answer
}

func (e *editing) newAnswer(diff diff, loss edit.Loss) editedDocument {
	answer := editedDocument{
		documentLink: linkTo(e.env, e.Now.DocumentSummary), EditsApplied: e.Applied(), Occurrences: e.occurrences(),
		change: change{RevisionBefore: e.Before.Revision, Revision: e.Now.Revision, Guarded: e.Before.Guarded(), Lost: newLost(loss), diff: diff},
	}
	read := prosemirror.Unpadded(e.Before.Text)
	for _, i := range e.First.Tolerant {
		if strings.Contains(read, e.passages[i].Old) {
			continue // only the padding of a table differs
		}
		answer.Notes = append(answer.Notes, fmt.Sprintf("edits[%d]: the document writes old_text differently (quotation marks, escapes, bullets or blank lines, for example); the edit applies to the passage as stored", i))
	}
	notes := e.notes
	for _, made := range e.Made {
		if !made.ByTree() && made.Wanted != nil {
			notes = append(notes, treeNotShown)
		}
		if !e.Before.CanPatch() {
			notes = append(notes, "this Outline cannot patch documents: the whole text was replaced, and comments on passages may have lost their place")
		}
		notes = append(notes, notesOnOthers(made)...)
	}
	for _, note := range notes {
		if !slices.Contains(answer.Notes, note) {
			answer.Notes = append(answer.Notes, note)
		}
	}
	return answer
}

// occurrences returns how many places the edits change, or 0 if each of them is of one
// passage.
func (e *editing) occurrences() int {
	for _, i := range e.own {
		if e.passages[i].All {
			return e.First.Places
		}
	}
	return 0
}

type editedDocument struct {
	documentLink
	EditsApplied int `json:"edits_applied"`
	Occurrences  int `json:"occurrences,omitempty"`
	change

	dryRun bool
}

// WriteText implements output.Result.
func (d editedDocument) WriteText(t *output.Text) {
	done := "Edited"
	switch {
	case d.dryRun:
		done = "Nothing was written: dry_run of edits to"
	case !d.Changed:
		done = "Nothing changed in"
	}
	t.Printf("%s ", done)
	d.documentName.write(t)
	t.Line(", %s", d.URL)
	t.Printf("edits_applied %d, ", d.EditsApplied)
	t.If(d.Occurrences > 0).Printf("occurrences %d, ", d.Occurrences)
	d.change.line(t, "")
	d.change.rest(t, d.id(), d.dryRun)
}

// Cuts implements output.Cuttable.
func (d *editedDocument) Cuts() []output.Cut {
	return []output.Cut{{Units: len(d.Diff), Keep: func(n int) {
		d.diff = d.cut(n)
		d.inBrief = false // a longer diff would not always have a longer text
		if d.dryRun {
			d.NextStartLine = 0 // nothing of it can be read yet
		}
	}}}
}

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
		notes = append(notes, output.Count(len(lost), "comment has lost its", "comments have lost their")+" place in the text, which was replaced: comment_anchors "+strings.Join(lost, ", "))
	}
	if loss.HighlightColors+loss.ColumnWidths > 0 {
		notes = append(notes, fmt.Sprintf("lost in text that is kept: highlight_colors %d, column_widths %d", loss.HighlightColors, loss.ColumnWidths))
	}
	notes = append(notes, nonEmpty(shortened(u.Before, u.After))...)
	if u.Earlier != nil && changed(u) && removesComments(u.Before, u.After, lost) {
		notes = append(notes, commentsRemoved)
	}
	if !changed(u) && in.Text != "" && prosemirror.Unpadded(in.Text) != prosemirror.Unpadded(u.Before.Text) {
		notes = append(notes, "the change only concerns how the Markdown is written, which Outline does not keep")
	}
	return notes
}

// lossIn returns what text that is kept has lost.
func lossIn(u edit.Result) edit.Loss {
	if u.Before.Tree == nil || u.After.Tree == nil {
		return edit.Loss{}
	}
	return edit.Lost(u.Before.Tree, u.After.Tree)
}

// shortened is the note on comments that are on fewer words than before, or "".
func shortened(before, after outline.Document) string {
	if before.Tree == nil || after.Tree == nil {
		return ""
	}
	ids := edit.Shortened(before.Tree, after.Tree)
	if len(ids) == 0 {
		return ""
	}
	return "comments stay, but on fewer words of the passage than before: " + strings.Join(ids, ", ")
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
	if u.Others.Within {
		notes = append(notes, "another user changed the same paragraph, list or table: the words of this change are there, but not exactly in the form that was asked for")
	}
	if u.Unconfirmed {
		notes = append(notes, "Outline accepted the change, but reading the document again failed: another user may have written over it since")
	}
	return notes
}

// diff shows what has changed in a text. It is part of the answer to a write.
type diff struct {
	Diff             string `json:"diff"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty" jsonschema:"Where read_document continues"`

	lines   []int // of the new text, for each line of Diff
	inBrief bool  // whether the text of the answer shows it in brief
}

func diffOf(before, after outline.Document) diff {
	return newDiff(before, after.Text, fmt.Sprintf("revision %d", after.Revision))
}

func newDiff(before outline.Document, after, nameAfter string) diff {
	return unified(before.Text, after, fmt.Sprintf("revision %d", before.Revision), nameAfter)
}

// proposed shows what a call is going to change. It names no revision: Outline may raise the
// number while the person reads, although nothing has changed.
func proposed(before outline.Document, after, nameAfter string) diff {
	return unified(before.Text, after, "as it is now", nameAfter)
}

// unified compares two texts in the form in which callers read them.
func unified(before, after, nameBefore, nameAfter string) diff {
	u := edit.Unified(prosemirror.Unpadded(before), prosemirror.Unpadded(after), nameBefore, nameAfter)
	return diff{Diff: u.Text, lines: u.Lines}
}

func (d diff) write(t *output.Text) {
	if d.Diff != "" {
		shown := d.Diff
		if d.inBrief {
			shown = d.brief()
		}
		t.Blank()
		t.Line("%s", strings.TrimSuffix(shown, "\n"))
	}
	if d.DiffLinesLeftOut == 0 {
		return
	}
	t.Blank()
	leftOut := output.Count(d.DiffLinesLeftOut, "line", "lines")
	if d.NextStartLine > 0 {
		t.Advice("%s of the diff left out[: read_document with start_line %d shows what is there].", leftOut, d.NextStartLine)
	} else {
		t.Line("%s of the diff left out: fewer edits at a time show all.", leftOut)
	}
}

// maxDiff is how many bytes of a diff an answer has whose text shows it in brief.
const maxDiff = 1 << 20

// cut ends the diff before its n-th byte, after a line if possible.
func (d diff) cut(n int) diff {
	if n >= len(d.Diff) {
		return d
	}
	kept := d.Diff[:strings.LastIndexByte(d.Diff[:n], '\n')+1]
	d.DiffLinesLeftOut = strings.Count(d.Diff[len(kept):], "\n")
	d.NextStartLine = d.lines[strings.Count(kept, "\n")]
	d.Diff = kept
	return d
}
