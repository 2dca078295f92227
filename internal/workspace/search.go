package workspace

import (
	"cmp"
	"outline-mcp/internal/workspace/search"
	"slices"
	"strconv"
	"strings"
)

// searchFilters names the older parameters that limit a search.
const searchFilters = "collectionId, userId, documentId, dateFilter, or statusFilter"

// documentsSearch is documents.search. Without a query it lists documents,
// with a blank one it finds none. Without a filter of status it finds drafts
// and archived documents too.
func (s *store) documentsSearch(r *request) (answer, error) {
	text := r.fields.string("query")
	minWords := r.fields.int("snippetMinWords", search.DefaultSnippetMin)
	maxWords := r.fields.int("snippetMaxWords", search.DefaultSnippetMax)
	order := r.fields.searchOrder()
	f := s.filter(&r.fields, searchFilters)
	if err := s.maySearch(r, f); err != nil {
		return answer{}, err
	}

	var found []result
	q := search.ParseQuery(text)
	for _, d := range s.documents {
		if !f.accepts(d) || !s.rightsOn(d, r.caller).Read.Allowed {
			continue
		}
		if !r.fields.has("query") {
			found = append(found, result{document: d})
			continue
		}
		if m, ok := q.Match(d.body.searchable()); ok {
			found = append(found, result{d, m, m.Rank()})
		}
	}
	slices.SortFunc(found, order)

	var data, policies []pieces
	for _, hit := range cut(found, r.page) {
		data = append(data, hit.present(s, minWords, maxWords))
		policies = append(policies, s.documentPolicy(r.caller, hit.document))
	}
	return answer{data: array(data...), policies: array(policies...), page: r.counted(len(found))}, nil
}

// documentsSearchTitles is documents.search_titles: documents whose title
// holds the query, whatever the case.
func (s *store) documentsSearchTitles(r *request) (answer, error) {
	text := r.fields.string("query")
	switch {
	case r.fields.err != nil:
	case !r.fields.has("query"):
		r.fields.fail("query", "Invalid input: expected string, received undefined")
	case strings.TrimSpace(text) == "":
		r.fields.fail("query", "Invalid input")
	}
	order := r.fields.searchOrder()
	f := s.filter(&r.fields, searchFilters)
	if err := s.maySearch(r, f); err != nil {
		return answer{}, err
	}

	text = strings.ToLower(strings.TrimSpace(text))
	list := s.sorted(func(d *document) bool {
		return strings.Contains(strings.ToLower(d.Title), text) && f.accepts(d) && s.rightsOn(d, r.caller).Read.Allowed
	}, func(a, b *document) int { return order(result{document: a}, result{document: b}) })
	return s.documentsAnswer(r, list, r.uncounted()), nil
}

// maySearch checks what a search is limited to.
func (s *store) maySearch(r *request, f filter) error {
	if r.fields.err != nil {
		return r.fields.err
	}
	if err := s.mayFilterBy(r.caller, f.collectionID); err != nil {
		return err
	}
	if f.within != "" {
		if d, ok := s.documents[f.within]; !ok || !s.rightsOn(d, r.caller).Read.Allowed {
			return errForbidden()
		}
	}
	return nil
}

// A result is a document that a search found.
type result struct {
	document *document
	match    search.Match
	rank     float64 // 0 in a search without query
}

// present returns a result as JSON.
func (r result) present(s *store, minWords, maxWords int) pieces {
	head := []byte("{")
	if r.rank > 0 {
		head = append(head, `"ranking":`...)
		// PostgreSQL ranks in single precision.
		head = strconv.AppendFloat(head, float64(float32(r.rank)), 'g', -1, 64)
		head = append(head, `,"context":`...)
		head = append(head, encode(r.match.Snippet(minWords, maxWords))[0]...)
		head = append(head, ',')
	}
	head = append(head, `"document":`...)
	return slices.Concat(pieces{head}, s.presentDocument(r.document), pieces{[]byte("}")})
}

// searchOrder reads sort and direction of the searches: by relevance first,
// and what is equal by the time of the last change.
func (f *fields) searchOrder() func(a, b result) int {
	field := f.oneOf("sort", "relevance", "relevance", "createdAt", "updatedAt", "title")
	ascending := f.oneOf("direction", "DESC", "ASC", "DESC") == "ASC"
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
