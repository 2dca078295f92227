package tools

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/sametext"
	"outline-mcp/output"
)

// Notes for documents whose trees cannot be compared.
const (
	treeNotShown = "this Outline returned no document tree, or one too large to compare: the stored text is compared only by the meaning of its Markdown"
	treeNotKnown = "this server cannot reproduce everything in this document exactly: the stored text is compared only by the meaning of its Markdown"
)

// written is an update that Outline has accepted.
type written struct {
	env    mcptool.Env
	first  outline.Document // as it was before the call
	update *outline.Update
	earlier
	same func(stored *prosemirror.Node) bool // whether a tree is as wanted

	edits, editsBefore int // that the update makes, and that stand since before it
}

// byTree reports whether trees can be compared.
func (w written) byTree() bool { return w.update.Wanted != nil && w.update.After.Tree != nil }

// holds reports whether a state of the document is what the update was to make.
// Without trees, texts are compared, apart from the form that Outline gives Markdown.
func (w written) holds(now outline.Document) bool {
	switch {
	case w.update.Wanted == nil:
		return sametext.Equal(w.update.Expected, now.Text)
	case now.Tree == nil:
		return sametext.Equal(prosemirror.ToText(w.update.Wanted), now.Text)
	}
	if w.same(now.Tree) {
		return true
	}
	// Somebody may have commented on it meanwhile.
	return prosemirror.EqualWithoutComments(w.update.Wanted, now.Tree) && edit.Lost(w.update.Wanted, now.Tree).IsZero()
}

// verify checks that the document is as wanted. If the answer to the update differs,
// the document is read again. If Outline has stored something else, that is undone,
// provided that the earlier document can be restored exactly and nobody else has
// changed it since. The error shows what has changed in the document.
func (w written) verify(ctx context.Context) error {
	update := w.update
	if update.Doubled {
		return w.doubled()
	}
	if w.holds(update.After) {
		return nil
	}
	read := w.env.Outline.Document
	if w.byTree() {
		read = w.env.Outline.DocumentWithTree
	}
	now, err := read(ctx, update.After.ID)
	if err == nil && w.holds(now) {
		update.After = now
		return nil
	}
	untouched := err == nil && untouchedSince(update.After, now)
	if untouched {
		revision := update.After.Revision
		update.After = now
		update.After.Revision = revision // which Outline may have raised since, by writing a revision
	}
	if w.byTree() && prosemirror.Equal(update.Before.Tree, update.After.Tree) || !w.byTree() && update.Before.Text == update.After.Text {
		problem := w.problem(w.first)
		problem.EditsApplied = w.editsBefore
		problem.Sentence = "Outline accepted the change but did not make it: the document is as it was"
		if w.editsBefore == 0 {
			problem.earlier = earlier{}
		}
		return problem
	}
	undone, why := w.undo(ctx, now, untouched, err)
	if why == "" {
		problem := w.problem(update.Before)
		problem.EditsApplied, problem.Restored, problem.Revision = w.editsBefore, true, undone.Revision
		if w.editsBefore == 0 {
			problem.earlier = earlier{} // there is nothing to undo
		}
		problem.Sentence = "Outline stored something other than what was asked for, so the change was undone at once: the document is as it was before. " +
			"The diff shows what Outline had stored; try larger or other passages"
		update.After = undone
		return problem
	}
	problem := w.problem(w.first)
	problem.EditsApplied = w.editsBefore + w.edits
	problem.Sentence = fmt.Sprintf("the document was written, but what is there now is not what was asked for: it has %s instead of about %d. "+
		"It was not undone, because %s. %s",
		output.Count(problem.CharsAfter, "character", "characters"), w.wantedChars(), why, w.sentence())
	if problem.Diff == "" {
		problem.Sentence += ". Its text has not changed, only attributes or marks that Markdown does not show"
	} else {
		problem.hint = fmt.Sprintf(". To bring back only parts, write the lines with - in the diff again, with edit_document and expected_revision %d", problem.Revision)
	}
	return problem
}

// doubled is the problem of a change that is in the document twice.
func (w written) doubled() error {
	problem := w.problem(w.first)
	problem.EditsApplied = w.editsBefore + w.edits
	added := ""
	if differences := edit.Differences(w.update.Before.Tree, w.update.Wanted); len(differences) > 0 {
		added = " " + output.Quote(output.Excerpt(differences[0].Stored, 100))
	}
	problem.Sentence = "the document was written, and what the change adds is there twice:" + added + ". Delete one of the two, unless somebody else wrote it on purpose"
	return problem
}

// problem is a mismatch, with what has changed since an earlier state.
func (w written) problem(before outline.Document) writeProblem {
	problem := newWriteProblem(before, w.update.After)
	problem.Code, problem.earlier = output.WriteMismatch, w.earlier
	return problem
}

func (w written) wantedChars() int {
	if w.update.Wanted != nil {
		return utf8.RuneCountInString(prosemirror.ToText(w.update.Wanted))
	}
	return utf8.RuneCountInString(w.update.Expected)
}

// undo restores the document as it was before the update, and returns it. If it
// cannot, why says what prevented it. untouched tells whether nobody else has changed
// the document since the update.
func (w written) undo(ctx context.Context, now outline.Document, untouched bool, readErr error) (restored outline.Document, why string) {
	const elsewhere = "somebody else may have changed it since"
	before := w.update.Before
	switch {
	case readErr != nil:
		return restored, "it could not be read again"
	case before.Tree == nil || now.Tree == nil:
		return restored, "this server cannot tell exactly what was there"
	case !untouched || w.update.After.Revision != before.Revision+1:
		return restored, elsewhere
	}
	request, exact := edit.Undo(edit.NewSource(now.Tree), edit.NewSource(before.Tree))
	if !exact || request.EditMode == "" {
		return restored, "no request would restore it exactly"
	}
	if !w.update.Guarded && request.EditMode != edit.ModePatch {
		return restored, elsewhere + ", and this Outline does not check revisions"
	}
	change := outline.UpdateDocumentParams{
		Before: &now, ExpectedRevision: now.Revision,
		EditMode: request.EditMode, FindText: request.FindText, Text: &request.Text, Wanted: request.Result,
	}
	if now.Title != before.Title {
		change.Title = &before.Title
	}
	if !now.SameIcon(before.DocumentSummary) {
		change.Icon, change.Color = &before.Icon, &before.Color
	}
	undone, err := w.env.Outline.UpdateDocument(ctx, change)
	switch {
	case errors.Is(err, outline.ErrConflict):
		return restored, elsewhere
	case err != nil:
		return restored, "the write that was to undo it failed"
	case undone.After.Tree == nil || !prosemirror.Equal(before.Tree, undone.After.Tree):
		w.update.After = undone.After
		return restored, "Outline did not store the undoing write exactly either"
	}
	return undone.After, ""
}

// untouchedSince reports whether nobody has changed a document since an update.
// Outline may have raised its revision by writing a revision of it. A change within
// the same millisecond would leave the same time, so that the content counts, too.
func untouchedSince(after, now outline.Document) bool {
	return now.Revision == after.Revision ||
		now.Revision == after.Revision+1 && now.UpdatedAt.Equal(after.UpdatedAt) && now.Title == after.Title && now.SameIcon(after.DocumentSummary) && sameStored(now, after)
}
