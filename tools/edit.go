package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/views"
)

func editDocument() mcptool.Tool {
	return mcptool.Spec[editDocumentIn, editedDocument]{
		Name:        "edit_document",
		Title:       "Edit document",
		Description: "Replaces passages of an Outline document and returns a diff. If one passage does not fit, nothing is written.",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Problems:    []output.Problem{writeProblem{}},
		View:        views.Difference,
		Run:         runEdits,
	}
}

func runEdits(ctx context.Context, env mcptool.Env, in editDocumentIn) (editedDocument, error) {
	id, err := env.Outline.ParseDocumentID(in.DocumentID)
	if err != nil {
		return editedDocument{}, err
	}
	before, err := env.Outline.DocumentToUpdate(ctx, id, true)
	if err != nil {
		return editedDocument{}, err
	}
	for i, one := range in.Edits {
		if in.Edits[i].NewText, err = withNewMentions(ctx, env, before.Text, one); err != nil {
			return editedDocument{}, about(before, err)
		}
	}
	e := editing{Planner: edit.Planner{Edits: entriesOf(in.Edits, textEdit.passage), Patches: before.CanPatch()}, env: env, in: in}
	answer, err := e.run(ctx, before)
	return answer, about(before, err)
}

type editDocumentIn struct {
	documentIn
	Edits            []textEdit `json:"edits" minItems:"1" maxItems:"50"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
	AllowLoss        bool       `json:"allow_loss,omitempty" jsonschema:"Let comments lose their place"`
	ExpectedRevision int        `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Fail if the revision differs"`
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

func (e textEdit) passage() edit.Edit { return edit.Edit{Old: e.OldText, New: e.NewText} }

// An editing is one call: plan, write, answer.
type editing struct {
	edit.Planner
	env mcptool.Env
	in  editDocumentIn

	before outline.Document // as it was read first
	first  edit.Plan        // of all edits on before

	now      outline.Document // as it was read or written last
	written  outline.Document // as the last request left it
	left     []int            // the edits that are not written yet
	rest     []edit.Step      // of the plan, if the document is the last step's Result
	restOf   *prosemirror.Node
	lost     edit.Loss // by the edits that are written
	accepted []string  // comments that may lose their anchors
	verified bool      // all written trees were as wanted
	notes    []string  // what else the caller should know
	earlier  earlier   // of the first request that was made
}

// run checks everything before anything is written.
func (e *editing) run(ctx context.Context, before outline.Document) (editedDocument, error) {
	if err := checkActive(before); err != nil {
		return editedDocument{}, err
	}
	if err := conflict(before, e.env.Outline.CheckRevision(before, e.in.ExpectedRevision)); err != nil {
		return editedDocument{}, err
	}
	for i := range e.Edits {
		e.left = append(e.left, i)
	}
	if before.Tree == nil {
		e.note(treeNotShown)
	} else if dropUnknownTree(&before); before.Tree == nil {
		e.note(treeNotKnown)
	}
	source := sourceOf(before)
	e.before, e.now = before, before
	var err error
	if e.first, err = e.Plan(before.Text, source, e.left); err != nil {
		return editedDocument{}, e.notFitting(err)
	}
	if e.first.Text == before.Text {
		return editedDocument{}, output.Invalid("nothing was written: together, the edits change nothing")
	}
	if err := checkText(e.first.Text); err != nil {
		return editedDocument{}, output.Invalid("nothing was written: %s", err)
	}
	if err := e.checkDropped(source); err != nil {
		return editedDocument{}, err
	}
	if err := e.accept(ctx, e.first.Lost.CommentAnchors); err != nil {
		return editedDocument{}, err
	}
	switch {
	case e.in.DryRun:
		return e.preview(), nil
	case len(e.first.Steps) == 0: // the same content in another form
		e.left, e.verified = nil, true
		return e.answer(), nil
	}
	if err := e.confirm(ctx); err != nil {
		return editedDocument{}, err
	}
	if err := e.write(ctx); err != nil {
		return editedDocument{}, err
	}
	return e.answer(), nil
}

// checkDropped refuses new text if Outline would drop parts of it and the requests
// are not planned by package docedit, which refuses it itself.
func (e *editing) checkDropped(source *edit.Source) error {
	if source != nil && e.Patches {
		return nil
	}
	for _, one := range e.Edits {
		if err := checkDropped(one.New); err != nil {
			return err
		}
	}
	return nil
}

// accept refuses edits that detach unresolved comments from the text, unless the
// caller allows it. In a dry run it only notes that they would be refused.
func (e *editing) accept(ctx context.Context, anchors []string) error {
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
		e.note("without allow_loss true this would be refused, because unresolved comments would lose their place in text that is kept: " + strings.Join(open, "; "))
		return nil
	}
	return e.refusal(output.InvalidArguments, fmt.Sprintf("Outline can only make this change by rewriting whole blocks, which would detach %s from text that is kept. "+
		"Edit shorter passages of plain words, or set allow_loss true: the comments stay, but lose their place in the text.\n%s",
		output.Count(len(open), "unresolved comment", "unresolved comments"), strings.Join(open, "\n")))
}

