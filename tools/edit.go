package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/passage"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func editDocument() mcptool.Tool {
	return mcptool.Spec[editDocumentIn, editedDocument]{
		Name:        "edit_document",
		Title:       "Edit document",
		Description: "Replaces passages of a document, one after the other; answers with a diff. If one does not fit nothing is written.",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Problems:    []output.Problem{writeProblem{}},
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in editDocumentIn, before outline.Document) (editedDocument, error) {
			e := edit{env: env, edits: entriesOf(in.Edits, textEdit.passage), before: before, now: before}
			err := e.plan(in.ExpectedRevision)
			if err == nil && !in.DryRun {
				err = e.write(ctx, in.ExpectedRevision)
			}
			if err != nil {
				return editedDocument{}, err
			}
			return e.answer(in.DryRun), nil
		}),
	}
}

type editDocumentIn struct {
	documentIn
	Edits            []textEdit `json:"edits" minItems:"1" maxItems:"50"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
	ExpectedRevision int        `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Refuse if the revision differs"`
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
	env   mcptool.Env
	edits []passage.Edit

	before outline.Document // as it was read first
	first  editPlan         // what all edits make of before

	now   outline.Document // as it was read or written last
	left  []int            // the edits that are not written yet
	notes []string         // what else the caller should know
}

// An editPlan is what some of the edits make of a text.
type editPlan struct {
	after   string
	patches []passage.Patch // each can be made without the others
}

// planEdits plans those of the edits that are left.
func planEdits(text string, edits []passage.Edit, left []int) (editPlan, error) {
	after, patches, err := passage.Plan(text, entriesOf(left, func(n int) passage.Edit { return edits[n] }))
	var failed *passage.EditError
	if errors.As(err, &failed) {
		return editPlan{}, &passage.EditError{Index: left[failed.Index], Err: failed.Err}
	}
	for _, p := range patches {
		for i, n := range p.Edits {
			p.Edits[i] = left[n]
		}
	}
	return editPlan{after, patches}, err
}

// tolerant returns the edits whose passage was found only by overlooking its
// form.
func (p editPlan) tolerant() []int {
	var edits []int
	for _, patch := range p.patches {
		if patch.Tolerant {
			edits = append(edits, patch.Edits...)
		}
	}
	return edits
}

// plan checks everything before anything is written.
func (e *edit) plan(expectedRevision int) error {
	if err := checkActive(e.before); err != nil {
		return err
	}
	if err := conflict(e.before, e.env.Outline.CheckRevision(e.before, expectedRevision)); err != nil {
		return err
	}
	for i := range e.edits {
		e.left = append(e.left, i)
	}
	var err error
	if e.first, err = planEdits(e.before.Text, e.edits, e.left); err != nil {
		return e.notFitting(err)
	}
	if e.first.after == e.before.Text {
		return output.Invalid("nothing was written: together the edits leave the text as it is")
	}
	if err := checkText(e.first.after); err != nil {
		return output.Invalid("nothing was written: %s", err)
	}
	return nil
}

// notFitting says which edit does not fit, and what would.
func (e *edit) notFitting(err error) output.Failure {
	var missing *passage.NotFoundError
	failure := output.Failure{Code: output.InvalidArguments, Sentence: err.Error()}
	if errors.As(err, &missing) {
		failure.Code = output.NotFound
	}
	if e.applied() == 0 {
		failure.Sentence = "nothing was written: " + failure.Sentence
	}
	return failure
}

// applied is how many edits stand.
func (e *edit) applied() int { return len(e.edits) - len(e.left) }

// write makes one patch after the other. Each leaves alone what Markdown cannot
// carry: comments, highlights, widths of tables. Servers that know no patches
// get the whole text. What others write in between is planned for anew, but
// for the first patch only if any revision will do.
func (e *edit) write(ctx context.Context, expectedRevision int) error {
	patches, err := e.env.Outline.KnowsEditModes(ctx)
	if err != nil {
		return err
	}
	for len(e.left) > 0 {
		var writes []int // the edits that the request makes
		update, err := e.env.Outline.UpdateDocument(ctx, outline.UpdateDocumentParams{
			Before: &e.now, ExpectedRevision: expectedRevision,
			Plan: func(now outline.Document, change *outline.UpdateDocumentParams) error {
				e.now = now
				next, err := planEdits(now.Text, e.edits, e.left)
				if err != nil {
					return e.notFitting(err)
				}
				if !patches {
					writes, change.Text = e.left, &next.after
					return nil
				}
				find, replace := next.patches[0].FindReplace(now.Text)
				writes, change.EditMode, change.FindText, change.Text = next.patches[0].Edits, "patch", find, &replace
				return nil
			},
		})
		if err != nil {
			return e.stopped(conflict(e.before, refused(ctx, e.env, e.before.ID, err)))
		}
		e.left = slices.DeleteFunc(slices.Clone(e.left), func(i int) bool { return slices.Contains(writes, i) })
		err = verify(ctx, e.env, &update, e.before, e.applied())
		e.now, expectedRevision = update.After, 0
		if !patches {
			e.note("this Outline knows no patches: the whole text was replaced, which loses the places of comments")
		}
		if update.Unguarded {
			e.note(overwritten)
		}
		if err != nil {
			return err
		}
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
