package tools

import (
	"context"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func searchTools() []mcptool.Tool {
	return []mcptool.Tool{searchDocuments()}
}

func searchDocuments() mcptool.Tool {
	return mcptool.Spec[searchIn, output.Result]{
		Name:  "search_documents",
		Title: "Search documents",
		Description: "Full-text search: documents with the passage that matched. " +
			"If you know the title use get_document_id_from_title.",
		Group:     Search,
		Endpoints: []string{"documents.search"},
		Effect:    mcptool.Reads,
		Shapes:    []output.Result{searchIDs{}, searchSummaries{}},
		Run: func(ctx context.Context, env mcptool.Env, in searchIn) (output.Result, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return nil, err
			}
			page, err := env.Outline.Search(ctx, outline.SearchParams{
				Query: in.Query, CollectionID: collection, StatusFilter: in.StatusFilter, Limit: in.Limit, Offset: in.Offset,
			})
			if err != nil {
				return nil, err
			}
			head := searchHead{Total: page.Total, Query: in.Query, offset: in.Offset, shown: len(page.Items)}
			head.next()
			if len(in.StatusFilter) == 0 {
				head.elsewhere = ", or status_filter with draft and archived"
			}
			if in.DetailLevel == "ids" {
				return searchIDs{Results: idHits(page.Items), DetailLevel: "ids", searchHead: head}, nil
			}
			head.columns = " in collection_id: passage"
			if in.DetailLevel == "full" {
				head.columns = " in collection_id (status, updated_at, ranking, url): passage"
			}
			return searchSummaries{Results: summaryHits(env, page.Items, in.DetailLevel == "full"), DetailLevel: in.DetailLevel, searchHead: head}, nil
		},
	}
}

type searchIn struct {
	Query        string   `json:"query" maxLength:"1000" jsonschema:"Words, or a phrase in double quotes"`
	CollectionID string   `json:"collection_id,omitempty" jsonschema:"Only in this collection"`
	Limit        int      `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset       int      `json:"offset,omitempty" minimum:"0"`
	DetailLevel  string   `json:"detail_level,omitempty" enum:"ids,summary,full" default:"summary" jsonschema:"full adds ranking, url, updated_at, status"`
	StatusFilter []string `json:"status_filter,omitempty" enum:"draft,archived,published" jsonschema:"Default: published"`
}

// searchHead is what both shapes of a search result have beside the results.
type searchHead struct {
	Total      int    `json:"total" jsonschema:"All matches"`
	Query      string `json:"query"`
	NextOffset int    `json:"next_offset,omitempty"`

	offset, shown int
	columns       string // what a line shows after the document_id
	elsewhere     string // where else to look
}

func (h *searchHead) next() {
	h.NextOffset = nextOffset(h.offset, h.shown, h.Total)
}

func (h searchHead) cut(n int) searchHead {
	h.shown = n
	h.next()
	return h
}

func (h searchHead) write(t *output.Text) {
	t.Line("# %s for %s%s", output.Count(h.Total, "document", "documents"), output.Quote(h.Query), shown(h.offset, h.shown, h.Total))
	if h.shown > 0 {
		t.Line("Each line: title, document_id%s", h.columns)
	}
	t.Blank()
}

func (h searchHead) writeNext(t *output.Text) {
	switch {
	case h.Total == 0:
		t.Line("Nothing found: try fewer or other words%s.", h.elsewhere)
	case h.shown == 0 && h.offset >= h.Total:
		t.Line("The offset is past the last result.")
	}
	writeNextOffset(t, h.NextOffset)
}

type idHit struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
}

type searchIDs struct {
	Results     []idHit `json:"results"`
	DetailLevel string  `json:"detail_level" const:"ids"`
	searchHead
}

func idHits(hits []outline.SearchHit) []idHit {
	results := make([]idHit, 0, len(hits))
	for _, hit := range hits {
		results = append(results, idHit{hit.Document.ID, hit.Document.Title})
	}
	return results
}

func (r searchIDs) WriteText(t *output.Text) {
	r.write(t)
	for _, hit := range r.Results {
		t.Line("- %s %s", titleOf(hit.Title), hit.DocumentID)
	}
	r.writeNext(t)
}

func (r searchIDs) Units() int { return len(r.Results) }

func (r searchIDs) Cut(n int) output.Result {
	r.Results, r.searchHead = r.Results[:n], r.cut(n)
	return r
}

type summaryHit struct {
	DocumentID   string     `json:"document_id" format:"uuid"`
	Title        string     `json:"title"`
	Context      string     `json:"context" jsonschema:"The passage that matched"`
	CollectionID string     `json:"collection_id,omitempty" format:"uuid" jsonschema:"Absent for some drafts"`
	Ranking      *float64   `json:"ranking,omitempty"`
	URL          string     `json:"url,omitempty" format:"uri"`
	UpdatedAt    *time.Time `json:"updated_at,omitempty"`
	Status       string     `json:"status,omitempty" enum:"draft,published,archived,deleted"`
}

type searchSummaries struct {
	Results     []summaryHit `json:"results"`
	DetailLevel string       `json:"detail_level" enum:"summary,full"`
	searchHead
}

func summaryHits(env mcptool.Env, hits []outline.SearchHit, full bool) []summaryHit {
	results := make([]summaryHit, 0, len(hits))
	for _, hit := range hits {
		d := hit.Document
		result := summaryHit{DocumentID: d.ID, Title: d.Title, Context: withoutMarks(hit.Context), CollectionID: d.CollectionID}
		if full {
			result.Ranking, result.URL = &hit.Ranking, env.Outline.AbsoluteURL(d.URL)
			result.UpdatedAt, result.Status = &d.UpdatedAt, d.Status()
		}
		results = append(results, result)
	}
	return results
}

// longestPassage is the most characters of a passage that an answer shows:
// Outline's are shorter, and one must not fill an answer alone.
const longestPassage = 1000

// withoutMarks removes the <b> marks that Outline sets around the words found.
func withoutMarks(context string) string {
	context = strings.NewReplacer("<b>", "", "</b>", "").Replace(context)
	if end := byteOf(context, longestPassage); end < len(context) {
		return context[:end] + "…"
	}
	return context
}

func (r searchSummaries) WriteText(t *output.Text) {
	r.write(t)
	for _, hit := range r.Results {
		t.Printf("- %s %s", titleOf(hit.Title), hit.DocumentID)
		if hit.CollectionID != "" {
			t.Printf(" in %s", hit.CollectionID)
		}
		if hit.UpdatedAt != nil {
			t.Printf(" (%s, updated %s, ranking %v, %s)", hit.Status, stamp(*hit.UpdatedAt), *hit.Ranking, hit.URL)
		}
		if passage := output.OneLine(hit.Context); passage != "" {
			t.Printf(": %s", passage)
		}
		t.Blank()
	}
	r.writeNext(t)
}

func (r searchSummaries) Units() int { return len(r.Results) }

func (r searchSummaries) Cut(n int) output.Result {
	r.Results, r.searchHead = r.Results[:n], r.cut(n)
	return r
}
