package outline

import (
	"context"
	"iter"
	"time"
)

// A DocumentSummary is a document without its text.
type DocumentSummary struct {
	ID               string     `json:"id"`               // UUID
	URLID            string     `json:"urlId"`            // e.g. 1FF9VyHA4X
	URL              string     `json:"url"`              // path on the instance, e.g. /doc/deploy-guide-1FF9VyHA4X; see Client.AbsoluteURL
	Title            string     `json:"title"`            // may be ""
	CollectionID     string     `json:"collectionId"`     // UUID; "" for a draft outside of collections
	ParentDocumentID string     `json:"parentDocumentId"` // UUID; "" at the top level of a collection
	Icon             string     `json:"icon"`             // emoji or name of an icon; "" for none
	Revision         int        `json:"revision"`         // increases with each change
	CreatedAt        time.Time  `json:"createdAt"`
	UpdatedAt        time.Time  `json:"updatedAt"`
	PublishedAt      *time.Time `json:"publishedAt"` // nil for a draft
	ArchivedAt       *time.Time `json:"archivedAt"`
	DeletedAt        *time.Time `json:"deletedAt"` // set while it is in the trash
}

// Status returns the first of deleted (in the trash), archived, published and
// draft that applies.
func (d DocumentSummary) Status() string {
	switch {
	case d.DeletedAt != nil:
		return "deleted"
	case d.ArchivedAt != nil:
		return "archived"
	case d.PublishedAt != nil:
		return "published"
	}
	return "draft"
}

func (d DocumentSummary) incomplete() string { return incompletePage("the document", d.ID, d.URL) }

// A Document is a document with its text in Markdown.
type Document struct {
	DocumentSummary
	Text string `json:"text"`
}

// fullDocument is Document as the API sends it. One without text must not be
// taken for an empty document: somebody may overwrite it.
type fullDocument struct {
	DocumentSummary
	Text *string `json:"text"`
}

// incomplete returns what is missing from a document, or "".
func (d fullDocument) incomplete() string {
	if why := d.DocumentSummary.incomplete(); why != "" || d.Text != nil {
		return why
	}
	return "the document has no Markdown text"
}

// document returns the document that a call has returned with err.
func (d fullDocument) document(err error) (Document, error) {
	if err != nil {
		return Document{}, err
	}
	return Document{DocumentSummary: d.DocumentSummary, Text: *d.Text}, nil
}

// byID is the request of endpoints that take only an id. Outline accepts a UUID,
// a URL id or a slug there.
type byID struct {
	ID string `json:"id"`
}

// Document returns a document (documents.info). The id is a UUID or a URL id, as
// [ParseDocumentID] returns it. A document in the trash has DeletedAt set.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	// Outline nests the document if a newer version of the API is requested
	// (x-api-version), as a proxy may do. From version 3 on it has no Markdown.
	type documentInfo struct {
		DocumentSummary
		Text   *string       `json:"text"`
		Nested *fullDocument `json:"document"`
	}
	var d fullDocument
	_, err := query(ctx, c, "documents.info", byID{id}, func(info documentInfo) string {
		d = fullDocument{info.DocumentSummary, info.Text}
		if info.Nested != nil && d.ID == "" {
			d = *info.Nested
		}
		return d.incomplete()
	})
	return d.document(err)
}

// ExportDocument returns a document as CommonMark with its title as the first
// heading (documents.export). The id is as for [Client.Document].
func (c *Client) ExportDocument(ctx context.Context, id string) (string, error) {
	return query[string](ctx, c, "documents.export", byID{id}, nil)
}

// Backlinks yields all documents that link to a document, given by its UUID
// (documents.list). Pages are fetched as the loop needs them. An error is yielded
// once and ends the loop. Outline knows a new link a moment after the document
// that contains it was saved.
func (c *Client) Backlinks(ctx context.Context, id string) iter.Seq2[DocumentSummary, error] {
	return pages(ctx, c, "documents.list", func(page ListParams) any {
		return struct {
			BacklinkDocumentID string `json:"backlinkDocumentId"`
			ListParams
		}{id, page}
	}, DocumentSummary.incomplete)
}
