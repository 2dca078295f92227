package tools

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"outline-mcp/outline"
	"outline-mcp/output"
)

func documentTools() []Tool {
	return []Tool{createDocument(), updateDocument()}
}

// maxText is the longest body that Outline takes, in UTF-16 code units.
const maxText = 1_536_000

// checkText refuses a body that Outline would refuse.
func checkText(text string) error {
	if len(text) <= maxText {
		return nil // UTF-8 is never shorter than UTF-16
	}
	if n := len(utf16.Encode([]rune(text))); n > maxText {
		return fmt.Errorf("text must be at most %d characters long, not %d; split it into several documents", maxText, n)
	}
	return nil
}

// checkTitle refuses a title that Outline would refuse.
func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > 100 {
		return fmt.Errorf("title must be at most 100 characters long, not %d", n)
	}
	return nil
}

// create creates a document. Its UUID is ours, so that after a lost answer
// Outline can be asked whether it is there.
func create(ctx context.Context, env Env, request outline.CreateDocument) (outline.Document, error) {
	document, err := env.Outline.CreateDocument(ctx, request)
	if !outline.OutcomeUnknown(err) {
		return document, err
	}
	found, readErr := env.Outline.Document(ctx, request.ID)
	if readErr == nil {
		return found, nil
	}
	document.ID = request.ID
	failure := explain(err)
	failure.DocumentID = request.ID
	if errors.Is(readErr, outline.ErrNotFound) {
		failure.Code = output.UpstreamError
		failure.Sentence = fmt.Sprintf("the document was not created: the answer to documents.create was lost (%s), and nothing is there under its ID. Call again.", says(err))
		document.ID = ""
		return document, failure
	}
	return document, lost{failure, err}
}

// lost is a failure whose outcome is not known, with its cause.
type lost struct {
	output.Failure
	cause error
}

// Unwrap returns the failure itself and its cause.
func (l lost) Unwrap() []error { return []error{l.Failure, l.cause} }

func createDocument() Tool {
	return Spec[createDocumentIn, createdDocument]{
		Name:        "create_document",
		Title:       "Create document",
		Description: "Creates a document in a collection or below another. For several use batch_create_documents.",
		Group:       Documents,
		Endpoints:   []string{"documents.create"},
		Effect:      Adds,
		Run: func(ctx context.Context, env Env, in createDocumentIn) (createdDocument, error) {
			place, err := findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
			if err != nil {
				return createdDocument{}, err
			}
			document, err := create(ctx, env, in.request(env.NewID(), place))
			if err != nil {
				return createdDocument{}, err
			}
			return createdDocument{
				DocumentID: document.ID, Title: document.Title, URL: env.Outline.AbsoluteURL(document.URL),
				Published: document.PublishedAt != nil, CollectionID: document.CollectionID,
			}, nil
		},
	}
}

