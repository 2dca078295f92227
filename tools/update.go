package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/views"
)

func updateDocument() mcptool.Tool {
	return mcptool.Spec[updateDocumentIn, updatedDocument]{
		Name:        "update_document",
		Title:       "Update document",
		Description: "Changes an Outline document's title, icon, text or one section, or publishes a draft.[ For passages, use edit_document.]",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Problems:    []output.Problem{writeProblem{}},
		View:        views.Difference,
		Run: func(ctx context.Context, env mcptool.Env, in updateDocumentIn) (updatedDocument, error) {
			if in.unwanted() {
				return unpublish(ctx, env, in.DocumentID)
			}
			update, note, err := in.apply(ctx, env)
			if err != nil {
				return updatedDocument{}, err
			}
			before, after := update.Before, update.After
			undo := earlierOf(update)
			if !changed(update) {
				undo = earlier{}
			}
			return updatedDocument{
				documentName: nameOf(after.DocumentSummary), URL: env.Outline.AbsoluteURL(after.URL),
				Appended: in.Append && in.Text != "", Changed: changed(update), Published: published(update),
				Verified:       in.Text == "" || update.ByTree() || !changed(update) && before.Tree != nil,
				RevisionBefore: before.Revision, Revision: after.Revision,
				CharsBefore: utf8.RuneCountInString(before.Text), CharsAfter: utf8.RuneCountInString(after.Text),
				Guarded: update.Guarded, Note: note, earlier: undo, section: in.section,
			}, nil
		},
	}
}

type updateDocumentIn struct {
	documentIn
	Title            string `json:"title,omitempty" maxLength:"100"`
	Text             string `json:"text,omitempty" jsonschema:"Markdown: new text, or what to add"`
	Append           bool   `json:"append,omitempty" jsonschema:"Add at the end (of the section)"`
	Prepend          bool   `json:"prepend,omitempty"`
	Heading          string `json:"heading,omitempty" maxLength:"1000" minLength:"0" jsonschema:"Replace or extend only this section, with its subsections"`
	Icon             string `json:"icon,omitempty" maxLength:"1000" jsonschema:"Emoji, name or none"`
	Color            string `json:"color,omitempty" maxLength:"1000" jsonschema:"#RRGGBB or none"`
	FullWidth        *bool  `json:"full_width,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Fail if it differs"`
	AllowShrink      bool   `json:"allow_shrink,omitempty" jsonschema:"Needed if the new text is much shorter"`
	publishIn

	section   string // the heading of the section as it is in the document
	confirmed int    // the revision that the user has been shown, 0 if nobody was asked
}

// Validate refuses a change that changes nothing.
func (in updateDocumentIn) Validate() error {
	alone := in.Title == "" && in.Text == "" && in.Icon == "" && in.Color == "" && in.FullWidth == nil
	if in.unwanted() && !alone {
		return errors.New("publish false makes the document a draft, and cannot be combined with other changes: call twice")
	}
	if alone && in.Publish == nil {
		return errors.New("there is nothing to change: give a title, a text or another change")
	}
	if in.CollectionID != "" && !in.wanted() {
		failure := output.Invalid("collection_id says where to publish a draft and needs publish set to true")
		failure.Next = "[; move_document moves a document]"
		return failure
	}
	switch {
	case in.Append && in.Prepend:
		return errors.New("choose append or prepend, not both")
	case in.Append && in.Text == "":
		return errors.New("append is true, and there is no text to append")
	case in.Prepend && in.Text == "":
		return errors.New("prepend is true, and there is no text to prepend")
	case in.Heading != "" && in.Text == "":
		return errors.New("there is no text for the section that heading names: give text")
	case in.Heading != "" && strings.TrimSpace(in.Heading) == "":
		return errors.New("heading is blank")
	}
	if in.Color == "none" {
		in.Color = ""
	}
	return cmp.Or(checkColor(in.Color), checkTitle(in.Title), checkText(in.Text))
}

