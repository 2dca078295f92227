package outline

import (
	"context"
	"encoding/json"
	"strings"
)

// A ListedDocument is a document of a list, with the length of its text.
type ListedDocument struct {
	DocumentSummary
	TextBytes int // of the Markdown text without line breaks at its end, in UTF-8; 0 if the server does not send texts in lists
}

// UnmarshalJSON implements json.Unmarshaler. The text itself is not kept.
func (d *ListedDocument) UnmarshalJSON(data []byte) error {
	var text struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &d.DocumentSummary); err != nil {
		return err
	}
	err := json.Unmarshal(data, &text)
	d.TextBytes = len(strings.TrimRight(text.Text, "\n"))
	return err
}

// favorites is the answer to stars.list and pins.list. Documents are those of
// the stars or pins that the caller sees in lists, in any order.
type favorites struct {
	Stars     []favorite       `json:"stars"`
	Pins      []favorite       `json:"pins"`
	Documents []ListedDocument `json:"documents"`
}

type favorite struct {
	DocumentID string `json:"documentId"` // "" for the star of a collection
}

// RecentDocuments returns the published documents that were changed last, at most
// limit (1–100) of them, the latest first (documents.list).
func (c *Client) RecentDocuments(ctx context.Context, limit int) ([]ListedDocument, error) {
	page, err := list(ctx, c, "documents.list", listRequest{Sort: "updatedAt", Direction: direction(false), ListParams: ListParams{Limit: limit}}, ListedDocument.incomplete)
	return page.Items, err
}

// StarredDocuments returns the documents that the caller has starred, in the order
// of the sidebar, at most 100 (stars.list). Those that the caller no longer sees in
// lists are left out.
func (c *Client) StarredDocuments(ctx context.Context) ([]ListedDocument, error) {
	return c.favorites(ctx, "stars.list")
}

// PinnedDocuments returns the documents that are pinned to the home page, in their
// order, at most 100 (pins.list). Those that the caller does not see in lists are
// left out.
func (c *Client) PinnedDocuments(ctx context.Context) ([]ListedDocument, error) {
	return c.favorites(ctx, "pins.list")
}

func (c *Client) favorites(ctx context.Context, endpoint string) ([]ListedDocument, error) {
	found, err := fetch(ctx, c, listing(endpoint, ListParams{Limit: maxPage}), func(f favorites) string { return incompleteAmong(f.Documents, ListedDocument.incomplete) })
	if err != nil {
		return nil, err
	}
	byID := map[string]ListedDocument{}
	for _, d := range found.Documents {
		byID[d.ID] = d
	}
	var documents []ListedDocument
	for _, f := range append(found.Stars, found.Pins...) {
		if d, ok := byID[f.DocumentID]; ok {
			documents = append(documents, d)
		}
	}
	return documents, nil
}