type createDocumentIn struct {
	Title            string `json:"title" maxLength:"100"`
	CollectionID     string `json:"collection_id,omitempty" jsonschema:"Needed unless parent_document_id or publish false"`
	Text             string `json:"text,omitempty" jsonschema:"Markdown, without the title"`
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"Document to nest under"`
	Publish          bool   `json:"publish,omitempty" default:"true"`
	Icon             string `json:"icon,omitempty" jsonschema:"Emoji or name"`
	TemplateID       string `json:"template_id,omitempty" jsonschema:"UUID of a template to start from"`
}

// Validate refuses what Outline would refuse.
func (in createDocumentIn) Validate() error {
	if in.Title == "" {
		return errors.New("title is missing")
	}
	if err := checkTitle(in.Title); err != nil {
		return err
	}
	if in.Publish && in.CollectionID == "" && in.ParentDocumentID == "" {
		return errors.New("a published document needs collection_id (list_collections shows them) or parent_document_id; publish false makes a draft without either")
	}
	if in.TemplateID != "" && !outline.IsUUID(in.TemplateID) {
		return fmt.Errorf("template_id must be a UUID, not %q", output.Excerpt(in.TemplateID, 60))
	}
	return checkText(in.Text)
}

func (in createDocumentIn) request(newID string, p place) outline.CreateDocument {
	return outline.CreateDocument{
		ID: newID, Title: in.Title, Text: in.Text, CollectionID: p.collectionID, ParentDocumentID: p.parentID,
		Publish: in.Publish, Icon: in.Icon, TemplateID: in.TemplateID,
	}
}

type createdDocument struct {
	DocumentID   string `json:"document_id" format:"uuid"`
	Title        string `json:"title"`
	URL          string `json:"url" format:"uri"`
	Published    bool   `json:"published"`
	CollectionID string `json:"collection_id,omitempty" format:"uuid"`
}

// WriteText implements output.Result.
func (d createdDocument) WriteText(t *output.Text) {
	kind := "draft"
	if d.Published {
		kind = "published document"
	}
	t.Printf("Created the %s %s, document_id %s", kind, titleOf(d.Title), d.DocumentID)
	if d.CollectionID != "" {
		t.Printf(", in collection_id %s", d.CollectionID)
	}
	t.Line(", %s", d.URL)
}

func updateDocument() Tool {
	return Spec[updateDocumentIn, updatedDocument]{
		Name:        "update_document",
		Title:       "Update document",
		Description: "Changes title, icon or text; text replaces the whole body unless append is true.",
		Group:       Documents,
		Endpoints:   []string{"documents.update"},
		Effect:      Changes,
		Run: func(ctx context.Context, env Env, in updateDocumentIn) (updatedDocument, error) {
			document, err := in.apply(ctx, env)
			if err != nil {
				return updatedDocument{}, err
			}
			return updatedDocument{
				DocumentID: document.ID, Title: document.Title, URL: env.Outline.AbsoluteURL(document.URL),
				Appended: in.Append && in.Text != "", Revision: document.Revision,
			}, nil
		},
	}
}

type updateDocumentIn struct {
	DocumentID       string `json:"document_id" jsonschema:"UUID, URL id, slug or URL"`
	Title            string `json:"title,omitempty" maxLength:"100"`
	Text             string `json:"text,omitempty" jsonschema:"Markdown; the whole new body, or what to append"`
	Append           bool   `json:"append,omitempty"`
	Icon             string `json:"icon,omitempty" jsonschema:"Emoji or name; none removes it"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Refuse if it has another revision by now"`
}

// Validate refuses a change that changes nothing.
func (in updateDocumentIn) Validate() error {
	if in.Title == "" && in.Text == "" && in.Icon == "" {
		return errors.New("give at least one of title, text and icon: there is nothing to change")
	}
	if err := checkTitle(in.Title); err != nil {
		return err
	}
	return checkText(in.Text)
}

// apply sends only what was given. A conflict tells the revision there is now.
func (in updateDocumentIn) apply(ctx context.Context, env Env) (outline.Document, error) {
	id, err := outline.ParseDocumentID(in.DocumentID)
	if err != nil {
		return outline.Document{}, err
	}
	change := outline.UpdateDocument{ID: id}
	if in.Title != "" {
		change.Title = &in.Title
	}
	if in.Text != "" {
		change.Text = &in.Text
	}
	if in.Append && in.Text != "" {
		// Outline appends inline: the empty line starts a paragraph.
		change.Text, change.EditMode = new("\n\n"+in.Text), "append"
	}
	switch in.Icon {
	case "":
	case "none":
		change.Icon = new("")
	default:
		change.Icon = &in.Icon
	}
	if in.ExpectedRevision > 0 {
		change.LastRevision = &in.ExpectedRevision
	}
	document, err := env.Outline.UpdateDocument(ctx, change)
	err = refused(ctx, env, id, err)
	if errors.Is(err, outline.ErrConflict) {
		if now, readErr := env.Outline.Document(ctx, id); readErr == nil {
			return document, output.Failure{Code: output.Conflict, DocumentID: now.ID, Sentence: fmt.Sprintf(
				"the document %s changed meanwhile: it has revision %d, not %d. Nothing was written. Read it again with read_document and repeat the change on what is there now.",
				now.ID, now.Revision, in.ExpectedRevision)}
		}
	}
	return document, err
}

type updatedDocument struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
	URL        string `json:"url" format:"uri"`
	Appended   bool   `json:"appended"`
	Revision   int    `json:"revision"`
}

// WriteText implements output.Result.
func (d updatedDocument) WriteText(t *output.Text) {
	done := "Updated"
	if d.Appended {
		done = "Appended to"
	}
	t.Line("%s %s, document_id %s, now revision %d, %s", done, titleOf(d.Title), d.DocumentID, d.Revision, d.URL)
}
