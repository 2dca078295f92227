package workspace

import (
	"cmp"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/search"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// searchFilters lists the deprecated parameters that restrict a search.
const searchFilters = "collectionId, userId, documentId, dateFilter, or statusFilter"

// documentsSearch implements documents.search. Without a query it lists
// documents; a blank query finds none. By default it includes drafts and
// archived documents.
func (s *store) documentsSearch(r *request) (api.Answer, error) {
	text := r.Fields.String("query")
	minWords := r.Fields.Int("snippetMinWords", search.DefaultSnippetMin)
	maxWords := r.Fields.Int("snippetMaxWords", search.DefaultSnippetMax)
	order := readSearchOrder(&r.Fields)
	f := s.filter(&r.Fields, searchFilters)
	if err := s.maySearch(r, f); err != nil {
		return api.Answer{}, err
	}

	var found []result
	q := search.ParseQuery(text)
	for _, d := range s.documents {
		if !f.accepts(d) || !s.finds(d, r.caller) {
			continue
		}
		if !r.Fields.Has("query") {
			found = append(found, result{document: d})
			continue
		}
		if m, ok := q.Match(d.body.searchable()); ok {
			found = append(found, result{d, m, m.Rank()})
		}
	}
	sort.Slice(found, func(i, j int) bool { return order(found[i], found[j]) < 0 })

	var data []api.JSON
	for _, hit := range api.Slice(found, r.Page) {
		data = append(data, hit.present(s, r, minWords, maxWords))
	}
	return api.Answer{Data: api.Array(data...), Page: r.Counted(len(found))}, nil
}

// documentsSearchTitles implements documents.search_titles, which finds
// documents whose title contains the query in any case.
func (s *store) documentsSearchTitles(r *request) (api.Answer, error) {
	text := r.Fields.String("query")
	switch {
	case r.Fields.Err != nil:
	case !r.Fields.Has("query"):
		r.Fields.Fail("query", "Invalid input: expected string, received undefined")
	case strings.TrimSpace(text) == "":
		r.Fields.Fail("query", "Invalid input")
	}
	order := readSearchOrder(&r.Fields)
	f := s.filter(&r.Fields, searchFilters)
	if err := s.maySearch(r, f); err != nil {
		return api.Answer{}, err
	}

	text = strings.ToLower(strings.TrimSpace(text))
	list := s.sorted(func(d *document) bool {
		return strings.Contains(strings.ToLower(d.Title), text) && f.accepts(d) && s.finds(d, r.caller)
	}, func(a, b *document) int { return order(result{document: a}, result{document: b}) })
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// maySearch returns an error unless the caller may read what the search is
// restricted to.
func (s *store) maySearch(r *request, f filter) error {
	if r.Fields.Err != nil {
		return r.Fields.Err
	}
	if err := s.mayFilter(r.caller, f); err != nil {
		return err
	}
	if f.within != "" {
		if d, ok := s.documents[f.within]; !ok || !s.rightsOn(d, r.caller).Read {
			return api.Forbidden()
		}
	}
	return nil
}

// A result is a document that a search found.
type result struct {
	document *document
	match    search.Match
	rank     float64 // 0 without a query
}

// present returns a result as JSON.
func (hit result) present(s *store, r *request, minWords, maxWords int) api.JSON {
	head := []byte("{")
	if hit.rank > 0 {
		head = append(head, `"ranking":`...)
		// PostgreSQL computes ranks in single precision.
		head = strconv.AppendFloat(head, float64(float32(hit.rank)), 'g', -1, 64)
		head = append(head, `,"context":`...)
		head = append(head, api.Encode(hit.match.Snippet(minWords, maxWords))[0]...)
		head = append(head, ',')
	}
	head = append(head, `"document":`...)
	return slices.Concat(api.JSON{head}, s.presentDocument(r, hit.document), api.JSON{[]byte("}")})
}

// readSearchOrder reads the sort and direction of a search. The default is
// relevance; the time of the last change breaks ties.
func readSearchOrder(f *api.Fields) func(a, b result) int {
	field := f.OneOf("sort", "relevance", "createdAt", "updatedAt", "title")
	ascending := f.OneOf("direction", "DESC", "ASC", "DESC") == "ASC"
	return func(a, b result) int {
		var c int
		switch field {
		case "relevance":
			c = cmp.Compare(a.rank, b.rank)
		case "createdAt":
			c = a.document.CreatedAt.Compare(b.document.CreatedAt)
		case "title":
			c = cmp.Compare(strings.ToLower(a.document.Title), strings.ToLower(b.document.Title))
		}
		if c == 0 {
			c = a.document.UpdatedAt.Compare(b.document.UpdatedAt)
		}
		if c == 0 {
			c = byID(a.document, b.document)
		}
		if ascending {
			return c
		}
		return -c
	}
}
