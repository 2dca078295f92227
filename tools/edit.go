package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/passage"
	"outline-mcp/outline"
	"outline-mcp/outline/docedit"
	"outline-mcp/output"
)

func editDocument() mcptool.Tool {
	return mcptool.Spec[editDocumentIn, editedDocument]{
		Name:        "edit_document",
		Title:       "Edit document",
		Description: "Replaces passages of a document and answers with a diff. If one does not fit nothing is written.",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Problems:    []output.Problem{writeProblem{}},
		Run: func(ctx context.Context, env mcptool.Env, in editDocumentIn) (editedDocument, error) {
			before, patches, err := readToEdit(ctx, env, in.DocumentID)
			if err != nil {
				return editedDocument{}, err
			}
			e := edit{editPlanner: editPlanner{entriesOf(in.Edits, textEdit.passage), patches}, env: env, in: in}
			answer, err := e.run(ctx, before)
			return answer, about(before, err)
		},
	}
}

// readToEdit reads a document and, side by side with it, whether the server can
// patch documents.
func readToEdit(ctx context.Context, env mcptool.Env, given string) (document outline.Document, patches bool, err error) {
	id, err := env.Outline.ParseDocumentID(given)
	if err != nil {
		return document, false, err
	}
	var probeErr error
	var wait sync.WaitGroup
	wait.Go(func() { patches, probeErr = env.Outline.KnowsEditModes(ctx) })
	document, err = env.Outline.DocumentWithTree(ctx, id)
	wait.Wait()
	if err == nil {
		err = probeErr
	}
	return document, patches, err
}

type editDocumentIn struct {
	documentIn
	Edits            []textEdit `json:"edits" minItems:"1" maxItems:"50"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
	AllowLoss        bool       `json:"allow_loss,omitempty" jsonschema:"Let comments lose their place"`
	ExpectedRevision int        `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Refuse other revisions"`
}

type textEdit struct {
	OldText string `json:"old_text" jsonschema:"Passage that occurs once"`
	NewText string `json:"new_text" minLength:"0" jsonschema:"Empty deletes"`
}

// Validate refuses edits that cannot change anything.
func (in editDocumentIn) Validate() error {
	for i, e := range in.Edits {
		if e.OldText == e.NewText {
			return fmt.Errorf("edits[%d]: old_text and new_text are the same", i)
		}
		if err := checkText(e.NewText); err != nil {
			return fmt.Errorf("edits[%d]: new_%w", i, err)
		}
	}
	return nil
}

func (e textEdit) passage() passage.Edit { return passage.Edit{Old: e.OldText, New: e.NewText} }

// An edit is one call: plan, write, answer.
type edit struct {
	editPlanner
	env mcptool.Env
	in  editDocumentIn

	before outline.Document // as it was read first
	first  editPlan         // of all edits on before

	now      outline.Document // as it was read or written last
	left     []int            // the edits that are not written yet
	lost     docedit.Loss     // by the edits that are written
	accepted []string         // comments that may lose their anchors
	verified bool             // all trees that were written were as wanted
	notes    []string         // what else the caller should know
}

// run checks everything before anything is written.
func (e *edit) run(ctx context.Context, before outline.Document) (editedDocument, error) {
	if err := checkActive(before); err != nil {
		return editedDocument{}, err
	}
	if err := conflict(before, e.env.Outline.CheckRevision(before, e.in.ExpectedRevision)); err != nil {
		return editedDocument{}, err
	}
	for i := range e.edits {
		e.left = append(e.left, i)
	}
	known := before.Tree != nil
	source := sourceOf(&before)
	switch {
	case !known:
		e.note(treeNotShown)
	case source == nil:
		e.note(treeNotKnown)
	}
	e.before, e.now = before, before
	var err error
	if e.first, err = e.plan(before.Text, source, e.left); err != nil {
		return editedDocument{}, e.notFitting(err)
	}
	if e.first.text == before.Text {
		return editedDocument{}, output.Invalid("nothing was written: together the edits leave the text as it is")
	}
	if err := checkText(e.first.text); err != nil {
		return editedDocument{}, output.Invalid("nothing was written: %s", err)
	}
	if err := e.checkDropped(source); err != nil {
		return editedDocument{}, err
	}
	if err := e.accept(ctx, e.first.lost.CommentAnchors); err != nil {
		return editedDocument{}, err
	}
	switch {
	case e.in.DryRun:
		return e.preview(), nil
	case len(e.first.steps) == 0: // another form of what is there
		e.left, e.verified = nil, true
		return e.answer(), nil
	}
	if err := e.write(ctx); err != nil {
		return editedDocument{}, err
	}
	return e.answer(), nil
}

// checkDropped refuses new text of which Outline would drop parts, where package
// docedit does not plan the requests.
func (e *edit) checkDropped(source *docedit.Source) error {
	if source != nil && e.patches {
		return nil
	}
	for _, edit := range e.edits {
		if err := checkDropped(edit.New); err != nil {
			return err
		}
	}
	return nil
}

// accept refuses to take their place in the text from unresolved comments, unless
// the caller allows it. A dry run says that it would be refused.
func (e *edit) accept(ctx context.Context, anchors []string) error {
	anchors = slices.DeleteFunc(slices.Clone(anchors), func(id string) bool { return slices.Contains(e.accepted, id) })
	if e.in.AllowLoss || len(anchors) == 0 {
		return nil
	}
	open, err := unresolved(ctx, e.env, e.before.ID, anchors)
	switch {
	case err != nil:
		return err
	case len(open) == 0:
		e.accepted = append(e.accepted, anchors...)
		return nil
	case e.in.DryRun:
		e.note("without allow_loss true this would be refused, as unresolved comments would lose their place in text that stays: " + strings.Join(open, "; "))
		return nil
	}
	return e.refusal(output.InvalidArguments, fmt.Sprintf("Outline can make this change only by parsing whole blocks anew, and %s would lose their place in text that stays. "+
		"Edit smaller passages of plain words, or set allow_loss true: it keeps the comments without their place.\n%s",
		output.Count(len(open), "unresolved comment", "unresolved comments"), strings.Join(open, "\n")))
}

