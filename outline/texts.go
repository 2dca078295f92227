package outline

import (
	"context"
	"time"
)

// DocumentTexts returns a page of the published documents that the caller can see,
// with their texts, oldest first (documents.list). A new document is the last one.
// The order of documents that were created in the same millisecond is up to
// Outline's database; no recording shows that it stays the same. collectionID is a
// UUID; with "" it lists the documents of all collections. A collection that is
// unknown or that the caller cannot see fails with ErrForbidden.
func (c *Client) DocumentTexts(ctx context.Context, collectionID string, p ListParams) (Page[Document], error) {
	return c.documentTexts(ctx, collectionID, "createdAt", "ASC", p)
}

// LastUpdate returns when a published document that the caller can see was last
// updated (documents.list). collectionID is as for [Client.DocumentTexts]. It
// returns the zero time if there are no documents.
func (c *Client) LastUpdate(ctx context.Context, collectionID string) (time.Time, error) {
	page, err := c.documentTexts(ctx, collectionID, "updatedAt", "DESC", ListParams{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return time.Time{}, err
	}
	return page.Items[0].UpdatedAt, nil
}

func (c *Client) documentTexts(ctx context.Context, collectionID, sort, direction string, p ListParams) (Page[Document], error) {
	page, err := countedOf(ctx, c, scanning("documents.list", sortedList{collectionID, sort, direction, p}), fullDocument.incomplete)
	if err != nil {
		return Page[Document]{}, err
	}
	documents := make([]Document, len(page.Items))
	for i, d := range page.Items {
		documents[i], _ = d.document(nil)
	}
	return Page[Document]{documents, page.Limit, page.Offset, page.Total}, nil
}
