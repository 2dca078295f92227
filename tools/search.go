package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/search"
	"outline-mcp/views"
)

func searchDocuments() mcptool.Tool {
	return mcptool.Spec[searchIn, output.Result]{
		Name:        "search_documents",
		Title:       "Search documents",
		Description: "Finds pages of the company's Outline wiki (knowledge base, handbook, guides, policies, runbooks, notes, internal documentation) that answer a question or contain words, with the passage that matched.[ If you know the title, use read_document at once.]",
		Endpoints:   []string{"documents.search"},
		Effect:      mcptool.Reads,
		AlwaysLoad:  true,
		Shapes:      []output.Result{searchIDs{}, searchSummaries{}},
		View:        views.Finding,
		Run: func(ctx context.Context, env mcptool.Env, in searchIn) (output.Result, error) {
			env.Collections.Begin(ctx)
			params, who, err := in.params(ctx, env)
			if err != nil {
				return nil, err
			}
			found, err := searchFor(ctx, env, params)
			if err != nil {
				return nil, err
			}
			result := searchPage{Total: found.total, Query: in.Query, Match: found.match, asked: in}
			result.show(len(found.hits))
			documents := entriesOf(found.hits, func(hit foundHit) outline.DocumentSummary { return hit.Document.DocumentSummary })
			unlisted := notListed(ctx, env, params.CollectionID, documents...)
			switch {
			case found.incomplete:
				result.Note = fmt.Sprintf("this Outline cannot search by date: only the best %d matches were looked through, and total counts those of them that were updated then. Use more words", found.searched)
			case unlisted != "":
				result.Note = unlisted
			case found.total == 0 && who.ID != "" && who.Name == "":
				result.Note = notLookedUp
			}
			if in.DetailLevel == "ids" {
				ids := entriesOf(found.hits, func(hit foundHit) documentName { return nameOf(hit.Document.DocumentSummary) })
				return searchIDs{ids, "ids", result}, nil
			}
			where := pathsOf(ctx, env, documents)
			return searchSummaries{entriesOf(found.hits, func(hit foundHit) summaryHit {
				d := hit.Document
				summary := summaryHit{documentName: nameOf(d.DocumentSummary), found: hit.found, location: where.locate(d.DocumentSummary), UpdatedAt: d.UpdatedAt, Status: d.Status()}
				longest := longestSummary
				if in.DetailLevel == "full" {
					longest = longestPassage
					summary.Ranking, summary.URL = &hit.Ranking, env.Outline.AbsoluteURL(d.URL)
				}
				summary.Section, summary.Context = found.query.Passage(d.Text, longest)
				summary.Section = output.Excerpt(summary.Section, longestSection)
				return summary
			}), in.DetailLevel, result}, nil
		},
	}
}

type searchIn struct {
	Query        string `json:"query" maxLength:"1000" jsonschema:"A question or words; a | b finds either, word* longer words, \"a b\" a phrase; -word excludes"`
	CollectionID string `json:"collection_id,omitempty"`
	Below        string `json:"below,omitempty" names:"document" jsonschema:"Only this page and its subpages"`
	Collaborator string `json:"collaborator,omitempty" maxLength:"1000" jsonschema:"Name, e-mail or ID"`
	UpdatedAfter string `json:"updated_after,omitempty" jsonschema:"Date, or 7d, 3m, 1y ago"`
	paging
	DetailLevel  string   `json:"detail_level,omitempty" enum:"ids,summary,full" default:"summary" jsonschema:"full: longer passages and URLs"`
	StatusFilter []string `json:"status_filter,omitempty" enum:"draft,archived,published" jsonschema:"Default: published"`
}

// params returns the request, and the collaborator as far as known.
func (in searchIn) params(ctx context.Context, env mcptool.Env) (p outline.SearchParams, who outline.User, err error) {
	p = outline.SearchParams{Query: in.Query, StatusFilter: in.StatusFilter, Limit: in.Limit, Offset: in.Offset}
	if p.UpdatedAfter, err = optionalDate(env, "updated_after", in.UpdatedAfter); err != nil {
		return p, who, err
	}
	if p.CollectionID, err = optionalCollection(ctx, env, in.CollectionID); err != nil {
		return p, who, err
	}
	if p.Below, err = optionalDocument(ctx, env, in.Below); err != nil {
		return p, who, err
	}
	who, err = optionalPerson(ctx, env, in.Collaborator)
	p.CollaboratorID = who.ID
	return p, who, err
}

// searchPage holds what both forms of a search result have in common.
type searchPage struct {
	Total      int    `json:"total" jsonschema:"All matches"`
	Query      string `json:"query"`
	Match      string `json:"match" enum:"all,some,similar" jsonschema:"some, similar: no document has all words"`
	NextOffset int    `json:"next_offset,omitempty"`
	Note       string `json:"note,omitempty"`

	asked searchIn
	count int
}

