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
		Group:       Documents,
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Problems:    []output.Problem{writeProblem{}},
		Run: func(ctx context.Context, env mcptool.Env, in editDocumentIn) (editedDocument, error) {
			before, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return editedDocument{}, err
			}
			e := edit{env: env, edits: in.passages(), expected: in.ExpectedRevision, before: before, now: before}
			if err := e.plan(); err != nil {
				return editedDocument{}, about(before, err)
			}
			if !in.DryRun {
				if err := e.write(ctx); err != nil {
					return editedDocument{}, about(before, err)
				}
			}
			return e.answer(in.DryRun), nil
		},
	}
}

type editDocumentIn struct {
	DocumentID       string     `json:"document_id" jsonschema:"UUID, slug or URL"`
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

func (in editDocumentIn) passages() []passage.Edit {
	edits := make([]passage.Edit, len(in.Edits))
	for i, e := range in.Edits {
		edits[i] = passage.Edit{Old: e.OldText, New: e.NewText}
	}
	return edits
}

// edit is the way of one call: plan, write, answer.
type edit struct {
	env      mcptool.Env
	edits    []passage.Edit
	expected int // the revision that the caller expects; 0: any

	before  outline.Document // as it was read first
	now     outline.Document // as it is after what was written
	planned string           // what all edits make of before

	patches  []passage.Patch // of now, for the edits that are left
	left     []int           // the edits that are left, which the patches count from 0
	tolerant []int           // the edits whose passage was found only by overlooking its form
	notes    []string        // what else the caller should know
	whole    bool            // the server knows no patches
}

// plan checks everything before anything is written.
func (e *edit) plan() error {
	if err := checkActive(e.before); err != nil {
		return err
	}
	if err := conflict(e.before, e.env.Outline.CheckRevision(e.before, e.expected)); err != nil {
		return err
	}
	for i := range e.edits {
		e.left = append(e.left, i)
	}
	after, err := e.replan()
	switch {
	case err != nil:
		return err
	case after == e.before.Text:
		return output.Invalid("nothing was written: together the edits leave the text as it is")
	}
	if err := checkText(after); err != nil {
		return output.Invalid("nothing was written: %s", err)
	}
	e.planned = after
	for _, p := range e.patches {
		if p.Tolerant {
			e.tolerant = append(e.tolerant, p.Edits...)
		}
	}
	return nil
}

// replan finds out how the edits that are left change what is there now.
func (e *edit) replan() (string, error) {
	edits := make([]passage.Edit, len(e.left))
	for i, n := range e.left {
		edits[i] = e.edits[n]
	}
	after, patches, err := passage.Plan(e.now.Text, edits)
	e.patches = patches
	var failed *passage.EditError
	if errors.As(err, &failed) {
		return "", e.notFitting(&passage.EditError{Index: e.left[failed.Index], Err: failed.Err})
	}
	return after, err
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

// write makes one guarded patch after the other. Each leaves alone what
// Markdown cannot carry: comments, highlights, widths of tables. Servers that
// know no patches get the whole text.
func (e *edit) write(ctx context.Context) error {
	known, err := e.env.Outline.KnowsEditModes(ctx)
	if err != nil {
		return err
	}
	e.whole = !known
	const mostConflicts = 10 // somebody is typing all the time
	for conflicts := 0; len(e.left) > 0; {
		var update outline.Update
		var made []passage.Patch
		if !e.whole {
			made = e.patches[:1]
			update, err = e.env.Outline.UpdateDocument(ctx, e.patch(made[0]))
		} else {
			made = e.patches
			update, err = e.env.Outline.UpdateDocument(ctx, outline.UpdateDocumentParams{Text: new(spliced(e.now.Text, made)), Before: &e.now})
		}
		switch {
		case err == nil:
			if err := e.follow(ctx, update, made); err != nil {
				return err
			}
		case errors.Is(err, outline.ErrConflict) && conflicts < mostConflicts && (e.expected == 0 || e.applied() > 0):
			conflicts++
			if e.now, err = e.env.Outline.Document(ctx, e.before.ID); err != nil {
				return e.stopped(err)
			}
			if _, err := e.replan(); err != nil {
				return e.stopped(err)
			}
		default:
			return e.stopped(conflict(e.before, refused(ctx, e.env, e.before.ID, err)))
		}
	}
	return nil
}

// patch is the request that makes a patch. Outline replaces the first
// occurrence of a text, so that this must be long enough to be it.
func (e *edit) patch(p passage.Patch) outline.UpdateDocumentParams {
	text := e.now.Text
	find := passage.Widen(text, p.Match)
	return outline.UpdateDocumentParams{
		EditMode: "patch", FindText: text[find.Start:find.End],
		Text: new(text[find.Start:p.Start] + p.New + text[p.End:find.End]), Before: &e.now,
	}
}

// spliced makes patches of a text, all of them.
func spliced(text string, patches []passage.Patch) string {
	byPlace := slices.SortedFunc(slices.Values(patches), func(a, b passage.Patch) int { return b.Start - a.Start })
	for _, p := range byPlace {
		text = text[:p.Start] + p.New + text[p.End:]
	}
	return text
}

// follow notes what was written, checks it, and finds the place of what is left.
func (e *edit) follow(ctx context.Context, update outline.Update, made []passage.Patch) error {
	written := map[int]bool{}
	for _, p := range made {
		for _, i := range p.Edits {
			written[e.left[i]] = true
		}
	}
	e.left = slices.DeleteFunc(slices.Clone(e.left), func(i int) bool { return written[i] })
	err := verify(ctx, e.env, &update, writeProblem{EditsApplied: e.applied(), first: &e.before})
	e.now = update.After
	if e.whole {
		e.note("this Outline knows no patches: the whole text was replaced, which loses the places of comments")
	}
	if update.Unguarded {
		e.note(overwritten)
	}
	if err != nil || len(e.left) == 0 {
		return err
	}
	if _, err := e.replan(); err != nil {
		return e.stopped(err)
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
	problem := writeProblem{Failure: failure, EditsApplied: e.applied(), first: &e.before}.between(e.before, e.now)
	problem.Sentence = fmt.Sprintf("%s of %d, edits%v, %s. The rest %s: %s",
		output.Count(len(stand), "edit", "edits"), len(e.edits), stand, map[bool]string{true: "stands", false: "stand"}[len(stand) == 1], rest, failure.Sentence)
	return problem
}
