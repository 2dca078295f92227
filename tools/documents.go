package tools

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func documentTools() []mcptool.Tool {
	return []mcptool.Tool{createDocument(), updateDocument(), editDocument()}
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

// create creates a document. Its UUID is ours, so that it can be looked for
// where the outcome stays unknown.
func create(ctx context.Context, env mcptool.Env, request outline.CreateDocumentParams) (outline.Document, error) {
	document, err := env.Outline.CreateDocument(ctx, request)
	if !outline.OutcomeUnknown(err) {
		return document, err
	}
	document.ID = request.ID
	failure := explain.Error(err)
	failure.DocumentID = request.ID
	failure.Sentence = fmt.Sprintf("%s If it was created, read_document finds it under document_id %s.", failure.Sentence, request.ID)
	return document, fmt.Errorf("%w%w", failure, err)
}

func createDocument() mcptool.Tool {
	return mcptool.Spec[createDocumentIn, createdDocument]{
		Name:        "create_document",
		Title:       "Create document",
		Description: "Creates a document in a collection or below another. For several use batch_create_documents.",
		Group:       Documents,
		Endpoints:   []string{"documents.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createDocumentIn) (createdDocument, error) {
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
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"To nest under"`
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

func (in createDocumentIn) request(newID string, p place) outline.CreateDocumentParams {
	return outline.CreateDocumentParams{
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
