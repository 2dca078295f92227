package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// notFitting says which edit does not fit and what would fit.
func (e *editing) notFitting(err error) error {
	var missing *edit.NotFoundError
	var refused *edit.RefusedError
	var failed *edit.EditError
	switch {
	case errors.As(err, &missing):
		return e.refusal(output.NotFound, err.Error())
	case errors.As(err, &refused), errors.As(err, &failed), errors.Is(err, edit.ErrNoChange):
		return e.refusal(output.InvalidArguments, err.Error())
	}
	return err
}

// refusal is the failure of edits that are not written.
func (e *editing) refusal(code output.Code, sentence string) output.Failure {
	if !e.Begun() {
		sentence = "nothing was written: " + sentence
	}
	return output.Failure{Code: code, Sentence: sentence}
}

// failed says which edits were made, and why the rest was not.
func (e *editing) failed(ctx context.Context, err error) error {
	if mismatch, ok := errors.AsType[*edit.Mismatch](err); ok {
		return newMismatch(mismatch, e.Before, newEarlier(e.Earlier, e.NoEarlier), len(e.Current.Edits), e.Applied(), e.Begun())
	}
	if over, ok := errors.AsType[*edit.WrittenOverError](err); ok {
		made := output.Count(over.Made, "edit", "edits")
		if over.Made == 0 {
			made = "some occurrences"
		}
		failure := output.Failure{Code: output.Conflict, DocumentID: e.Before.ID,
			Sentence: fmt.Sprintf("another user has overwritten this change: %s of %d had been made, and none is in the document.", made, over.All),
			Next:     "Check[ with read_document] what is there, and make only the edits that are missing."}
		if over.Unsure {
			failure.Code = output.OutcomeUnknown
			failure.Sentence = fmt.Sprintf("another user may have overwritten this change: %s of %d had been made; whether they and the next one are in the document is not known.", made, over.All)
		}
		return failure
	}
	if partly, ok := errors.AsType[*edit.PartlyMadeError](err); ok {
		return e.stopped(output.Failure{Code: output.Conflict, DocumentID: e.Before.ID,
			Sentence: fmt.Sprintf("another user changed the document while edits[%d] had replaced only some of the occurrences.", partly.Index),
			Next:     "Check[ with read_document] what is there, and replace the occurrences that are left."})
	}
	err = conflict(e.Before, refused(ctx, e.env, e.Before.ID, e.notFoundByOutline(e.notFitting(err))))
	if !e.Begun() {
		return err
	}
	return e.stopped(err)
}

// notFoundByOutline says what to do if Outline does not find a passage, or fails on
// it. Without trees, this cannot be known beforehand.
func (e *editing) notFoundByOutline(err error) error {
	switch {
	case errors.Is(err, outline.ErrTextNotFound):
		return e.refusal(output.NotFound, fmt.Sprintf("Outline cannot find the passage of edits%v: in the Markdown that it searches, "+
			"empty paragraphs and images are written differently. Choose a passage without them", e.Current.Edits))
	case errors.Is(err, outline.ErrUpstream) && !outline.OutcomeUnknown(err):
		return e.refusal(output.UpstreamError, fmt.Sprintf("Outline failed on edits%v. If it fails again, replace a larger passage, such as the whole paragraph", e.Current.Edits))
	}
	return err
}

// stopped adds to a failure which edits were made.
func (e *editing) stopped(err error) error {
	failure, rest := failureOf(err), "was not made"
	if failure.Code == output.OutcomeUnknown {
		rest = "was not made either, except perhaps the next of them"
	}
	var stand []int
	for _, i := range e.own {
		if !slices.Contains(e.Left, i) {
			stand = append(stand, i)
		}
	}
	problem := newWriteProblem(e.Before, e.Now)
	problem.Failure, problem.DocumentID, problem.EditsApplied, problem.earlier = failure, e.Now.ID, e.Applied(), newEarlier(e.Earlier, e.NoEarlier)
	if len(stand) == 0 { // of an edit of all occurrences
		problem.Sentence = "some occurrences were replaced, as the diff shows. The rest " + rest + ": " + failure.Sentence
		return problem
	}
	problem.Sentence = fmt.Sprintf("%s of %d, edits%v, %s. The rest %s: %s",
		output.Count(len(stand), "edit", "edits"), len(e.own), stand, map[bool]string{true: "stands", false: "stand"}[len(stand) == 1], rest, failure.Sentence)
	return problem
}

// Notes for documents whose trees cannot be compared.
const (
	treeNotShown = "this Outline returned no document tree, or one too large to compare: the stored text is compared only by the meaning of its Markdown"
	treeNotKnown = "this server cannot reproduce everything in this document exactly: the stored text is compared only by the meaning of its Markdown"
)

