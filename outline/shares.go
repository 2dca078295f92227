package outline

import (
	"cmp"
	"context"
)

// A Share makes a document public.
type Share struct {
	ID         string `json:"id"`  // UUID
	URL        string `json:"url"` // that anybody can open while the share is published
	DocumentID string `json:"documentId"`
	Published  bool   `json:"published"`
}

// sharesInfo answers without content if nothing is shared.
const sharesInfo = "shares.info"

// noShares is the answer in its stead.
const noShares = `{"ok":true,"data":{"shares":[]}}`

// Shares returns the share of a document, given by its UUID, and the one through which it
// is public with a document above it, as far as there are any (shares.info).
func (c *Client) Shares(ctx context.Context, documentID string) ([]Share, error) {
	type shares struct {
		Shares []Share `json:"shares"`
	}
	found, err := query(ctx, c, sharesInfo, map[string]string{"documentId": documentID}, func(s shares) string {
		return incompleteAmong(s.Shares, func(s Share) string { return incompletePage("the share", s.ID, s.URL) })
	})
	return found.Shares, err
}

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
