package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/docedit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/sametext"
	"outline-mcp/output"
)

func createDocument() mcptool.Tool {
	return mcptool.Spec[createDocumentIn, createdDocument]{
		Name:        "create_document",
		Title:       "Create document",
		Description: "Creates a document in a collection or below another.[ For several use batch_create_documents.]",
		Endpoints:   []string{"documents.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createDocumentIn) (createdDocument, error) {
			place, err := findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
			if err != nil {
				return createdDocument{}, err
			}
			document, note, err := create(ctx, env, in.request(env.NewID(), place))
			if err != nil {
				return createdDocument{}, err
			}
			created := createdDocument{nameOf(document.DocumentSummary), env.Outline.AbsoluteURL(document.URL), document.PublishedAt != nil, document.CollectionID, nil}
			if note != "" {
				created.Notes = []string{note}
			}
			return created, nil
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
	TemplateID       string `json:"template_id,omitempty" jsonschema:"Template's UUID"`
}

// Validate rejects what Outline rejects.
func (in createDocumentIn) Validate() error {
	if in.Title == "" {
		return errors.New("title is missing")
	}
	if err := checkTitle(in.Title); err != nil {
		return err
	}
	if in.Publish && in.CollectionID == "" && in.ParentDocumentID == "" {
		return output.Failure{Code: output.InvalidArguments, Sentence: "a published document needs collection_id",
			Next: "[ (list_collections shows them)] or parent_document_id; publish false makes a draft without either"}
	}
	if in.TemplateID != "" && !outline.IsUUID(in.TemplateID) {
		return fmt.Errorf("template_id must be a UUID, not %q", output.Excerpt(in.TemplateID, 60))
	}
	return checkText(in.Text)
}

// create creates a document and checks its text. The ID in the request comes from
// this server, so the caller can look for the document if the outcome is unknown.
// The note says what was changed in the text.
func create(ctx context.Context, env mcptool.Env, request outline.CreateDocumentParams) (document outline.Document, note string, err error) {
	if request.Text, note, err = storable(request.Text); err != nil {
		return outline.Document{}, "", err
	}
	document, err = env.Outline.CreateDocument(ctx, request)
	if err == nil {
		return document, note, checkCreated(document, request.Text)
	}
	if !outline.OutcomeUnknown(err) {
		return document, note, err
	}
	document.ID = request.ID
	failure := explain.Error(err)
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
	wanted, difference := prosemirror.Replace(text), ""
	if document.Tree == nil {
		if sametext.Equal(prosemirror.ToText(wanted), document.Text) {
			return nil
		}
	} else {
		differences := docedit.Differences(wanted, document.Tree)
		if len(differences) == 0 {
			return nil
		}
		first := differences[0]
		difference = fmt.Sprintf(" The first difference: %s became %s.",
			output.Quote(output.Excerpt(first.Wanted, 200)), output.Quote(output.Excerpt(first.Stored, 200)))
	}
	return output.Failure{Code: output.WriteMismatch, DocumentID: document.ID,
		Sentence: "the document was created, but Outline stored something other than what was sent." + difference,
		Next:     "Do not create it again[: correct it with edit_document or update_document]."}
}

func (in createDocumentIn) request(newID string, p place) outline.CreateDocumentParams {
	return outline.CreateDocumentParams{
		ID: newID, Title: in.Title, Text: in.Text, CollectionID: p.collectionID, ParentDocumentID: p.parentID,
		Publish: in.Publish, Icon: in.Icon, TemplateID: in.TemplateID,
	}
}

type createdDocument struct {
	documentName
	URL          string   `json:"url" format:"uri"`
	Published    bool     `json:"published"`
	CollectionID string   `json:"collection_id,omitempty" format:"uuid"`
	Notes        []string `json:"notes,omitempty"`
}

func (d createdDocument) WriteText(t *output.Text) {
	kind := "draft"
	if d.Published {
		kind = "published document"
	}
	t.Printf("Created the %s %s, document_id %s", kind, titleOf(d.Title), d.DocumentID)
	t.If(d.CollectionID != "").Printf(", in collection_id %s", d.CollectionID)
	t.Line(", %s", d.URL)
	for _, note := range d.Notes {
		t.Line("Note: %s.", note)
	}
}

func moveDocument() mcptool.Tool {
	return mcptool.Spec[moveDocumentIn, movedDocument]{
		Name:        "move_document",
		Title:       "Move document",
		Description: "Moves a document and all below it into a collection, under a parent, or among its siblings.",
		Endpoints:   []string{"documents.move", "documents.info"},
		Effect:      mcptool.Moves,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in moveDocumentIn, document outline.Document) (movedDocument, error) {
			to := place{document.CollectionID, document.ParentDocumentID}
			if !in.nowhere() {
				var err error
				if to, err = findPlace(ctx, env, in.CollectionID, in.ParentDocumentID); err != nil {
					return movedDocument{}, err
				}
			}
			named := in.named(to)
			return movedDocument{nameOf(document.DocumentSummary), named.collectionID, named.parentID}, move(ctx, env, document, to, in.Index)
		}),
	}
}

type moveDocumentIn struct {
	documentIn
	targetIn
	Index *int `json:"index,omitempty" minimum:"0" jsonschema:"Final place among siblings; default last"`
}

// Validate requires a target or an index.
func (in moveDocumentIn) Validate() error {
	if in.nowhere() && in.Index == nil {
		return errors.New("give at least one of collection_id, parent_document_id and index: there is nowhere to move to")
	}
	return nil
}

// move moves a document to a place. index is its final position among the
// documents there; nil means last.
func move(ctx context.Context, env mcptool.Env, document outline.Document, to place, index *int) error {
	if to.collectionID == "" {
		return output.Invalid("the document %s is a draft outside the collections: name a collection_id to move it to", document.ID)
	}
	if to.parentID == document.ID {
		return output.Invalid("the document %s cannot be moved below itself", document.ID)
	}
	request := outline.MoveDocumentParams{ID: document.ID, CollectionID: to.collectionID, ParentDocumentID: to.parentID, Index: index, Before: &document.DocumentSummary}
	sameCollection := to.collectionID == document.CollectionID
	if sameCollection && (to.parentID != "" || index != nil) {
		tree, err := env.Outline.CollectionDocuments(ctx, to.collectionID)
		if err != nil {
			return err
		}
		if node := findNode(tree, document.ID); node != nil && to.parentID != "" && findNode(node.Children, to.parentID) != nil {
			return output.Invalid("the document %s cannot be moved below %s, which is below it already", document.ID, to.parentID)
		}
		isDocument := func(n outline.Node) bool { return n.ID == document.ID }
		if now := slices.IndexFunc(to.children(tree), isDocument); index != nil && now >= 0 && *index > now {
			// Outline counts positions before it removes the document from
			// its old one.
			request.Index = new(*index + 1)
		}
	}
	_, err := env.Outline.MoveDocument(ctx, request)
	return refused(ctx, env, document.ID, err)
}

type movedDocument struct {
	documentName
	NewCollectionID string `json:"new_collection_id,omitempty" format:"uuid"`
	NewParentID     string `json:"new_parent_id,omitempty" format:"uuid"`
}

func (d movedDocument) WriteText(t *output.Text) {
	t.Printf("Moved %s, document_id %s", titleOf(d.Title), d.DocumentID)
	t.If(d.NewCollectionID != "").Printf(", into collection_id %s", d.NewCollectionID)
	t.If(d.NewParentID != "").Printf(", below document_id %s", d.NewParentID)
	t.Line(".")
}