// newMismatch is the problem of a write that Outline stored in another way. It shows
// what has changed since the document was first read. edits are those that the write
// makes, and editsBefore those that stand since before it. begun reports whether requests
// of the same work were made before.
func newMismatch(m *edit.Mismatch, first outline.Document, undo earlier, edits, editsBefore int, begun bool) writeProblem {
	r := m.Result
	after := r.After
	switch {
	case m.Kind == edit.Undone && begun:
		after = m.Undone
	case m.Kind == edit.Undone:
		first = r.Before
	}
	problem := newWriteProblem(first, after)
	problem.Code, problem.earlier, problem.EditsApplied = output.WriteMismatch, undo, editsBefore
	switch m.Kind {
	case edit.NotMade, edit.Undone:
		if !begun {
			problem.earlier = earlier{} // there is nothing to undo
		}
	default:
		problem.EditsApplied += edits
	}
	const stands = "What the requests before it wrote stands, as the diff shows"
	switch {
	case m.Kind == edit.NotMade && begun:
		problem.Sentence = "Outline accepted the last request but did not make its change. " + stands
		return problem
	case m.Kind == edit.Undone && begun:
		problem.Restored, problem.Revision = true, m.Undone.Revision
		problem.Sentence = "Outline stored something other than what the last request asked for, so that request was undone immediately. " + stands
		return problem
	}
	switch m.Kind {
	case edit.NotMade:
		problem.Sentence = "Outline accepted the change but did not make it: the document is as it was"
	case edit.Undone:
		problem.Restored, problem.Revision = true, m.Undone.Revision
		problem.Sentence = "Outline stored something other than what was asked for, so the change was undone immediately: the document is as it was before. " +
			"The diff shows what Outline had stored; try larger or other passages"
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
		return newMismatch(mismatch, mismatch.Result.Before, earlierOf(*update), 0, 0, false)
	}
	return err
}

// writeProblem is the failure of a write that has changed something, or would have.
type writeProblem struct {
	output.Failure
	EditsApplied   int  `json:"edits_applied,omitempty"`
	RevisionBefore int  `json:"revision_before,omitempty"`
	Revision       int  `json:"revision,omitempty"`
	CharsBefore    int  `json:"chars_before,omitempty"`
	CharsAfter     int  `json:"chars_after,omitempty"`
	Restored       bool `json:"restored,omitempty"`
	earlier

	Diff             string `json:"diff,omitempty"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty"`

	lost  *lost  // what would be lost
	lines []int  // of the new text, for each line of Diff
	hint  string // what the diff is good for, as the end of the sentence
}

// newWriteProblem returns a problem that shows what has changed in a document.
func newWriteProblem(before, after outline.Document) writeProblem {
	shown := diffOf(before, after)
	return writeProblem{
		Failure:        output.Failure{DocumentID: after.ID, DocumentURLID: after.URLID},
		RevisionBefore: before.Revision, Revision: after.Revision,
		CharsBefore: utf8.RuneCountInString(before.Text), CharsAfter: utf8.RuneCountInString(after.Text),
		Diff: shown.Diff, lines: shown.lines,
	}
}

// Unwrap returns the failure without a diff, for which a batch has room.
func (p writeProblem) Unwrap() error { return p.Failure }

// Completed keeps the diff, and adds to the sentence what it is good for.
func (p writeProblem) Completed(complete func(output.Failure) output.Failure) output.Problem {
	p.Next += p.hint
	p.Failure = complete(p.Failure)
	return p
}

// shown returns the problem's diff.
func (p writeProblem) shown() diff {
	return diff{Diff: p.Diff, DiffLinesLeftOut: p.DiffLinesLeftOut, NextStartLine: p.NextStartLine, lines: p.lines}
}

// WriteText implements output.Result.
func (p writeProblem) WriteText(t *output.Text) {
	p.Failure.WriteText(t)
	t.Printf("edits_applied %d, revision_before %d, revision %d, chars_before %d, chars_after %d", p.EditsApplied, p.RevisionBefore, p.Revision, p.CharsBefore, p.CharsAfter)
	t.If(p.Restored).Printf(", restored true")
	t.Blank()
	if p.lost != nil {
		p.lost.write(t, true)
	}
	p.earlier.write(t, cmp.Or(p.DocumentURLID, p.DocumentID))
	p.shown().write(t)
}

// Cuts implements output.Cuttable.
func (p *writeProblem) Cuts() []output.Cut {
	return []output.Cut{{Units: len(p.Diff), Keep: func(n int) {
		shorter := p.shown().cut(n)
		p.Diff, p.DiffLinesLeftOut, p.NextStartLine = shorter.Diff, shorter.DiffLinesLeftOut, shorter.NextStartLine
	}}}
}

// An earlier is how an answer names the revision that holds the document as it was
// before a write.
type earlier struct {
	EarlierRevisionID string `json:"earlier_revision_id,omitempty" format:"uuid" jsonschema:"Restoring it undoes the write, apart from the places of comments"`

	none string // why there is none, as a clause
}

func earlierOf(u edit.Result) earlier { return newEarlier(u.Earlier, u.NoEarlier) }

// newEarlier returns the name of a revision or, if it is nil, why there is none.
func newEarlier(revision *outline.Revision, none string) earlier {
	if revision == nil {
		return earlier{none: none}
	}
	return earlier{EarlierRevisionID: revision.ID}
}

// note returns the note on a write that no revision undoes, or "".
func (e earlier) note() string {
	if e.none == "" {
		return ""
	}
	return "no revision can be named that undoes this: " + e.none
}

// sentence says in a failure how the earlier text is brought back.
func (e earlier) sentence() string {
	if e.EarlierRevisionID == "" {
		return "No revision can be named that holds its earlier text: " + e.none
	}
	return "Its earlier text is revision " + e.EarlierRevisionID + " in the document's history"
}

// write names the call that undoes the write to a document.
func (e earlier) write(t *output.Text, documentID string) {
	t.If(e.EarlierRevisionID != "").Advice("To undo: [restore_document with document_id %s and revision_id %s|"+
		"open the document's URL with /history/%[2]s added in Outline, and restore that revision].", documentID, e.EarlierRevisionID)
}
