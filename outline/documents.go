package outline

import (
	"context"
	"iter"
	"time"
)

// DocumentSummary is a document without its text.
type DocumentSummary struct {
	ID               string     `json:"id"`               // UUID
	URLID            string     `json:"urlId"`            // e.g. 1FF9VyHA4X
	URL              string     `json:"url"`              // path on the instance, e.g. /doc/deploy-guide-1FF9VyHA4X; see Client.AbsoluteURL
	Title            string     `json:"title"`            // may be ""
	CollectionID     string     `json:"collectionId"`     // "": a draft in no collection
	ParentDocumentID string     `json:"parentDocumentId"` // "": at the top of its collection
	Icon             string     `json:"icon"`             // emoji or name of an icon; "": none
	Revision         int        `json:"revision"`         // grows with each change
	CreatedAt        time.Time  `json:"createdAt"`
	UpdatedAt        time.Time  `json:"updatedAt"`
	PublishedAt      *time.Time `json:"publishedAt"` // nil: a draft
	ArchivedAt       *time.Time `json:"archivedAt"`
	DeletedAt        *time.Time `json:"deletedAt"` // set while in the trash
}

// Status returns deleted (in the trash), archived, published or draft, the
// first of them that applies.
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

func (d DocumentSummary) flaw() string { return flawOf("the document", d.ID, d.URL) }

// Document is a document with its text as Markdown.
type Document struct {
	DocumentSummary
	Text string `json:"text"`
}

// fullDocument is Document as the API sends it. One without text must not pass
// for an empty document: somebody may write on it.
type fullDocument struct {
	DocumentSummary
	Text *string `json:"text"`
}

// flaw tells what a document lacks that every one has, "" when it is complete.
func (d fullDocument) flaw() string {
	if why := d.DocumentSummary.flaw(); why != "" || d.Text != nil {
		return why
	}
	return "the document has no Markdown text"
}

func (d fullDocument) document() Document {
	return Document{DocumentSummary: d.DocumentSummary, Text: *d.Text}
}

// byID are the arguments of endpoints that take nothing else. Outline accepts
// a UUID, a URL id or a slug in a field named id.
type byID struct {
	ID string `json:"id"`
}

// Document returns a document (documents.info). The id is a UUID or a URL id,
// which [ParseDocumentID] makes of other forms. A document in the trash is
// returned, too, with DeletedAt set.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	// Outline nests the document when asked for a newer version of the API,
	// as something between here and there may do (x-api-version). From
	// version 3 on there is no Markdown in it.
	type documentInfo struct {
		DocumentSummary
		Text   *string       `json:"text"`
		Nested *fullDocument `json:"document"`
	}
	const endpoint = "documents.info"
	a, err := query[documentInfo](ctx, c, endpoint, byID{id})
	if err != nil {
		return Document{}, err
	}
	d := fullDocument{a.Data.DocumentSummary, a.Data.Text}
	if nested := a.Data.Nested; nested != nil && d.ID == "" {
		d = *nested
	}
	if why := d.flaw(); why != "" {
		return Document{}, wrongShape(endpoint, why)
	}
	return d.document(), nil
}

// ExportDocument returns a document as CommonMark with its title as the first
// heading (documents.export). The id is as for [Client.Document].
func (c *Client) ExportDocument(ctx context.Context, id string) (string, error) {
	a, err := query[string](ctx, c, "documents.export", byID{id})
	if err != nil {
		return "", err
	}
	return *a.Data, nil
}

// Backlinks yields all documents that link to a document, given by its UUID
// (documents.list). Pages are fetched as the loop needs them. An error is
// yielded once and ends the loop. Outline notices a new link a moment after
// the document with it was saved.
func (c *Client) Backlinks(ctx context.Context, id string) iter.Seq2[DocumentSummary, error] {
	return pages(ctx, c, "documents.list", func(page ListParams) any {
		return struct {
			BacklinkDocumentID string `json:"backlinkDocumentId"`
			ListParams
		}{id, page}
	}, DocumentSummary.flaw)
}
