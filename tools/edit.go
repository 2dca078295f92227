package tools

import (
	"context"
	"errors"
	"fmt"

	"outline-mcp/internal/passage"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func editDocument() Tool {
	return Spec[editDocumentIn, editedDocument]{
		Name:        "edit_document",
		Title:       "Edit document",
		Description: "Replaces passages of a document, one after the other; answers with a diff. If one does not fit nothing is written.",
		Group:       Documents,
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      Changes,
		Problems:    []output.Problem{writeProblem{}},
		Run: func(ctx context.Context, env Env, in editDocumentIn) (editedDocument, error) {
			before, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return editedDocument{}, err
			}
			e := edit{env: env, edits: in.passages(), expected: in.ExpectedRevision, before: before, now: before}
			if err := e.plan(ctx); err != nil {
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
	env      Env
	edits    []passage.Edit
	expected int // the revision that the caller expects; 0: any

	before   outline.Document // as it was read first
	now      outline.Document // as it is after the edits that stand
	planned  string           // the text that all edits make of before
	tolerant []int            // the edits whose passage was found only by overlooking its form
	applied  int              // the edits that stand
	replaced bool             // the server got the whole text
}

// plan checks everything before anything is written.
func (e *edit) plan(ctx context.Context) error {
	if err := checkActive(e.before); err != nil {
		return err
	}
	if err := conflict(e.before, e.env.Outline.CheckRevision(ctx, e.before, e.expected)); err != nil {
		return err
	}
	after, applied, err := passage.Apply(e.before.Text, e.edits)
	if err != nil {
		return notFitting(err)
	}
	if after == e.before.Text {
		return invalid("nothing was written: together the edits leave the text as it is")
	}
	if err := checkText(after); err != nil {
		return invalid("nothing was written: %s", err)
	}
	e.planned = after
	for i, a := range applied {
		if a.Tolerant {
			e.tolerant = append(e.tolerant, i)
		}
	}
	return nil
}

// notFitting says which edit does not fit, and what would.
func notFitting(err error) output.Failure {
	var missing *passage.NotFoundError
	code := output.InvalidArguments
	if errors.As(err, &missing) {
		code = output.NotFound
	}
	return output.Failure{Code: code, Sentence: "nothing was written: " + err.Error()}
}

// write makes one guarded patch after the other. Each leaves alone what
// Markdown cannot carry: comments, highlights, widths of tables.
func (e *edit) write(ctx context.Context) error {
	known, err := e.env.Outline.KnowsEditModes(ctx)
	if err != nil {
		return err
	}
	if !known {
		return e.replace(ctx)
	}
	const mostConflicts = 10 // somebody is typing all the time
	for conflicts := 0; e.applied < len(e.edits); {
		next := e.edits[e.applied]
		match, err := passage.Find(e.now.Text, next.Old)
		if err != nil {
			return e.stopped(notFitting(&passage.EditError{Index: e.applied, Err: err}))
		}
		find := passage.Widen(e.now.Text, match)
		text := e.now.Text[find.Start:match.Start] + next.Replacement(e.now.Text[match.Start:match.End]) + e.now.Text[match.End:find.End]
		update, err := e.env.Outline.UpdateDocument(ctx, outline.UpdateDocument{
			ID: e.before.ID, EditMode: "patch", FindText: e.now.Text[find.Start:find.End], Text: &text, Before: &e.now,
		})
		switch {
		case err == nil:
			e.replaced = e.replaced || update.Replaced
			err = verify(ctx, e.env, &update, writeProblem{EditsApplied: e.applied + 1, first: &e.before})
			e.now = update.After
			if err != nil {
				return err
			}
			e.applied++
		case errors.Is(err, outline.ErrConflict) && conflicts < mostConflicts && (e.expected == 0 || e.applied > 0):
			conflicts++
			if e.now, err = e.env.Outline.Document(ctx, e.before.ID); err != nil {
				return e.stopped(err)
			}
		default:
			return e.stopped(conflict(e.before, refused(ctx, e.env, e.before.ID, err)))
		}
	}
	return nil
}

// replace writes the whole text, for servers that know no patches. After a
// conflict all edits are made to what is there then.
func (e *edit) replace(ctx context.Context) error {
	const mostConflicts = 5
	for conflicts := 0; ; conflicts++ {
		update, err := e.env.Outline.UpdateDocument(ctx, outline.UpdateDocument{ID: e.before.ID, Text: &e.planned, Before: &e.now})
		if err == nil {
			err = verify(ctx, e.env, &update, writeProblem{EditsApplied: len(e.edits), first: &e.before})
			e.now, e.applied, e.replaced = update.After, len(e.edits), true
			return err
		}
		if !errors.Is(err, outline.ErrConflict) || conflicts == mostConflicts || e.expected != 0 {
			return conflict(e.before, refused(ctx, e.env, e.before.ID, err))
		}
		if e.now, err = e.env.Outline.Document(ctx, e.before.ID); err != nil {
			return err
		}
		if e.planned, _, err = passage.Apply(e.now.Text, e.edits); err != nil {
			return notFitting(err)
		}
	}
}

// stopped says of a failure which edits stand.
func (e *edit) stopped(err error) error {
	if e.applied == 0 {
		return err
	}
	var failure output.Failure
	if !errors.As(err, &failure) {
		failure = explain(err)
	}
	problem := writeProblem{Failure: failure, EditsApplied: e.applied, first: &e.before}.between(e.before, e.now)
	problem.Sentence = fmt.Sprintf("the first %s; the rest, from edits[%d] on, was not made: %s",
		output.Count(e.applied, "edit stands", "edits stand"), e.applied, failure.Sentence)
	return problem
}

func (e *edit) answer(dryRun bool) editedDocument {
	answer := editedDocument{
		DocumentID: e.before.ID, Title: e.now.Title, URL: e.env.Outline.AbsoluteURL(e.now.URL),
		EditsApplied: e.applied, Changed: e.before.Text != e.now.Text, Verified: !dryRun,
		RevisionBefore: e.before.Revision, Revision: e.now.Revision, diff: diffOf(e.before, e.now), dryRun: dryRun,
	}
	if dryRun {
		planned := e.before
		planned.Text = e.planned
		answer.diff = diff{Diff: passage.Unified(e.before.Text, e.planned, fmt.Sprintf("revision %d", e.before.Revision), "with the edits")}
	}
	for _, i := range e.tolerant {
		answer.Notes = append(answer.Notes, fmt.Sprintf("edits[%d]: old_text stands there in another form (quotation marks, spaces, bullets or blank lines); what is stored was taken for it", i))
	}
	if e.replaced {
		answer.Notes = append(answer.Notes, "this Outline knows no patches: the whole text was replaced, which loses the places of comments")
	}
	return answer
}

type editedDocument struct {
	DocumentID     string   `json:"document_id" format:"uuid"`
	Title          string   `json:"title"`
	URL            string   `json:"url" format:"uri"`
	EditsApplied   int      `json:"edits_applied"`
	Changed        bool     `json:"changed"`
	Verified       bool     `json:"verified"`
	RevisionBefore int      `json:"revision_before"`
	Revision       int      `json:"revision"`
	Notes          []string `json:"notes,omitempty"`
	diff

	dryRun bool
}

// WriteText implements output.Result.
func (d editedDocument) WriteText(t *output.Text) {
	done := "Edited"
	if d.dryRun {
		done = "Nothing was written: dry_run of edits to"
	}
	t.Line("%s %s, document_id %s, %s", done, titleOf(d.Title), d.DocumentID, d.URL)
	t.Line("edits_applied %d, changed %t, verified %t, revision_before %d, revision %d", d.EditsApplied, d.Changed, d.Verified, d.RevisionBefore, d.Revision)
	for _, note := range d.Notes {
		t.Line("Note: %s.", note)
	}
	d.diff.write(t)
}

// Cut shortens the diff.
func (d editedDocument) Cut(n int) output.Result {
	d.diff = d.cut(n)
	return d
}
