package tools

import (
	"fmt"
	"slices"

	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// preview is the answer to a dry run.
func (e *editing) preview() editedDocument {
	answer := e.newAnswer(newDiff(e.Before, e.First.Stored(e.Before.Text), "with the edits"), e.First.Lost)
	answer.dryRun = true
	return answer
}

// answer is the answer to edits that are written.
func (e *editing) answer() editedDocument {
	answer := e.newAnswer(diffOf(e.Before, e.Now), e.Lost)
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
	return answer
}

func (e *editing) newAnswer(diff diff, loss edit.Loss) editedDocument {
	answer := editedDocument{
		documentName: nameOf(e.Now.DocumentSummary), URL: e.env.Outline.AbsoluteURL(e.Now.URL), EditsApplied: e.Applied(),
		change: change{RevisionBefore: e.Before.Revision, Revision: e.Now.Revision, Guarded: e.Before.Guarded(), Lost: newLost(loss), diff: diff},
	}
	for _, i := range e.First.Tolerant {
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

type editedDocument struct {
	documentName
	URL          string `json:"url" format:"uri"`
	EditsApplied int    `json:"edits_applied"`
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
	d.change.line(t, "")
	d.change.rest(t, d.id(), d.dryRun)
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