// apply reads the document, changes what was given, and checks the result. The note
// says what the caller should know about a success, or is "".
func (in *updateDocumentIn) apply(ctx context.Context, env mcptool.Env) (update edit.Result, note string, err error) {
	if in.Icon, err = iconOf(in.Icon); err != nil {
		return update, "", err
	}
	before, err := in.read(ctx, env)
	defer func() { err = withDocument(before, err) }()
	if err == nil {
		err = checkActive(before)
	}
	if err != nil {
		return update, "", err
	}
	if err := conflict(before, env.Outline.CheckRevision(before, cmp.Or(in.ExpectedRevision, in.confirmed))); err != nil {
		return update, "", err
	}
	var notes []string
	stored := before.Text
	if in.Append || in.Prepend {
		stored = "" // nothing of it is replaced
	}
	if in.Text, notes, err = newText(ctx, env, in.Text, stored); err != nil {
		return update, "", err
	}
	change := edit.Params{ID: before.ID, Before: &before, ExpectedRevision: cmp.Or(in.ExpectedRevision, in.confirmed), KeepEarlier: true}
	if in.Title != "" {
		change.Title = &in.Title
	}
	if err := in.publish(ctx, env, before, &change); err != nil {
		return update, "", err
	}
	repeated, parts, err := in.plan(ctx, env, before, &change)
	if err != nil {
		return update, "", err
	}
	change.Icon, change.Color, change.FullWidth = orNone(in.Icon), orNone(in.Color), in.FullWidth
	if env.DryRun != nil && *env.DryRun {
		update = edit.Result{Before: before, After: in.planned(before, change, parts)}
		update.After.Text = prosemirror.ToText(prosemirror.Parse(update.After.Text))
		return update, strings.Join(append(in.notesOf(update), nonEmpty(append(notes, repeated)...)...), "; "), nil
	}
	if err := in.confirm(ctx, env, before, change, parts); err != nil {
		return update, "", err
	}
	if env.Person.Approved() {
		change.ExpectedRevision = before.Revision
	}
	if parts != nil && len(parts.First.Steps) == 0 {
		change.Text = nil // the same content, perhaps in another form
	}
	switch {
	case change.Text == nil && change.Title == nil && change.Icon == nil && change.Color == nil && change.FullWidth == nil && change.Publish == nil:
		update = edit.Result{Before: before, After: before, Guarded: before.Guarded()}
		notes = append(in.notesOf(update), nonEmpty(append(notes, repeated)...)...)
		return update, strings.Join(notes, "; "), nil
	case change.Text == nil || parts == nil:
		update, err = edit.Update(ctx, env.Outline, change)
	default:
		update, err = in.applyParts(ctx, env, parts, change)
	}
	if err != nil {
		return update, "", conflict(before, refused(ctx, env, before.ID, err))
	}
	if err := in.checkHead(update); err != nil {
		return update, "", err
	}
	if err = verify(ctx, env, &update); err == nil {
		wrote(ctx, env, update, in.Text != "" && !in.Append && !in.Prepend && in.Heading == "")
	}
	notes = append(in.notesOf(update), nonEmpty(append(notes, repeated)...)...)
	return update, strings.Join(notes, "; "), err
}

// plan sets the text of a change, and how it is written: in parts, or else as it is. The
// note says what of the text is left out.
func (in *updateDocumentIn) plan(ctx context.Context, env mcptool.Env, before outline.Document, change *edit.Params) (note string, parts *edit.Edits, err error) {
	if in.Heading == "" {
		err = in.checkRead(ctx, env, before, prosemirror.Section{})
	}
	if err != nil || in.Text == "" {
		return "", nil, err
	}
	change.Text = &in.Text
	if in.Heading != "" {
		parts, note, err = in.prepareSection(ctx, env, before)
		return note, parts, err
	}
	if !in.Append && !in.Prepend {
		if err := in.checkReplaces(ctx, env, before, before.Text, "the whole body"); err != nil {
			return "", nil, err
		}
	}
	if !in.Append {
		in.Text, note = withoutTitle(in.Text, cmp.Or(in.Title, before.Title))
	}
	// Outline adds text inline: the empty line makes it its own paragraph.
	switch {
	case in.Append:
		change.Text, change.EditMode = new("\n\n"+in.Text), edit.ModeAppend
		return note, nil, nil
	case in.Prepend:
		change.Text, change.EditMode = new(in.Text+"\n\n"), edit.ModePrepend
		return note, nil, nil
	}
	if before.Tree == nil { // nothing tells what the text that is there does not
		if err := checkDropped(prosemirror.Dropped, in.Text, ""); err != nil {
			return "", nil, err
		}
	}
	if parts, err = edit.PrepareText(ctx, before, in.Text); err != nil {
		err = sectionProblem(err)
	}
	return note, parts, err
}

// confirm asks the user, who is shown all that changes.
func (in updateDocumentIn) confirm(ctx context.Context, env mcptool.Env, before outline.Document, change edit.Params, parts *edit.Edits) error {
	return confirmed(ctx, env, before, func(ctx context.Context, _ string) (string, string) {
		text := called(ctx, env, before) + ": " + in.changes()
		if change.Publish != nil {
			text += inCollection(ctx, env, change.CollectionID)
		}
		var details output.Text
		if change.Text != nil {
			after := in.planned(before, change, parts)
			if parts != nil {
				describe(&details, before, after, parts.First.Lost)
			}
			first, lines := textChanges(before.Text, after.Text)
			if in.Append || in.Prepend {
				first = output.Quote(output.Excerpt(in.Text, 80))
			}
			text += ": " + first
			details.Block(lines)
		}
		return text, details.String()
	})
}

// planned returns a document as an update is going to leave its text.
func (in updateDocumentIn) planned(before outline.Document, change edit.Params, parts *edit.Edits) outline.Document {
	if parts != nil {
		return planned(before, parts.First)
	}
	if after := before; change.Text != nil {
		after.Tree, after.Text = nil, *change.Text
		switch {
		case in.Append:
			after.Text = before.Text + after.Text
		case in.Prepend:
			after.Text += before.Text
		}
		return after
	}
	return before
}

