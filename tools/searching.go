package tools

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
	"outline-mcp/tools/relevance"
)

// How the documents that a search found match its query.
const (
	matchAll     = "all"     // as Outline understands the query
	matchSome    = "some"    // they have some of its words
	matchSimilar = "similar" // they have words like its words
)

// findings is what a search found.
type findings struct {
	hits       []foundHit
	total      int
	match      string
	query      *relevance.Query
	incomplete bool // see outline.SearchPage
	searched   int
}

type foundHit struct {
	outline.SearchHit
	found
}

// broadPage is how many documents are asked for that have some of the words. Outline puts
// those first that have many of them; the best of these are chosen here.
const broadPage = 50

// search asks Outline for documents with all words. If there are none, it asks twice more,
// side by side, for documents with some of the words, or with words like them.
func search(ctx context.Context, env mcptool.Env, p outline.SearchParams) (findings, error) {
	f := findings{match: matchAll, query: relevance.Parse(p.Query)}
	exact := p
	exact.Query = relevance.Exact(p.Query)
	page, err := env.Outline.Search(ctx, exact)
	if err != nil {
		return f, err
	}
	f.total, f.incomplete, f.searched = page.Total, page.Incomplete, page.Searched
	for _, hit := range page.Items {
		f.hits = append(f.hits, foundHit{SearchHit: hit})
	}
	if f.total > 0 || f.incomplete {
		return f, nil
	}
	queries := f.query.Broader()
	pages := make([]outline.SearchPage, len(queries))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, query := range queries {
		broader := p
		broader.Query, broader.Limit, broader.Offset = query, broadPage, 0
		group.Go(func() (err error) {
			pages[i], err = env.Outline.Search(groupCtx, broader)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return f, err
	}
	f.rank(pages)
	first := min(p.Offset, len(f.hits))
	f.hits = f.hits[first:min(first+cmp.Or(p.Limit, 25), len(f.hits))]
	return f, nil
}

// rank puts the documents on pages in the order in which they answer the query.
func (f *findings) rank(pages []outline.SearchPage) {
	var hits []outline.SearchHit
	var judged []relevance.Page
	seen := make(map[string]bool)
	for _, page := range pages {
		f.incomplete, f.searched = f.incomplete || page.Incomplete, max(f.searched, page.Searched)
		for _, hit := range page.Items {
			if !seen[hit.Document.ID] {
				seen[hit.Document.ID] = true
				hits = append(hits, hit)
				judged = append(judged, relevance.Page{Title: hit.Document.Title, Text: hit.Document.Text})
			}
		}
	}
	ranked := f.query.Rank(judged)
	for _, r := range ranked {
		f.hits = append(f.hits, foundHit{hits[r.Index], found{append(r.Words, r.Like...)}})
	}
	if f.total = len(ranked); f.total > 0 {
		f.match = matchSimilar
		if n := len(ranked[0].Words); n > 0 && n < f.query.Len() {
			f.match = matchSome
		}
	}
}
