package tools

import (
	"fmt"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// preview is the answer to a dry run.
func (e *editing) preview() editedDocument {
	stored := e.first.Stored(e.before.Text)
	answer := e.newAnswer(newDiff(e.before, stored, "with the edits"), e.first.Lost)
	answer.dryRun = true
	return answer
}

// answer is the answer to edits that are written.
func (e *editing) answer() editedDocument {
	answer := e.newAnswer(diffOf(e.before, e.now), e.lost)
	answer.Changed, answer.Verified = !sameStored(e.before, e.now), e.verified
	if answer.Changed {
		answer.earlier = e.earlier
		if note := e.earlier.note(); note != "" {
			answer.Notes = append(answer.Notes, note)
		} else if removesComments(e.before, e.now, e.lost.CommentAnchors) {
			answer.Notes = append(answer.Notes, commentsRemoved)
		}
	} else {
		answer.Notes = append(answer.Notes, "the edits only change how the Markdown is written, which Outline does not keep")
	}
	return answer
}

func (e *editing) newAnswer(diff diff, loss edit.Loss) editedDocument {
	answer := editedDocument{
		documentName: nameOf(e.now.DocumentSummary), URL: e.env.Outline.AbsoluteURL(e.now.URL),
		EditsApplied: e.applied(), RevisionBefore: e.before.Revision, Revision: e.now.Revision, Guarded: e.before.Guarded(), Lost: newLost(loss), diff: diff,
	}
	for _, i := range e.first.Tolerant {
		answer.Notes = append(answer.Notes, fmt.Sprintf("edits[%d]: the document writes old_text differently (quotation marks, escapes, bullets or blank lines, for example); the edit applies to the passage as stored", i))
	}
	answer.Notes = append(answer.Notes, e.notes...)
	return answer
}

// sameStored reports whether two states of a document are the same.
func sameStored(a, b outline.Document) bool {
	if a.Tree != nil && b.Tree != nil {
		return prosemirror.Equal(a.Tree, b.Tree)
	}
	return a.Text == b.Text
}

type editedDocument struct {
	documentName
	URL            string   `json:"url" format:"uri"`
	EditsApplied   int      `json:"edits_applied"`
	Changed        bool     `json:"changed"`
	Verified       bool     `json:"verified"`
	RevisionBefore int      `json:"revision_before"`
	Revision       int      `json:"revision"`
	Guarded        bool     `json:"guarded"`
	Lost           *lost    `json:"lost,omitempty"`
	Notes          []string `json:"notes,omitempty"`
	earlier
	diff

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
	t.Printf("edits_applied %d, revision_before %d, revision %d", d.EditsApplied, d.RevisionBefore, d.Revision)
	t.If(d.Changed && !d.Verified).Printf(", verified false")
	t.If(!d.Guarded).Printf(", guarded false")
	t.Blank()
	if d.Lost != nil {
		d.Lost.write(t, d.dryRun)
	}
	for _, note := range d.Notes {
		t.Line("Note: %s.", note)
	}
	d.earlier.write(t, d.id())
	d.diff.write(t)
}

// Cuts implements output.Cuttable.
func (d *editedDocument) Cuts() []output.Cut {
	return []output.Cut{{Units: len(d.Diff), Keep: func(n int) {
		d.diff = d.cut(n)
		if d.dryRun {
			d.NextStartLine = 0 // nothing of it can be read yet
		}
	}}}
}