// changes says what an update changes.
func (in updateDocumentIn) changes() string {
	var changes []string
	if in.Title != "" {
		changes = append(changes, "the title becomes "+titleOf(in.Title))
	}
	for _, given := range []struct{ name, value string }{{"icon", in.Icon}, {"color", in.Color}} {
		switch given.value {
		case "":
		case "none":
			changes = append(changes, "the "+given.name+" is removed")
		default:
			changes = append(changes, "the "+given.name+" becomes "+output.Quote(output.Excerpt(given.value, 60)))
		}
	}
	if in.FullWidth != nil {
		changes = append(changes, map[bool]string{true: "the page uses the full width of the window", false: "the page returns to the standard width"}[*in.FullWidth])
	}
	switch section := " the section " + output.Quote(output.Excerpt(in.section, 100)); {
	case in.Text == "":
	case in.section == "" && in.Append:
		changes = append(changes, "text is appended")
	case in.section == "" && in.Prepend:
		changes = append(changes, "text is put at the beginning")
	case in.section == "":
		changes = append(changes, "the whole text is replaced")
	case in.Append:
		changes = append(changes, "text is appended to"+section)
	case in.Prepend:
		changes = append(changes, "text is put at the beginning of"+section)
	default:
		changes = append(changes, "the text of"+section+" is replaced")
	}
	if in.wanted() {
		changes = append(changes, "it is published")
	}
	return strings.Join(changes, ", ")
}

// orNone returns the value for an argument that "none" removes, or nil for "".
func orNone(given string) *string {
	switch given {
	case "":
		return nil
	case "none":
		return new("")
	}
	return &given
}

// read reads the document, with its tree if the text is to change.
func (in updateDocumentIn) read(ctx context.Context, env mcptool.Env) (outline.Document, error) {
	id, err := documentID(ctx, env, in.DocumentID)
	if err != nil {
		return outline.Document{}, err
	}
	before, err := env.Outline.DocumentToUpdate(ctx, id, in.Text != "")
	if err == nil {
		edit.ForgetUnknownTree(&before)
	}
	return before, err
}

// checkHead compares title, icon, color and width with what was asked for.
func (in updateDocumentIn) checkHead(update edit.Result) error {
	var wrong []string
	if in.Title != "" && strings.TrimSpace(update.After.Title) != strings.TrimSpace(in.Title) {
		wrong = append(wrong, "the title is "+output.Quote(output.Excerpt(update.After.Title, 100)))
	}
	if icon := orNone(in.Icon); icon != nil && update.After.Icon != *icon {
		wrong = append(wrong, "the icon is "+output.Quote(output.Excerpt(update.After.Icon, 100)))
	}
	if color := orNone(in.Color); color != nil && !strings.EqualFold(update.After.Color, *color) {
		wrong = append(wrong, "the color is "+output.Quote(output.Excerpt(update.After.Color, 100)))
	}
	if in.FullWidth != nil && update.After.FullWidth != *in.FullWidth {
		wrong = append(wrong, "the width is as it was")
	}
	if wrong == nil {
		return nil
	}
	problem := newWriteProblem(update.Before, update.After)
	problem.Code, problem.earlier = output.WriteMismatch, earlierOf(update)
	problem.Sentence = fmt.Sprintf("Outline accepted the change but did not make it: %s. If the text has changed, the diff shows it.", strings.Join(wrong, ", "))
	return problem
}

// checkActive refuses to change a document that Outline would not let be
// changed.
func checkActive(document outline.Document) error {
	switch {
	case document.DeletedAt != nil:
		return output.Failure{Code: output.Conflict, DocumentID: document.ID, Sentence: "the document is in the trash.", Next: "Bring it back [with restore_document|in Outline] first."}
	case document.ArchivedAt != nil:
		return output.Failure{Code: output.Conflict, DocumentID: document.ID, Sentence: "the document is archived.", Next: "Bring it back [with unarchive_document|in Outline] first."}
	}
	return nil
}

// conflict says of a document that changed before it was written to that
// nothing was.
func conflict(document outline.Document, err error) error {
	var cause *outline.Error
	if !errors.Is(err, outline.ErrConflict) || !errors.As(err, &cause) || cause.Code == outline.Overwritten {
		return err
	}
	return output.Failure{Code: output.Conflict, DocumentID: document.ID,
		Sentence: fmt.Sprintf("nothing was written: %s.", output.Excerpt(cause.Message, 200)),
		Next:     "Read it again[ with read_document] and repeat the change on what is there now."}
}

// changed tells whether an update left anything different.
func changed(u edit.Result) bool {
	return !edit.SameStored(u.Before, u.After) || u.Before.Title != u.After.Title || !u.Before.SameLook(u.After.DocumentSummary) || published(u)
}
