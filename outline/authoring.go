package outline

import (
	"context"
	"encoding/json"
	"strings"
)

// CreateDocument says what document to create. What is left at its zero value
// is not sent.
type CreateDocument struct {
	ID               string `json:"id,omitempty"`               // UUID that the caller chooses; "": Outline chooses one
	Title            string `json:"title,omitempty"`            // at most 100 characters; may be ""
	Text             string `json:"text,omitempty"`             // Markdown, at most 1,536,000 UTF-16 code units
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; "": the parent's, or for a draft none
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; it decides the collection, whatever CollectionID says
	TemplateID       string `json:"templateId,omitempty"`       // UUID of a template, which gives the title and text that are left out
	Icon             string `json:"icon,omitempty"`             // emoji or name of an icon
	Publish          bool   `json:"publish,omitempty"`          // needs a collection or a parent; false: a draft
	Index            *int   `json:"index,omitempty"`            // place among its siblings, from 0; nil: the first
}

// CreateDocument creates a document and returns it (documents.create).
//
// The ID of a document that exists makes it fail with ErrInvalid ("id must be
// unique"), an unknown collection with ErrForbidden. Outline may raise the
// revision once more within a second after it has published the document.
func (c *Client) CreateDocument(ctx context.Context, d CreateDocument) (Document, error) {
	return c.changeDocument(ctx, "documents.create", d)
}

// UpdateDocument says what to change in a document. Only what is set is sent.
type UpdateDocument struct {
	ID           string  `json:"id"`                     // UUID or URL id, as for Client.Document
	Title        *string `json:"title,omitempty"`        // at most 100 characters
	Text         *string `json:"text,omitempty"`         // Markdown; EditMode says what becomes of it
	Icon         *string `json:"-"`                      // emoji or name of an icon; a pointer to "" removes it
	EditMode     string  `json:"editMode,omitempty"`     // replace, append, prepend or patch; "": replace
	FindText     string  `json:"findText,omitempty"`     // for patch: what Text takes the place of
	LastRevision *int    `json:"lastRevision,omitempty"` // refuse unless the document has this revision; older servers ignore it
	Publish      *bool   `json:"publish,omitempty"`
	CollectionID string  `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection
}

// UpdateDocument changes a document and returns it as it is then
// (documents.update).
//
// Outline appends and prepends inline: begin an appended text with an empty
// line to start a paragraph. Patch replaces the first occurrence of FindText
// in Outline's own Markdown of the document, case-sensitively, and leaves
// alone what Markdown cannot express, such as the anchors of comments; where
// it does not occur, the failure is ErrTextNotFound. A server that does not
// know edit modes yet would replace the whole text.
//
// A stale LastRevision fails with ErrConflict, an unknown, archived or deleted
// document with ErrForbidden.
func (c *Client) UpdateDocument(ctx context.Context, u UpdateDocument) (Document, error) {
	request := struct {
		UpdateDocument
		Icon any `json:"icon,omitempty"`
	}{UpdateDocument: u}
	switch {
	case u.Icon == nil:
	case *u.Icon == "":
		request.Icon = json.RawMessage("null") // Outline refuses ""
	default:
		request.Icon = *u.Icon
	}
	document, err := c.changeDocument(ctx, "documents.update", request)
	if u.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

// MoveDocument says where to move a document.
type MoveDocument struct {
	ID               string `json:"id"`                         // UUID or URL id, as for Client.Document
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; needed unless there is a parent
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; "": to the top level of the collection
	Index            *int   `json:"index,omitempty"`            // place among its new siblings, from 0; nil: the last
}

// MoveDocument moves a document with everything below it and returns it
// (documents.move). Among the siblings it already has, Outline counts Index
// before it takes the document out: from 0 with 1 nothing moves.
//
// A move below itself fails with ErrInvalid, an unknown document or target
// with ErrForbidden.
func (c *Client) MoveDocument(ctx context.Context, m MoveDocument) (Document, error) {
	type moved struct {
		Documents []fullDocument `json:"documents"`
	}
	find := func(answer moved) (fullDocument, bool) {
		// The document comes after everything that moved along with it.
		for _, d := range answer.Documents {
			if d.ID != "" && (strings.EqualFold(d.ID, m.ID) || d.URLID != "" && strings.HasSuffix(m.ID, d.URLID)) {
				return d, true
			}
		}
		return fullDocument{}, false
	}
	answer, err := command(ctx, c, "documents.move", m, func(answer moved) string {
		document, found := find(answer)
		if !found {
			return "the moved document is not among the documents"
		}
		return document.flaw()
	})
	if err != nil {
		return Document{}, err
	}
	document, _ := find(answer)
	return document.document(), nil
}

// changeDocument calls a command that answers with the document it changed.
func (c *Client) changeDocument(ctx context.Context, endpoint string, params any) (Document, error) {
	d, err := command(ctx, c, endpoint, params, fullDocument.flaw)
	if err != nil {
		return Document{}, err
	}
	return d.document(), nil
}
