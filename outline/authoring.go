package outline

import (
	"cmp"
	"context"
	"strings"

	"github.com/google/uuid"
)

// CreateDocumentParams describe a new document. Zero values are not sent.
type CreateDocumentParams struct {
	ID               string `json:"id,omitempty"`               // UUID of the new document; "" chooses a random one
	Title            string `json:"title,omitempty"`            // at most 100 characters; may be ""
	Text             string `json:"text,omitempty"`             // Markdown, at most 1,536,000 UTF-16 code units
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; "" is that of the parent or, for a draft, none
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; overrides CollectionID
	TemplateID       string `json:"templateId,omitempty"`       // UUID of a template for a title and text that are left out
	Icon             string `json:"icon,omitempty"`             // emoji or name of an icon
	Publish          bool   `json:"publish,omitempty"`          // needs a collection or a parent; false creates a draft
	Index            *int   `json:"index,omitempty"`            // position among its siblings, from 0; nil is the first
}

// CreateDocument creates a document and returns it with its tree
// (documents.create).
//
// The ID of an existing document fails with ErrInvalid ("id must be unique"), an
// unknown collection with ErrForbidden. Outline may raise the revision once more
// within a second after it has published the document.
//
// Because the client chooses the ID, a lost answer does no harm: the client looks
// for the document, and sends the same request again if it is not there.
func (c *Client) CreateDocument(ctx context.Context, d CreateDocumentParams) (Document, error) {
	d.ID = cmp.Or(d.ID, uuid.NewString())
	return c.changeState(ctx, "documents.create", d, d.ID, new(trees), func(DocumentSummary) bool { return true })
}

// MoveDocumentParams describe a move.
type MoveDocumentParams struct {
	ID               string `json:"id"`                         // UUID or URL id, as for Client.Document
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; required without a parent
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; "" moves to the top level of the collection
	Index            *int   `json:"index,omitempty"`            // position among its new siblings, from 0; nil is the last

	// Before is the document as it was just read. If it is nil, the outcome is
	// unknown after a lost answer.
	Before *DocumentSummary `json:"-"`
}

// MoveDocument moves a document with everything below it and returns it
// (documents.move). Within its present siblings, Outline counts Index with the
// document still in its place: from 0, Index 1 moves nothing.
//
// A move below itself fails with ErrInvalid, an unknown document or target with
// ErrForbidden.
func (c *Client) MoveDocument(ctx context.Context, m MoveDocumentParams) (Document, error) {
	type moved struct {
		Documents []fullDocument `json:"documents"`
	}
	return resolve(ctx, c, operation[Document]{
		send: func(ctx context.Context) (Document, error) {
			var document fullDocument
			_, err := fetch(ctx, c, changingAlone("documents.move", m), func(answer moved) string {
				// The document comes after everything that moved along with it.
				for _, d := range answer.Documents {
					if d.ID != "" && (strings.EqualFold(d.ID, m.ID) || d.URLID != "" && strings.HasSuffix(m.ID, d.URLID)) {
						document = d
						return d.incomplete()
					}
				}
				return "the moved document is not among the documents"
			})
			return document.document(err)
		},
		observe: func(ctx context.Context, _ loss) observation[Document] {
			now, err := c.Document(ctx, m.ID)
			if err == nil && (m.Before == nil || m.leadsTo(*m.Before) && now.Revision != m.Before.Revision) {
				// Its position among its siblings is not known. A move raises the
				// revision, but so do other changes.
				return observation[Document]{seen: seenUntold}
			}
			return observed(now, err == nil && !m.leadsTo(*m.Before) && m.leadsTo(now.DocumentSummary), err)
		},
	})
}

// leadsTo reports whether a document is where the move puts it, apart from its
// position among its siblings.
func (m MoveDocumentParams) leadsTo(d DocumentSummary) bool {
	return d.ParentDocumentID == m.ParentDocumentID && (m.CollectionID == "" || d.CollectionID == m.CollectionID)
}

// changeDocument calls a command that returns the changed document, with its tree
// if trees is not nil.
func (c *Client) changeDocument(ctx context.Context, endpoint string, params any, trees *trees) (Document, error) {
	return c.fetchDocument(ctx, changing(endpoint, params), trees)
}
