package outline

import (
	"context"
	"iter"
)

// SearchParams describe a search.
type SearchParams struct {
	Query        string   `json:"query,omitempty"`        // words or a phrase; with "", Search lists documents without ranking and context
	CollectionID string   `json:"collectionId,omitempty"` // UUID (see Client.ResolveCollectionID); "" for all collections
	StatusFilter []string `json:"statusFilter"`           // any of draft, archived, published; the default is published
	Limit        int      `json:"limit,omitempty"`        // 1–100; 0 is Outline's default, 25
	Offset       int      `json:"offset,omitempty"`       // of the first hit, 0 or more
}

// page returns the parameters for a page. Without a status filter Outline would
// return drafts and archived documents as well.
func (p SearchParams) page(page ListParams) SearchParams {
	if len(p.StatusFilter) == 0 {
		p.StatusFilter = []string{"published"}
	}
	p.Limit, p.Offset = page.Limit, page.Offset
	return p
}

// A SearchHit is a result of a search.
type SearchHit struct {
	Ranking  float64         `json:"ranking"`
	Context  string          `json:"context"` // text around the match, as sent: with <b> around the words and line breaks
	Document DocumentSummary `json:"document"`
}

// Search returns a page of the documents whose title or text match, best first
// (documents.search).
func (c *Client) Search(ctx context.Context, p SearchParams) (Page[SearchHit], error) {
	return counted(ctx, c, "documents.search", p.page(ListParams{p.Limit, p.Offset}),
		func(hit SearchHit) string { return hit.Document.incomplete() })
}

// SearchTitles yields all documents whose title matches
// (documents.search_titles). Pages are fetched as the loop needs them; Limit and
// Offset are ignored. An error is yielded once and ends the loop.
func (c *Client) SearchTitles(ctx context.Context, p SearchParams) iter.Seq2[DocumentSummary, error] {
	return pages(ctx, c, "documents.search_titles", func(page ListParams) any { return p.page(page) },
		DocumentSummary.incomplete)
}
