package tools

import (
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/explain"
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
	case errors.As(err, &refused), errors.As(err, &failed):
		return e.refusal(output.InvalidArguments, err.Error())
	}
	return err
}

// refusal is the failure of edits that are not written.
func (e *editing) refusal(code output.Code, sentence string) output.Failure {
	if e.applied() == 0 {
		sentence = "nothing was written: " + sentence
	}
	return output.Failure{Code: code, Sentence: sentence}
}

// notFoundByOutline says what to do if Outline does not find a passage, or fails on
// it. Without trees, this cannot be known beforehand.
func (e *editing) notFoundByOutline(err error, step edit.Step) error {
	switch {
	case errors.Is(err, outline.ErrTextNotFound):
		return e.refusal(output.NotFound, fmt.Sprintf("Outline cannot find the passage of edits%v: in the Markdown that it searches, "+
			"empty paragraphs and images are written differently. Choose a passage without them", step.Edits))
	case errors.Is(err, outline.ErrUpstream) && !outline.OutcomeUnknown(err):
		return e.refusal(output.UpstreamError, fmt.Sprintf("Outline failed on edits%v. If it fails again, replace a larger passage, such as the whole paragraph", step.Edits))
	}
	return err
}

// stillThere fails if the edits that were made are not in a document that others have
// changed since.
func (e *editing) stillThere(now outline.Document) error {
	if e.applied() == 0 || sameStored(e.before, e.written) {
		return nil
	}
	var seen edit.Presence
	if e.before.Tree != nil && e.written.Tree != nil && now.Tree != nil {
		seen = edit.PresenceOf(e.before.Tree, e.written.Tree, now.Tree)
	} else {
		seen = edit.PresenceInText(e.before.Text, e.written.Text, now.Text)
	}
	if seen != edit.Absent && seen != edit.Unclear {
		return nil
	}
	made, all := e.applied(), len(e.Edits)
	e.left = nil
	for i := range e.Edits {
		e.left = append(e.left, i) // none is certain to be there
	}
	return output.Failure{Code: output.Conflict, DocumentID: now.ID,
		Sentence: fmt.Sprintf("%d of %d edits were made, but somebody else has written over them: not all of their text is in the document. The rest was not made.", made, all),
		Next:     "Check[ with read_document] what is there, and make only the edits that are missing."}
}

// stopped adds to a failure which edits were made.
func (e *editing) stopped(err error) error {
	if e.applied() == 0 {
		return err
	}
	var failure output.Failure
	if !errors.As(err, &failure) {
		failure = explain.Error(err)
	}
	rest := "was not made"
	if failure.Code == output.OutcomeUnknown {
		rest = "was not made either, except perhaps the next of them"
	}
	var stand []int
	for i := range e.Edits {
		if !slices.Contains(e.left, i) {
			stand = append(stand, i)
		}
	}
	problem := newWriteProblem(e.before, e.now)
	problem.Failure, problem.DocumentID, problem.EditsApplied, problem.earlier = failure, e.now.ID, e.applied(), e.earlier
	problem.Sentence = fmt.Sprintf("%s of %d, edits%v, %s. The rest %s: %s",
		output.Count(len(stand), "edit", "edits"), len(e.Edits), stand, map[bool]string{true: "stands", false: "stand"}[len(stand) == 1], rest, failure.Sentence)
	return problem
}
