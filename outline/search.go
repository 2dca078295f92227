package outline

import (
	"context"
	"iter"
)

// SearchParams say what to search for.
type SearchParams struct {
	Query        string   // words or phrase; for Search "" lists documents without ranking and context
	CollectionID string   // UUID (see Client.ResolveCollectionID); "": all collections
	StatusFilter []string // any of draft, archived, published; empty: published
	Limit        int      // 1–100; 0: Outline's default, 25
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

// SearchHit is one result of a search.
type SearchHit struct {
	Ranking  float64         `json:"ranking"`
	Context  string          `json:"context"` // as sent: with <b> around what was found, and line breaks
	Document DocumentSummary `json:"document"`
}

// Search returns a page of the documents whose title or text match
// (documents.search), best first.
func (c *Client) Search(ctx context.Context, p SearchParams) (Page[SearchHit], error) {
	return counted(ctx, c, "documents.search", p.request(ListParams{Limit: p.Limit, Offset: p.Offset}),
		func(hit SearchHit) string { return hit.Document.flaw() })
}

// SearchTitles yields all documents whose title matches
// (documents.search_titles). Pages are fetched as the loop needs them; Limit
// and Offset do not matter. An error is yielded once and ends the loop.
func (c *Client) SearchTitles(ctx context.Context, p SearchParams) iter.Seq2[DocumentSummary, error] {
	return pages(ctx, c, "documents.search_titles", func(page ListParams) any { return p.request(page) },
		DocumentSummary.flaw)
}