// notFitting says which edit does not fit, and what would.
func (e *edit) notFitting(err error) error {
	var missing *passage.NotFoundError
	var refused *docedit.RefusedError
	var failed *passage.EditError
	switch {
	case errors.As(err, &missing):
		return e.refusal(output.NotFound, err.Error())
	case errors.As(err, &refused), errors.As(err, &failed):
		return e.refusal(output.InvalidArguments, err.Error())
	}
	return err
}

// refusal is the failure of edits that are not written.
func (e *edit) refusal(code output.Code, sentence string) output.Failure {
	if e.applied() == 0 {
		sentence = "nothing was written: " + sentence
	}
	return output.Failure{Code: code, Sentence: sentence}
}

// applied is how many edits stand.
func (e *edit) applied() int { return len(e.edits) - len(e.left) }

// write makes one request after the other, in most cases one. What others write in
// between is planned for anew, but for the first request only if any revision will
// do.
func (e *edit) write(ctx context.Context) error {
	expectedRevision := e.in.ExpectedRevision
	e.verified = true
	for len(e.left) > 0 {
		var step editStep
		update, err := e.env.Outline.UpdateDocument(ctx, outline.UpdateDocumentParams{
			Before: &e.now, ExpectedRevision: expectedRevision,
			Plan: func(now outline.Document, change *outline.UpdateDocumentParams) error {
				plan, err := e.planFor(ctx, now)
				switch {
				case err != nil:
					return err
				case len(plan.steps) == 0:
					return errNothingLeft
				}
				step = plan.steps[0]
				change.EditMode, change.FindText, change.Text, change.Wanted = step.request.EditMode, step.request.FindText, &step.request.Text, step.request.Result
				return nil
			},
		})
		if errors.Is(err, errNothingLeft) {
			e.left = nil
			return nil
		}
		if err != nil {
			return e.stopped(conflict(e.before, refused(ctx, e.env, e.before.ID, e.notFoundByOutline(err, step))))
		}
		if err := e.check(ctx, step, update); err != nil {
			return err
		}
		expectedRevision = 0
	}
	return nil
}

// notFoundByOutline says what to do where Outline does not find a passage, or fails on
// it, which a server without trees does not let this one know beforehand.
func (e *edit) notFoundByOutline(err error, step editStep) error {
	switch {
	case errors.Is(err, outline.ErrTextNotFound):
		return e.refusal(output.NotFound, fmt.Sprintf("Outline does not find the passage of edits%v in its own Markdown of the document, "+
			"which has empty paragraphs and images in another form. Choose a passage without them", step.edits))
	case errors.Is(err, outline.ErrUpstream) && !outline.OutcomeUnknown(err):
		return e.refusal(output.UpstreamError, fmt.Sprintf("Outline failed on edits%v. If it fails again, replace a larger passage, such as the whole paragraph", step.edits))
	}
	return err
}

// errNothingLeft means that the edits that are left change nothing any more.
var errNothingLeft = errors.New("nothing is left to change")

// planFor plans the edits that are left for the state of the document that the next
// request changes.
func (e *edit) planFor(ctx context.Context, now outline.Document) (editPlan, error) {
	if e.now = now; e.applied() == 0 && now.Revision == e.before.Revision {
		return e.first, nil
	}
	plan, err := e.plan(now.Text, sourceOf(&now), e.left)
	if err != nil {
		return plan, e.notFitting(err)
	}
	return plan, e.accept(ctx, plan.lost.CommentAnchors)
}

// check compares what is stored with what the step was to store.
func (e *edit) check(ctx context.Context, step editStep, update outline.Update) error {
	w := written{env: e.env, first: e.before, update: &update, edits: len(step.edits), editsBefore: e.applied(), same: step.request.Verify}
	err := w.verify(ctx)
	e.now = update.After
	if err != nil {
		return err
	}
	e.left, e.lost = without(e.left, step.edits), e.lost.Plus(step.request.Lost)
	if !w.byTree() {
		e.verified = false
		if step.request.Result != nil {
			e.note(treeNotShown)
		}
	}
	if !e.patches {
		e.note("this Outline knows no patches: the whole text was replaced, which loses the places of comments")
	}
	if update.Unguarded {
		e.note(overwritten)
	}
	return nil
}

func (e *edit) note(note string) {
	if !slices.Contains(e.notes, note) {
		e.notes = append(e.notes, note)
	}
}

// stopped says of a failure which edits stand.
func (e *edit) stopped(err error) error {
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
	for i := range e.edits {
		if !slices.Contains(e.left, i) {
			stand = append(stand, i)
		}
	}
	problem := newWriteProblem(e.before, e.now)
	problem.Failure, problem.DocumentID, problem.EditsApplied = failure, e.now.ID, e.applied()
	problem.Sentence = fmt.Sprintf("%s of %d, edits%v, %s. The rest %s: %s",
		output.Count(len(stand), "edit", "edits"), len(e.edits), stand, map[bool]string{true: "stands", false: "stand"}[len(stand) == 1], rest, failure.Sentence)
	return problem
}
