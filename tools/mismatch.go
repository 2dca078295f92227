package tools

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// Notes for documents whose trees cannot be compared.
const (
	treeNotShown = "this Outline returned no document tree, or one too large to compare: the stored text is compared only by the meaning of its Markdown"
	treeNotKnown = "this server cannot reproduce everything in this document exactly: the stored text is compared only by the meaning of its Markdown"
)

// newMismatch is the problem of a write that Outline stored in another way. It shows
// what has changed since the document was first read. edits are those that the write
// makes, and editsBefore those that stand since before it.
func newMismatch(m *edit.Mismatch, first outline.Document, undo earlier, edits, editsBefore int) writeProblem {
	r := m.Result
	if m.Kind == edit.Undone {
		first = r.Before
	}
	problem := newWriteProblem(first, r.After)
	problem.Code, problem.earlier, problem.EditsApplied = output.WriteMismatch, undo, editsBefore
	switch m.Kind {
	case edit.NotMade, edit.Undone:
		if editsBefore == 0 {
			problem.earlier = earlier{} // there is nothing to undo
		}
	default:
		problem.EditsApplied += edits
	}
	switch m.Kind {
	case edit.NotMade:
		problem.Sentence = "Outline accepted the change but did not make it: the document is as it was"
	case edit.Undone:
		problem.Restored, problem.Revision = true, m.Undone.Revision
		problem.Sentence = "Outline stored something other than what was asked for, so the change was undone at once: the document is as it was before. " +
			"The diff shows what Outline had stored; try larger or other passages"
	case edit.Twice:
		added := ""
		if differences := edit.Differences(r.Before.Tree, r.Wanted); len(differences) > 0 {
			added = " " + output.Quote(output.Excerpt(differences[0].Stored, 100))
		}
		problem.Sentence = "the document was written, and what the change adds is there twice:" + added + ". Delete one of the two, unless somebody else wrote it on purpose"
	case edit.Stays:
		problem.Sentence = fmt.Sprintf("the document was written, but what is there now is not what was asked for: it has %s instead of about %d. "+
			"It was not undone, because %s. %s",
			output.Count(problem.CharsAfter, "character", "characters"), utf8.RuneCountInString(r.WantedText()), m.Why, undo.sentence())
		if problem.Diff == "" {
			problem.Sentence += ". Its text has not changed, only attributes or marks that Markdown does not show"
		} else {
			problem.hint = fmt.Sprintf(". To bring back only parts, write the lines with - in the diff again, with edit_document and expected_revision %d", problem.Revision)
		}
	}
	return problem
}

// verify checks what an update that is not made of edits has stored.
func verify(ctx context.Context, env mcptool.Env, update *edit.Result) error {
	err := update.Verify(ctx, env.Outline)
	if mismatch, ok := errors.AsType[*edit.Mismatch](err); ok {
		return newMismatch(mismatch, mismatch.Result.Before, earlierOf(*update), 0, 0)
	}
	return err
}
