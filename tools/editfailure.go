package tools

import (
	"context"
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
	case errors.As(err, &refused), errors.As(err, &failed), errors.Is(err, edit.ErrNoChange):
		return e.refusal(output.InvalidArguments, err.Error())
	}
	return err
}

// refusal is the failure of edits that are not written.
func (e *editing) refusal(code output.Code, sentence string) output.Failure {
	if e.Applied() == 0 {
		sentence = "nothing was written: " + sentence
	}
	return output.Failure{Code: code, Sentence: sentence}
}

// failed says which edits were made, and why the rest was not.
func (e *editing) failed(ctx context.Context, err error) error {
	if mismatch, ok := errors.AsType[*edit.Mismatch](err); ok {
		return newMismatch(mismatch, e.Before, newEarlier(e.Earlier, e.NoEarlier), len(e.Current.Edits), e.Applied())
	}
	if over, ok := errors.AsType[*edit.WrittenOverError](err); ok {
		return output.Failure{Code: output.Conflict, DocumentID: e.Before.ID,
			Sentence: fmt.Sprintf("%d of %d edits were made, but somebody else has written over them: not all of their text is in the document. The rest was not made.", over.Made, over.All),
			Next:     "Check[ with read_document] what is there, and make only the edits that are missing."}
	}
	err = conflict(e.Before, refused(ctx, e.env, e.Before.ID, e.notFoundByOutline(e.notFitting(err))))
	if e.Applied() == 0 {
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
	var failure output.Failure
	if !errors.As(err, &failure) {
		failure = explain.Error(err)
	}
	rest := "was not made"
	if failure.Code == output.OutcomeUnknown {
		rest = "was not made either, except perhaps the next of them"
	}
	var stand []int
	for i := range e.in.Edits {
		if !slices.Contains(e.Left, i) {
			stand = append(stand, i)
		}
	}
	problem := newWriteProblem(e.Before, e.Now)
	problem.Failure, problem.DocumentID, problem.EditsApplied, problem.earlier = failure, e.Now.ID, e.Applied(), newEarlier(e.Earlier, e.NoEarlier)
	problem.Sentence = fmt.Sprintf("%s of %d, edits%v, %s. The rest %s: %s",
		output.Count(len(stand), "edit", "edits"), len(e.in.Edits), stand, map[bool]string{true: "stands", false: "stand"}[len(stand) == 1], rest, failure.Sentence)
	return problem
}