func (p *searchPage) show(n int) {
	p.count = min(n, p.Total) // others may follow those with all words
	p.NextOffset = nextOffset(p.asked.Offset, p.count, p.Total)
}

// write writes the result. homes are the collections that the hits name.
func writeSearch[Hit entry](t *output.Text, p searchPage, hits []Hit, columns string, homes []home) {
	head := "Each line: title, document_id" + columns
	words := ""
	if columns != "" {
		words = "; words"
	}
	switch p.Match {
	case matchSome:
		head = "No page has all words. These have some:\n" + head + words
	case matchSimilar:
		head = "No page has the words as written. These have similar ones:\n" + head + words
	}
	writeList(t, output.Count(p.Total, "document", "documents")+" for "+output.Quote(p.Query)+rangeShown(p.asked.Offset, p.count, p.Total), head, hits[:p.count])
	if others := hits[p.count:]; len(others) > 0 {
		t.Line("These have only some of the words%s:", words)
		writeEntries(t, others)
	}
	switch {
	case p.Total == 0:
		t.Advice("Nothing found, not even some of the words or similar ones: try synonyms, another language%s[; find_in_documents also looks inside URLs].",
			map[bool]string{true: " or status_filter with draft and archived"}[len(p.asked.StatusFilter) == 0])
	case p.count == 0:
		writePastTheEnd(t, p.asked.Offset, p.Total)
	}
	writeNotes(t, p.Note)
	writeHomes(t, homes)
	writeNextOffset(t, p.NextOffset)
}

type searchIDs struct {
	Results     []documentName `json:"results"`
	DetailLevel string         `json:"detail_level" const:"ids"`
	searchPage
}

func (r searchIDs) WriteText(t *output.Text) { writeSearch(t, r.searchPage, r.Results, "", nil) }

func (r *searchIDs) Cuts() []output.Cut { return cutEntries(&r.Results, r.show) }

type searchSummaries struct {
	Results     []summaryHit `json:"results"`
	DetailLevel string       `json:"detail_level" enum:"summary,full"`
	searchPage
}

func (r searchSummaries) WriteText(t *output.Text) {
	columns := " in collection, updated: passage"
	if r.DetailLevel == "full" {
		columns = " in collection, updated, status, URL: passage"
	}
	writeSearch(t, r.searchPage, withoutPaths(r.Results), columns, entriesOf(r.Results, func(h summaryHit) home { return h.home }))
}

// withoutPaths leaves the documents above out of the text of hits whose titles tell them
// apart: those of several words that no other hit has.
func withoutPaths(hits []summaryHit) []summaryHit {
	titles := map[string]int{}
	for _, h := range hits {
		titles[strings.ToLower(h.Title)]++
	}
	hits = slices.Clone(hits)
	for i, h := range hits {
		if titles[strings.ToLower(h.Title)] == 1 && strings.Contains(h.Title, " ") {
			hits[i].above = nil
		}
	}
	return hits
}

func (r *searchSummaries) Cuts() []output.Cut { return cutEntries(&r.Results, r.show) }

// found are the words of the query that a document has, and its words like those, if it
// does not have all.
type found struct {
	Words []string `json:"words,omitempty" jsonschema:"Words that it has, if not all"`
}

func (f found) write(t *output.Text) {
	t.If(len(f.Words) > 0).Printf("; %s", output.OneLine(strings.Join(f.Words, ", ")))
}

type summaryHit struct {
	documentName
	Context string `json:"context"`
	Section string `json:"section,omitempty" jsonschema:"Heading above context"`
	found
	location
	Ranking   *float64  `json:"ranking,omitempty"`
	URL       string    `json:"url,omitempty" format:"uri"`
	UpdatedAt time.Time `json:"updated_at"`
	Status    string    `json:"status" enum:"draft,published,archived,deleted"`
}

func (h summaryHit) write(t *output.Text) {
	t.Printf("%s%s, %s", h.documentName, h.inShort(), day(h.UpdatedAt))
	t.If(h.Status != "published" || h.URL != "").Printf(", %s", h.Status)
	t.If(h.URL != "").Printf(", %s", h.URL)
	if passage := output.OneLine(h.Context); passage != "" {
		t.Printf(": ")
		t.If(h.Section != "").Printf("under %s: ", output.Quote(h.Section))
		t.Printf("%s", passage)
	}
	h.found.write(t)
}

