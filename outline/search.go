package outline

import (
	"context"
	"iter"
)

// SearchParams describe a search.
type SearchParams struct {
	Query        string   // words or a phrase; with "", Search lists documents without ranking and context
	CollectionID string   // UUID (see Client.ResolveCollectionID); "" for all collections
	StatusFilter []string // any of draft, archived, published; the default is published
	Limit        int      // 1–100; 0 is Outline's default, 25
	Offset       int      // of the first hit, 0 or more
}

// searchRequest is SearchParams as documents.search and
// documents.search_titles take them.
type searchRequest struct {
	Query        string   `json:"query,omitempty"`
	CollectionID string   `json:"collectionId,omitempty"`
	StatusFilter []string `json:"statusFilter"`
	ListParams
}

// request completes the parameters for one page. Without a status filter
// Outline would return drafts and archived documents as well.
func (p SearchParams) request(page ListParams) searchRequest {
	if len(p.StatusFilter) == 0 {
		p.StatusFilter = []string{"published"}
	}
	return searchRequest{p.Query, p.CollectionID, p.StatusFilter, page}
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
	return counted(ctx, c, "documents.search", p.request(ListParams{Limit: p.Limit, Offset: p.Offset}),
		func(hit SearchHit) string { return hit.Document.incomplete() })
}

// SearchTitles yields all documents whose title matches
// (documents.search_titles). Pages are fetched as the loop needs them; Limit and
// Offset are ignored. An error is yielded once and ends the loop.
func (c *Client) SearchTitles(ctx context.Context, p SearchParams) iter.Seq2[DocumentSummary, error] {
	return pages(ctx, c, "documents.search_titles", func(page ListParams) any { return p.request(page) },
		DocumentSummary.incomplete)
}
