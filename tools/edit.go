package tools

import (
	"cmp"
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
	return mcptool.Spec[editDocumentIn, output.Result]{
		Name:        "edit_document",
		Title:       "Edit document",
		Description: "Replaces passages of Outline documents, all or none of each, and returns diffs.",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Shapes:      []output.Result{editedDocument{}, editedDocuments{}},
		Problems:    []output.Problem{writeProblem{}},
		View:        views.Difference,
		Run:         runEdits,
	}
}

func runEdits(ctx context.Context, env mcptool.Env, in editDocumentIn) (output.Result, error) {
	if in.CollectionID != "" {
		return in.inCollection(ctx, env)
	}
	pages := in.pages(ctx, env)
	if len(pages) > 1 {
		return in.runPages(ctx, env, pages)
	}
	if err := pages[0].err; err != nil {
		return nil, err
	}
	e := &editing{env: env, in: in, own: pages[0].edits}
	answer, err := e.runAlone(ctx, pages[0].id)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// runAlone makes edits of one document.
func (e *editing) runAlone(ctx context.Context, id string) (editedDocument, error) {
	before, err := e.env.Outline.DocumentToUpdate(ctx, id, true)
	if err != nil {
		return editedDocument{}, err
	}
	if err = checkExcept(missing(e.in.Except, before.Text)); err == nil {
		err = e.adapt(ctx, before)
	}
	if err == nil {
		err = e.prepare(ctx, before)
	}
	if err != nil {
		return editedDocument{}, withDocument(before, err)
	}
	answer, err := e.run(ctx)
	return answer, withDocument(before, err)
}

type editDocumentIn struct {
	DocumentID       string     `json:"document_id,omitempty" jsonschema:"Page of edits without their own"`
	CollectionID     string     `json:"collection_id,omitempty" jsonschema:"Instead: everywhere in it"`
	Edits            []textEdit `json:"edits" minItems:"1" maxItems:"100"`
	Except           []string   `json:"except,omitempty" maxItems:"20" jsonschema:"Passages to leave as they are"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"Only show diffs"`
	AllowLoss        bool       `json:"allow_loss,omitempty" jsonschema:"Write even if open comments lose their passage"`
	ExpectedRevision int        `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Fail if it differs"`
}

type textEdit struct {
	DocumentID     string `json:"document_id,omitempty" jsonschema:"If not the page above"`
	OldText        string `json:"old_text" maxLength:"100000" jsonschema:"Occurs once, or all_occurrences"`
	NewText        string `json:"new_text" minLength:"0" jsonschema:"Empty deletes"`
	AllOccurrences bool   `json:"all_occurrences,omitempty"`
}

// Validate refuses edits that cannot change anything, or are of no document.
func (in editDocumentIn) Validate() error {
	for i, e := range in.Edits {
		switch {
		case in.CollectionID != "" && in.DocumentID+e.DocumentID != "":
			return errors.New("give collection_id, or document_id, but not both")
		case in.CollectionID == "" && in.DocumentID+e.DocumentID == "":
			return fmt.Errorf("edits[%d] needs a document_id, or document_id beside edits", i)
		case in.CollectionID == "" && len(in.Except) > 0 && !e.AllOccurrences:
			return fmt.Errorf("edits[%d]: except needs all_occurrences or collection_id", i)
		case in.CollectionID != "" && in.ExpectedRevision != 0:
			return errors.New("expected_revision is of one document; leave it out with collection_id")
		}
		if e.OldText == e.NewText {
			return fmt.Errorf("edits[%d]: old_text and new_text are the same", i)
		}
		if err := cmp.Or(checkLength(e.NewText), checkMarks(e.NewText)); err != nil {
			return fmt.Errorf("edits[%d]: new_%w", i, err)
		}
		if err := outline.CheckTables(prosemirror.TableCells(e.NewText)); err != nil {
			return fmt.Errorf("edits[%d]: %w", i, err) // or the edits before it would be made
		}
	}
	if in.CollectionID == "" {
		return nil
	}
	for i, passage := range in.Except {
		if !slices.ContainsFunc(in.Edits, func(e textEdit) bool { return strings.Contains(passage, e.OldText) }) {
			return fmt.Errorf("except[%d] keeps nothing, because it contains no old_text (upper and lower case count): give the whole passage that stays", i)
		}
	}
	return in.checkChains()
}

// An editing is the edits of one document: adapt and prepare, then run, which writes and
// answers.
type editing struct {
	*edit.Edits
	env      mcptool.Env
	in       editDocumentIn
	own      []int // those of the edits of the call that are for this document
	passages []edit.Edit
	notes    []string       // what the caller should know about the tree
	refused  output.Failure // why edits that are only tried would not be written
}

// adapt makes of the texts of the call what is searched for, and what is written.
func (e *editing) adapt(ctx context.Context, before outline.Document) (err error) {
	e.passages = make([]edit.Edit, len(e.in.Edits))
	for _, i := range e.own {
		one, changed := unescaped(before.Text, e.in.Edits[i])
		if changed {
			e.notes = append(e.notes, fmt.Sprintf("edits[%d]: %s", i, lineBreaksUnescaped))
		}
		var foreign []string
		if one.NewText, foreign, err = withoutForeignIn(ctx, e.env, before.Text, one); err != nil {
			return err
		}
		for _, note := range foreign {
			e.notes = append(e.notes, fmt.Sprintf("new_text of edits[%d]: %s", i, note))
		}
		if one.NewText, err = withNewMentions(ctx, e.env, before.Text, one); err != nil {
			return err
		}
		if err := checkElision(one.OldText, one.NewText, before.Text, fmt.Sprintf("new_text of edits[%d]", i),
			"Give passages that are short enough to be repeated whole. To write the line itself, add it with an edit that removes nothing."); err != nil {
			return err
		}
		e.passages[i] = edit.Edit{Old: one.OldText, New: one.NewText, All: one.AllOccurrences, Except: e.in.kept(one, before.Text), Words: e.in.words(one)}
	}
	return nil
}

// prepare checks everything before anything is written.
func (e *editing) prepare(ctx context.Context, before outline.Document) (err error) {
	if err := checkActive(before); err != nil {
		return err
	}
	if err := conflict(before, e.env.Outline.CheckRevision(before, e.in.ExpectedRevision)); err != nil {
		return err
	}
	if before.Tree == nil {
		e.notes = append(e.notes, treeNotShown)
	} else if edit.ForgetUnknownTree(&before); before.Tree == nil {
		e.notes = append(e.notes, treeNotKnown)
	}
	if e.Edits, err = edit.Prepare(ctx, before, e.passages, e.own); err != nil {
		return e.notFitting(err)
	}
	if err := e.checkTexts(); err != nil {
		return err
	}
	return e.accept(ctx, e.First.Lost)
}

// run makes the edits, unless they are only to be shown.
func (e *editing) run(ctx context.Context) (answer editedDocument, err error) {
	if e.in.DryRun {
		return e.preview()
	}
	if len(e.First.Steps) > 0 {
		if err := e.confirm(ctx); err != nil {
			return answer, err
		}
	}
	return e.apply(ctx)
}

// apply makes the edits, which are confirmed.
func (e *editing) apply(ctx context.Context) (answer editedDocument, err error) {
	if err := e.Apply(ctx, e.env.Outline, edit.Policy{ExpectedRevision: e.in.ExpectedRevision, Accept: e.accept}); err != nil {
		return answer, e.failed(ctx, err)
	}
	wrote(ctx, e.env, e.Result(), false)
	return e.answer(), nil
}

// checkTexts refuses a text that becomes too long, and new text of which Outline would drop
// parts. Package edit refuses that itself if it knows the tree.
func (e *editing) checkTexts() error {
	if err := checkLength(e.First.Text); err != nil {
		return output.Invalid("nothing was written: %s", err)
	}
	if e.ByTree() {
		return nil
	}
	for _, i := range e.own {
		if err := checkDropped(prosemirror.Dropped, e.passages[i].New, ""); err != nil {
			return err
		}
	}
	return nil
}

// accept refuses edits that detach unresolved comments from the text, unless the
// caller allows it. A dry run is refused once it has shown them.
func (e *editing) accept(ctx context.Context, loss edit.Loss) error {
	open, err := detached(ctx, e.env, e.Before.ID, loss, e.in.AllowLoss)
	if err != nil || len(open) == 0 {
		return err
	}
	failure := e.refusal(output.InvalidArguments, fmt.Sprintf("%s would rewrite whole blocks, and take %s off text that is kept: %s.",
		e.losing(ctx), output.Count(len(open), "unresolved comment", "unresolved comments"), strings.Join(open, "; ")))
	failure.Next = "[Resolve it first with update_comment, or set|Set] allow_loss true: comments stay, but lose their place in the text."
	if e.in.DryRun {
		e.refused = failure
		return nil
	}
	return failure
}

// losing names the edits that take comments off the text, if they do so alone and are not
// too many to try.
func (e *editing) losing(ctx context.Context) string {
	var names []string
	for _, i := range e.own[:min(len(e.own), 10)] {
		if one, err := edit.Prepare(ctx, e.Before, e.passages, []int{i}); err == nil && len(one.First.Lost.CommentAnchors) > 0 {
			names = append(names, fmt.Sprintf("edits[%d]", i))
		}
	}
	return cmp.Or(strings.Join(names, ", "), "this change")
}

// confirm asks the user, who is shown the diff. The edits are then made to this
// revision or not at all.
func (e *editing) confirm(ctx context.Context) error {
	err := confirmed(ctx, e.env, e.Before, func(ctx context.Context, _ string) (string, string) {
		var details output.Text
		first := e.describe(&details)
		return called(ctx, e.env, e.Before) + ": " + first, details.String()
	})
	if e.env.Person.Approved() {
		e.in.ExpectedRevision = e.Before.Revision
	}
	return err
}

// describe shows what the edits are going to change, and returns the first change.
func (e *editing) describe(t *output.Text) (first string) {
	after := planned(e.Before, e.First)
	describe(t, e.Before, after, e.First.Lost)
	first, lines := textChanges(e.Before.Text, after.Text)
	t.Block(lines)
	return first
}

// preview is the answer to a dry run, with the reason why the edits would be refused.
func (e *editing) preview() (editedDocument, error) {
	after := planned(e.Before, e.First)
	answer := e.newAnswer(newDiff(e.Before, after.Text, "with the edits"), e.First.Lost)
	answer.dryRun = true
	answer.Notes = append(answer.Notes, commentNotes(e.Before, after, e.First.Lost.CommentAnchors)...)
	if e.refused.Code == "" {
		return answer, nil
	}
	answer.EditsApplied, answer.Occurrences = 0, 0
	problem := newWriteProblem(e.Before, after)
	problem.Sentence, problem.Code, problem.Next = e.refused.Sentence, e.refused.Code, e.refused.Next
	problem.lost, problem.Diff, problem.lines = answer.Lost, answer.Diff, answer.lines
	return answer, problem
}

// answer is the answer to edits that are written.
func (e *editing) answer() editedDocument {
	diff := diffOf(e.Before, e.Now)
	diff.changesOnly = true
	if e.occurrences() == 0 { // otherwise the caller does not know the places
		diff = diff.cut(maxDiff)
		diff.inBrief = true
	}
	answer := e.newAnswer(diff, e.Lost)
	answer.Changed, answer.Verified = !edit.SameStored(e.Before, e.Now), e.Verified
	if !answer.Changed {
		answer.Notes = append(answer.Notes, formOnly(e.First.Text))
		return answer
	}
	answer.earlier = newEarlier(e.Earlier, e.NoEarlier)
	if note := answer.earlier.note(); note != "" {
		answer.Notes = append(answer.Notes, note)
	}
	answer.Notes = append(answer.Notes, commentNotes(e.Before, e.Now, e.Lost.CommentAnchors)...)
	return answer
}

func (e *editing) newAnswer(diff diff, loss edit.Loss) editedDocument {
	answer := editedDocument{
		documentLink: linkTo(e.env, e.Now.DocumentSummary), EditsApplied: e.Applied(), Occurrences: e.occurrences(),
		change: change{RevisionBefore: e.Before.Revision, Revision: e.Now.Revision, Guarded: e.Before.Guarded(), Lost: newLost(loss), diff: diff},
	}
	read := prosemirror.Unpadded(e.Before.Text)
	for _, i := range e.First.Tolerant {
		if strings.Contains(read, e.passages[i].Old) {
			continue // only the padding of a table differs
		}
		answer.Notes = append(answer.Notes, fmt.Sprintf("edits[%d]: the document writes old_text differently (quotation marks, escapes, bullets or blank lines, for example); the edit applies to the passage as stored", i))
	}
	notes := e.notes
	for _, made := range e.Made {
		if !made.ByTree() && made.Wanted != nil {
			notes = append(notes, treeNotShown)
		}
		notes = append(notes, notesOnOthers(made)...)
	}
	for _, note := range notes {
		if !slices.Contains(answer.Notes, note) {
			answer.Notes = append(answer.Notes, note)
		}
	}
	return answer
}

// occurrences returns how many places the edits change, or 0 if each of them is of one
// passage.
func (e *editing) occurrences() int {
	for _, i := range e.own {
		if e.passages[i].All {
			return e.First.Places
		}
	}
	return 0
}

type editedDocument struct {
	documentLink
	EditsApplied int `json:"edits_applied"`
	Occurrences  int `json:"occurrences,omitempty"`
	change

	dryRun bool
}

// WriteText implements output.Result.
func (d editedDocument) WriteText(t *output.Text) {
	done := "Edited"
	switch {
	case d.dryRun:
		done = "Nothing was written: dry_run of edits to"
	case !d.Changed:
		done = "Nothing changed in"
	}
	t.Printf("%s ", done)
	d.documentName.write(t)
	t.Line(", %s", d.URL)
	t.Printf("edits_applied %d, ", d.EditsApplied)
	t.If(d.Occurrences > 0).Printf("occurrences %d, ", d.Occurrences)
	d.change.line(t, "")
	d.change.rest(t, d.id(), d.dryRun)
}

// writeAmong is WriteText for one of several documents: one line, and the lines that change.
func (d editedDocument) writeAmong(t *output.Text) {
	t.If(!d.dryRun && !d.Changed).Printf("Nothing changed in ")
	d.documentName.write(t)
	t.If(d.Occurrences > 0).Printf(", occurrences %d", d.Occurrences)
	t.If(d.Occurrences == 0).Printf(", edits_applied %d", d.EditsApplied)
	d.change.oneOfMany = true
	if d.EarlierRevisionID != "" {
		t.Printf(", earlier_revision_id %s", d.EarlierRevisionID)
		d.EarlierRevisionID = ""
	}
	t.Printf(", ")
	d.change.line(t, "")
	d.change.rest(t, d.id(), d.dryRun)
}

// Cuts implements output.Cuttable.
func (d *editedDocument) Cuts() []output.Cut {
	return []output.Cut{{Units: len(d.Diff), Keep: func(n int) {
		d.diff = d.cut(n)
		d.inBrief = false // a longer diff would not always have a longer text
		if d.dryRun {
			d.NextStartLine = 0 // nothing of it can be read yet
		}
	}}}
}
