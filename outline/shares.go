package outline

import (
	"cmp"
	"context"
)

// SharedDocument returns the ID of the document that a public share is of
// (documents.info). The id of the share is its UUID or the name in its address.
func (c *Client) SharedDocument(ctx context.Context, shareID string) (string, error) {
	type identified struct {
		ID string `json:"id"`
	}
	type shared struct {
		identified
		Document identified `json:"document"`
	}
	found, err := query(ctx, c, "documents.info", map[string]string{"shareId": shareID}, func(s shared) string {
		return incompleteID("the document", cmp.Or(s.Document.ID, s.ID))
	})
	return cmp.Or(found.Document.ID, found.ID), err
}
