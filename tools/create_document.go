package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func createDocument() mcptool.Tool {
	return mcptool.Spec[createDocumentIn, createdDocument]{
		Name:        "create_document",
		Title:       "Create document",
		Description: "Creates a document in an Outline collection or below another document.",
		Endpoints:   []string{"documents.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createDocumentIn) (createdDocument, error) {
			icon, err := iconOf(in.Icon)
			if err != nil {
				return createdDocument{}, err
			}
			in.Icon = icon
			place, index, err := in.place(ctx, env)
			if err != nil {
				return createdDocument{}, err
			}
			if in.TemplateID, err = templateID(ctx, env, in.TemplateID); err != nil {
				return createdDocument{}, err
			}
			names := env.Collections.Begin(ctx)
			template := beginTemplate(ctx, env, in.TemplateID)
			request := in.request(env.IDToCreate(), place)
			if in.Publish {
				request.Index = index
			}
			document, note, err := create(ctx, env, request)
			if err != nil {
				return createdDocument{}, template().explain(err)
			}
			known := names()
			notes := append(nonEmpty(note), template().notes(in, document, known)...)
			return createdDocument{newDocumentOf(env, document.DocumentSummary, known), notes}, nil
		},
	}
}

type createDocumentIn struct {
	Title            string `json:"title,omitempty" maxLength:"100" jsonschema:"Needed without template_id"`
	CollectionID     string `json:"collection_id,omitempty" jsonschema:"Or parent_document_id; a draft needs neither"`
	Text             string `json:"text,omitempty" jsonschema:"Markdown, without the title"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
	Publish          bool   `json:"publish,omitempty" default:"true"`
	Icon             string `json:"icon,omitempty" maxLength:"1000" jsonschema:"Emoji or name"`
	FullWidth        *bool  `json:"full_width,omitempty"`
	TemplateID       string `json:"template_id,omitempty" jsonschema:"Fills in title or text if left out"`
	Position         string `json:"position,omitempty" jsonschema:"first, last or the document to follow; default: first in a collection, else last"`
}

// afterAll is an index that Outline takes for the last one, whatever the number of siblings.
const afterAll = 1 << 20

// position returns first, last or "", or document if the document in Position is to be followed.
func (in createDocumentIn) position() string {
	if p := strings.ToLower(strings.TrimSpace(in.Position)); p == "" || p == "first" || p == "last" {
		return p
	}
	return "document"
}

// place returns where the document is to be, and its index among its siblings there, nil for
// that of Outline, which is the first one.
func (in createDocumentIn) place(ctx context.Context, env mcptool.Env) (to place, index *int, err error) {
	position := in.position()
	if position == "document" {
		return in.placeAfter(ctx, env)
	}
	to, err = findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
	if position == "last" || position == "" && to.parentID != "" {
		index = new(afterAll)
	}
	return to, index, err
}

// placeAfter returns the place after the document in position.
func (in createDocumentIn) placeAfter(ctx context.Context, env mcptool.Env) (to place, index *int, err error) {
	sibling, err := fetchToChange(ctx, env, in.Position)
	if err != nil {
		return to, nil, aboutArgument("position", in.Position, err)
	}
	to = place{collectionID: sibling.CollectionID, parentID: sibling.ParentDocumentID}
	if in.CollectionID != "" || in.ParentDocumentID != "" {
		if to, err = findPlace(ctx, env, in.CollectionID, in.ParentDocumentID); err != nil {
			return to, nil, err
		}
	}
	tree, err := env.Outline.CollectionDocuments(ctx, to.collectionID)
	if err != nil {
		return to, nil, err
	}
	at := slices.IndexFunc(to.children(tree), func(n outline.Node) bool { return n.ID == sibling.ID })
	if at < 0 {
		return to, nil, output.Invalid("position: %s is not directly in the place where the document is to be. Leave out collection_id and parent_document_id to create it beside that document.", nameOf(sibling.DocumentSummary))
	}
	return to, new(at + 1), nil
}

// Validate rejects what Outline rejects.
func (in createDocumentIn) Validate() error {
	if in.Title == "" && in.TemplateID == "" {
		return errors.New("title is missing")
	}
	if err := checkTitle(in.Title); err != nil {
		return err
	}
	if !in.Publish && in.Position != "" {
		return errors.New("a draft has no position: leave position out, or publish the document")
	}
	if in.Publish && in.CollectionID == "" && in.ParentDocumentID == "" && in.position() != "document" {
		return output.Failure{Code: output.InvalidArguments, Sentence: "a published document needs collection_id",
			Next: "[ (list_collections shows them)] or parent_document_id; publish false makes a draft without either"}
	}
	return checkText(in.Text)
}

// confirmCreate asks the user, who is shown the text.
func confirmCreate(ctx context.Context, env mcptool.Env, request outline.CreateDocumentParams) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		what := "Create the document " + titleOf(request.Title)
		if request.Title == "" {
			what = "Create a document"
		}
		if request.TemplateID != "" {
			what += " from the template " + cmp.Or(beginTemplate(ctx, env, request.TemplateID)().title(), request.TemplateID)
		}
		if request.ParentDocumentID != "" {
			what += " below " + findName(ctx, env, request.ParentDocumentID).String()
		}
		what += inCollection(ctx, env, request.CollectionID)
		if !request.Publish {
			what += ", as a draft"
		}
		return elicit.Question{Text: what + "?", Details: request.Text}, nil
	})
}

// create creates a document and checks its text. The ID in the request comes from
// this server, so the caller can look for the document if the outcome is unknown.
// The note says what was changed in the text.
func create(ctx context.Context, env mcptool.Env, request outline.CreateDocumentParams) (document outline.Document, note string, err error) {
	text, notes, err := newText(ctx, env, request.Text, "")
	if err != nil {
		return outline.Document{}, "", err
	}
	text, repeated := withoutTitle(text, request.Title)
	request.Text, note = text, strings.Join(nonEmpty(append(notes, repeated)...), "; ")
	if env.DryRun != nil && *env.DryRun {
		return outline.Document{DocumentSummary: outline.DocumentSummary{ID: request.ID, URLID: request.ID, URL: "/doc/" + request.ID, Title: request.Title}}, note, nil
	}
	if err := confirmCreate(ctx, env, request); err != nil {
		return outline.Document{}, note, err
	}
	document, err = env.Outline.CreateDocument(ctx, request)
	if err == nil {
		wrote(ctx, env, edit.Result{After: document}, true)
		return document, note, checkCreated(document, request.Text)
	}
	if !outline.OutcomeUnknown(err) {
		return document, note, err
	}
	document.ID = request.ID
	failure := output.Error(err)
	failure.DocumentID = request.ID
	failure.Cause = err
	failure.Next += fmt.Sprintf(" If it was created, [read_document finds it under document_id|its document_id is] %s.", request.ID)
	return document, note, failure
}

// checkCreated compares a new document with what was sent: its tree or, if Outline
// does not return trees, the meaning of its text.
func checkCreated(document outline.Document, text string) error {
	if text == "" {
		return nil
	}
	wanted, difference := prosemirror.Parse(text), ""
	if document.Tree == nil {
		if prosemirror.SameContent(prosemirror.ToText(wanted), document.Text) {
			return nil
		}
	} else {
		differences := edit.Differences(wanted, document.Tree)
		if len(differences) == 0 || edit.Same(prosemirror.Until192.Parse(text), document.Tree) {
			return nil
		}
		first := differences[0]
		difference = fmt.Sprintf(" The first difference: %s became %s.",
			output.Quote(output.Excerpt(first.Wanted, 200)), output.Quote(output.Excerpt(first.Stored, 200)))
	}
	return output.Failure{Code: output.WriteMismatch, DocumentID: document.ID, DocumentURLID: document.URLID,
		Sentence: "the document was created, but Outline stored something other than what was sent." + difference,
		Next:     "Do not create it again[: correct it with edit_document or update_document]."}
}

func (in createDocumentIn) request(newID string, p place) outline.CreateDocumentParams {
	return outline.CreateDocumentParams{
		ID: newID, Title: in.Title, Text: in.Text, CollectionID: p.collectionID, ParentDocumentID: p.parentID,
		Publish: in.Publish, Icon: in.Icon, FullWidth: in.FullWidth, TemplateID: in.TemplateID,
	}
}

// newDocument is a document that a call has created, in its answer.
type newDocument struct {
	documentLink
	Published bool `json:"published"`
	home
}

func newDocumentOf(env mcptool.Env, d outline.DocumentSummary, names mcptool.CollectionNames) newDocument {
	return newDocument{linkTo(env, d), d.PublishedAt != nil, homeOf(names, d.CollectionID)}
}

// kind returns what was created.
func (d newDocument) kind() string {
	if d.Published {
		return "published document"
	}
	return "draft"
}

type createdDocument struct {
	newDocument
	Notes []string `json:"notes,omitempty"`
}

func (d createdDocument) WriteText(t *output.Text) {
	t.Line("Created the %s %s%s, %s", d.kind(), d.documentName, d.in(), d.URL)
	writeNotes(t, d.Notes...)
}

func duplicateDocument() mcptool.Tool {
	return mcptool.Spec[duplicateDocumentIn, duplicatedDocument]{
		Name:        "duplicate_document",
		Title:       "Duplicate document",
		Description: "Copies an Outline document (with recursive, also those below it) beside the original or to another place.[ For a document from a template, use create_document.]",
		Endpoints:   []string{"documents.duplicate", "documents.info"},
		Effect:      mcptool.Adds,
		Optional:    true,
		Run: onDocument(fetchDocument, func(ctx context.Context, env mcptool.Env, in duplicateDocumentIn, document outline.Document) (duplicatedDocument, error) {
			original := document.DocumentSummary
			if err := checkActive(document); err != nil {
				return duplicatedDocument{}, err
			}
			to, err := in.place(ctx, env, original)
			if err != nil {
				return duplicatedDocument{}, err
			}
			params := outline.DuplicateDocumentParams{
				Title: in.Title, CollectionID: to.collectionID, ParentDocumentID: to.parentID, Recursive: in.Recursive, Publish: original.PublishedAt != nil,
			}
			if in.Publish != nil {
				params.Publish = *in.Publish
			}
			if params.Publish && to.collectionID == "" {
				return duplicatedDocument{}, output.Failure{Code: output.InvalidArguments,
					Sentence: "nothing was copied: the draft is in no collection. To publish the copy, give the collection_id to publish it in", Next: "[ (list_collections shows them)]."}
			}
			if err := confirmDuplicate(ctx, env, document, to, params); err != nil {
				return duplicatedDocument{}, err
			}
			names := env.Collections.Begin(ctx)
			copies, err := env.Outline.DuplicateDocument(ctx, original, params)
			if err != nil {
				return duplicatedDocument{}, refused(ctx, env, original.ID, err)
			}
			to.nameParent(ctx, env)
			return duplicatedDocument{newDocumentOf(env, copies[0], names()), parentNameOf(to.parent), len(copies)}, checkDuplicate(copies[0], original, params)
		}),
	}
}

// confirmDuplicate asks the user.
func confirmDuplicate(ctx context.Context, env mcptool.Env, original outline.Document, to place, params outline.DuplicateDocumentParams) error {
	return confirmed(ctx, env, original, func(ctx context.Context, name string) (string, string) {
		text := "Copy " + name
		if params.Recursive {
			text += withBelow(namesBelow(ctx, env, original))
		}
		to.nameParent(ctx, env)
		text += to.toward(ctx, env)
		if params.Title != "" {
			text += ", with the title " + titleOf(params.Title)
		}
		if !params.Publish {
			text += ", as a draft"
		}
		return text + "?", ""
	})
}

type duplicateDocumentIn struct {
	documentIn
	targetIn
	Recursive bool   `json:"recursive,omitempty"`
	Title     string `json:"title,omitempty" maxLength:"100" jsonschema:"Default: the same"`
	Publish   *bool  `json:"publish,omitempty" jsonschema:"Default: as the original"`
}

// Validate rejects a title that is too long.
func (in duplicateDocumentIn) Validate() error { return checkTitle(in.Title) }

// checkDuplicate compares a copy with what was asked for.
func checkDuplicate(got, original outline.DocumentSummary, asked outline.DuplicateDocumentParams) error {
	var wrong []string
	if strings.TrimSpace(got.Title) != strings.TrimSpace(cmp.Or(asked.Title, original.Title)) {
		wrong = append(wrong, "its title is "+titleOf(got.Title))
	}
	if got.CollectionID != asked.CollectionID || got.ParentDocumentID != asked.ParentDocumentID {
		wrong = append(wrong, "it is in another place")
	}
	if (got.PublishedAt != nil) != asked.Publish {
		wrong = append(wrong, "it is "+map[bool]string{true: "published", false: "a draft"}[got.PublishedAt != nil])
	}
	if wrong == nil {
		return nil
	}
	return output.Failure{Code: output.WriteMismatch,
		Sentence: fmt.Sprintf("the document was copied to %s, but not as asked: %s.", nameOf(got), strings.Join(wrong, ", ")),
		Next:     "Do not copy it again[: change the copy with update_document or move_document]."}
}

type duplicatedDocument struct {
	newDocument
	parentName
	Documents int `json:"documents" jsonschema:"Created in all, with those below it"`
}

// WriteText implements output.Result.
func (d duplicatedDocument) WriteText(t *output.Text) {
	t.Line("Copied to the %s %s%s%s, %s", d.kind(), d.documentName, d.in(), d.after(" below "), d.URL)
	t.Line("documents %d", d.Documents)
	t.If(d.Documents > 1).Advice("[get_collection_structure shows what is below it.]")
}