const (
	// longestPassage is the maximum length of a passage in an answer, in
	// characters. It keeps a single one from filling the answer.
	longestPassage = 1000
	// longestSummary is that of a passage in a summary: with 25 hits, passages are
	// most of the answer.
	longestSummary = 120
	longestSection = 60 // of a heading
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
	query      *search.Query
	incomplete bool // see outline.SearchPage
	searched   int
}

type foundHit struct {
	outline.SearchHit
	found
}

const (
	// broadPage is how many documents are asked for that have some of the words. Outline
	// puts those first that have many of them; the best of these are chosen here.
	broadPage = 50
	// fewHits is how many documents with all words are so few that others may answer better.
	fewHits = 3
	// mostOthers is how many documents with most of the words follow those with all.
	mostOthers = 4
	// someByDefault is how many documents with some of the words are shown at a time,
	// unless limit is given and is not its default; someAtMost then.
	someByDefault, someAtMost = 5, 10
	limitByDefault            = 25
)

// searchFor asks Outline for documents with all words. If there are few or none, it asks
// for documents with some of the words.
func searchFor(ctx context.Context, env mcptool.Env, p outline.SearchParams) (findings, error) {
	f := findings{match: matchAll, query: search.Parse(p.Query)}
	exact := p
	exact.Query = search.Exact(p.Query)
	page, err := env.Outline.Search(ctx, exact)
	if err != nil {
		return f, err
	}
	f.total, f.incomplete, f.searched = page.Total, page.Incomplete, page.Searched
	for _, hit := range page.Items {
		f.hits = append(f.hits, foundHit{SearchHit: hit})
	}
	all := f.hits
	if f.total > fewHits || f.incomplete || f.total > 0 && (len(all) < f.total || !f.query.Open()) {
		return f, nil
	}
	some, err := f.broaden(ctx, env, p)
	switch {
	case err != nil && len(all) > 0:
		return f, nil // the documents with all words are an answer
	case err != nil:
		return f, err
	}
	if len(all) > 0 {
		f.hits = append(all, f.others(some, cmp.Or(p.Limit, fewHits+mostOthers)-len(all))...)
		return f, nil
	}
	f.hits, f.total = some, len(some)
	if f.total > 0 {
		f.match = matchSimilar
		if n := len(some[0].Words); n > 0 && n < f.query.Len() {
			f.match = matchSome
		}
	}
	limit := min(p.Limit, someAtMost)
	if p.Limit == 0 || p.Limit == limitByDefault {
		limit = someByDefault
	}
	first := min(p.Offset, len(f.hits))
	f.hits = f.hits[first:min(first+limit, len(f.hits))]
	return f, nil
}

// broaden returns the documents with some of the words, in the order in which they answer
// the query. If words may be mistyped, it asks for more with the second query.
func (f *findings) broaden(ctx context.Context, env mcptool.Env, p outline.SearchParams) (ranked []foundHit, err error) {
	var pages []outline.SearchPage
	for _, query := range f.query.Broader() {
		p.Query, p.Limit, p.Offset = query, broadPage, 0
		page, err := env.Outline.Search(ctx, p)
		switch {
		case err != nil && len(ranked) > 0:
			return ranked, nil // they are an answer
		case err != nil:
			return nil, err
		}
		pages = append(pages, page)
		var doubtful bool
		if ranked, doubtful = f.rank(pages); !doubtful {
			break
		}
	}
	return ranked, nil
}

// others returns the best of the ranked documents beside those with all words: at most
// limit.
func (f *findings) others(ranked []foundHit, limit int) []foundHit {
	others := slices.DeleteFunc(ranked, func(hit foundHit) bool {
		return len(hit.Words) == 0 || slices.ContainsFunc(f.hits, func(h foundHit) bool { return h.Document.ID == hit.Document.ID })
	})
	return others[:max(0, min(limit, mostOthers, len(others)))]
}

// rank returns the documents on pages in the order in which they answer the query; doubtful is
// as for [search.Query.Rank].
func (f *findings) rank(pages []outline.SearchPage) (ranked []foundHit, doubtful bool) {
	var hits []outline.SearchHit
	var judged []search.Page
	seen := make(map[string]bool)
	for _, page := range pages {
		f.incomplete, f.searched = f.incomplete || page.Incomplete, max(f.searched, page.Searched)
		for _, hit := range page.Items {
			if !seen[hit.Document.ID] {
				seen[hit.Document.ID] = true
				hits = append(hits, hit)
				judged = append(judged, search.Page{Title: hit.Document.Title, Text: hit.Document.Text})
			}
		}
	}
	order, doubtful := f.query.Rank(judged)
	for _, r := range order {
		ranked = append(ranked, foundHit{hits[r.Index], found{append(r.Words, r.Like...)}})
	}
	return ranked, doubtful
}