// confirm asks the person, who is shown the diff. The edits are then made to this
// revision or not at all.
func (e *editing) confirm(ctx context.Context) error {
	err := confirmed(ctx, e.env, e.before, func(_ context.Context, name string) (string, string) {
		var details output.Text
		if loss := newLost(e.first.Lost); loss != nil {
			loss.write(&details, true)
		}
		newDiff(e.before, e.first.Stored(e.before.Text), "with the edits").write(&details)
		return "Edit " + name + " as follows?", details.String()
	})
	if e.env.Person.Approved() {
		e.in.ExpectedRevision = e.before.Revision
	}
	return err
}

// applied returns how many edits are in the document.
func (e *editing) applied() int { return len(e.Edits) - len(e.left) }

// write sends the requests one after the other; most edits need only one. If others
// write in between, the rest is planned again, but the first request only if there is
// no expected_revision.
func (e *editing) write(ctx context.Context) error {
	expectedRevision := e.in.ExpectedRevision
	e.verified = true
	for len(e.left) > 0 {
		var plan edit.Plan
		var step edit.Step
		update, err := e.env.Outline.UpdateDocument(ctx, outline.UpdateDocumentParams{
			Before: &e.now, ExpectedRevision: expectedRevision, KeepEarlier: e.applied() == 0,
			Plan: func(now outline.Document, change *outline.UpdateDocumentParams) (err error) {
				plan, err = e.planFor(ctx, now)
				switch {
				case err != nil:
					return err
				case len(plan.Steps) == 0:
					return errNothingLeft
				}
				step = plan.Steps[0]
				change.Unfinished = len(plan.Steps) > 1
				change.EditMode, change.FindText, change.Text, change.Wanted = step.Request.EditMode, step.Request.FindText, &step.Request.Text, step.Request.Result
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
		if e.applied() == 0 {
			e.earlier = earlierOf(update)
		} else if update.Others.Before {
			e.earlier = earlier{none: "somebody else changed the document between the requests of this call"}
		}
		if err := e.check(ctx, step, update); err != nil {
			return err
		}
		expectedRevision = 0
		e.rest, e.restOf = plan.Steps[1:], step.Request.Result
	}
	return nil
}

// errNothingLeft means that the remaining edits no longer change anything.
var errNothingLeft = errors.New("the remaining edits change nothing")

// planFor plans the edits that are left for the state of the document that the next
// request changes.
func (e *editing) planFor(ctx context.Context, now outline.Document) (edit.Plan, error) {
	e.now = now
	switch {
	case e.applied() == 0 && sameStored(now, e.before):
		return e.first, nil
	case e.restOf != nil && now.Tree != nil && prosemirror.Equal(e.restOf, now.Tree):
		return edit.Plan{Steps: e.rest}, nil
	}
	if err := e.stillThere(now); err != nil {
		return edit.Plan{}, err
	}
	plan, err := e.Plan(now.Text, sourceOf(now), e.left)
	if err != nil {
		return plan, e.notFitting(err)
	}
	return plan, e.accept(ctx, plan.Lost.CommentAnchors)
}

// check compares what is stored with what the step was to store.
func (e *editing) check(ctx context.Context, step edit.Step, update outline.Update) error {
	w := written{env: e.env, first: e.before, update: &update, earlier: e.earlier, edits: len(step.Edits), editsBefore: e.applied(), same: step.Request.Verify}
	err := w.verify(ctx)
	e.now, e.written = update.After, update.After
	if err != nil {
		return err
	}
	e.left, e.lost = edit.Without(e.left, step.Edits), e.lost.Plus(step.Request.Lost)
	e.verified = e.verified && w.byTree() && !update.Unconfirmed && !update.Others.Within
	if !w.byTree() {
		if step.Request.Result != nil {
			e.note(treeNotShown)
		}
	}
	if !e.Patches {
		e.note("this Outline cannot patch documents: the whole text was replaced, and comments on passages may have lost their place")
	}
	for _, note := range notesOnOthers(update) {
		e.note(note)
	}
	return nil
}

func (e *editing) note(note string) {
	if !slices.Contains(e.notes, note) {
		e.notes = append(e.notes, note)
	}
}
