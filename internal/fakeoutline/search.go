package fakeoutline

import (
	"cmp"
	"sort"
	"strings"

	"outline-mcp/internal/fakeoutline/api"
)

// documentsSearch implements documents.search. Without a query it lists
// documents; a blank query finds none. By default it includes drafts and
// archived documents.
func (s *store) documentsSearch(r *request, in struct {
	Query    *string `in:"query"`
	MinWords *int    `in:"snippetMinWords"` // snippets are as long without them
	MaxWords *int    `in:"snippetMaxWords"`
	searchOrder
	searchFilter
}) (api.Answer, error) {
	f, err := s.searched(r, in.searchFilter)
	if err != nil {
		return api.Answer{}, err
	}
	var found []result
	query := valueOr(in.Query, "")
	q := parseTextQuery(query)
	for _, d := range s.documents {
		if !f.accepts(d) || !s.finds(d, r.caller) {
			continue
		}
		if in.Query == nil {
			found = append(found, result{document: d})
			continue
		}
		if rank, ok := q.Match(d.body.searchable()); ok {
			found = append(found, result{d, rank, query})
		}
	}
	sort.Slice(found, func(i, j int) bool { return in.compare(found[i], found[j]) < 0 })

	return counted(r, found, func(hit result) api.JSON { return hit.present(s, r) })
}

// documentsSearchTitles implements documents.search_titles, which finds
// documents whose title contains the query in any case.
func (s *store) documentsSearchTitles(r *request, in struct {
	Query string `in:"query,required"`
	searchOrder
	searchFilter
}) (api.Answer, error) {
	text := strings.ToLower(strings.TrimSpace(in.Query))
	if text == "" {
		return api.Answer{}, api.InvalidField("query", "Invalid input")
	}
	f, err := s.searched(r, in.searchFilter)
	if err != nil {
		return api.Answer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return strings.Contains(strings.ToLower(d.Title), text) && f.accepts(d) && s.finds(d, r.caller)
	}, func(a, b *document) int { return in.compare(result{document: a}, result{document: b}) })
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// searched returns what a search is restricted to, if the caller may read it.
func (s *store) searched(r *request, in searchFilter) (filter, error) {
	f, err := s.filter(r, in, "collectionId, userId, documentId, dateFilter, or statusFilter")
	if err != nil {
		return f, err
	}
	return f, s.maySearch(r.caller, f)
}

// maySearch returns an error unless the caller may read what a search is restricted to.
func (s *store) maySearch(c *caller, f filter) error {
	if err := s.mayFilter(c, f); err != nil {
		return err
	}
	if f.within != "" {
		if d, ok := s.documents[f.within]; !ok || !s.rightsOn(d, c).Read {
			return api.Forbidden()
		}
	}
	return nil
}

// A result is a document that a search found.
type result struct {
	document *document
	rank     float64
	query    string // "" if there is none
}

// present returns a result as JSON.
func (hit result) present(s *store, r *request) api.JSON {
	members := map[string]api.JSON{"document": s.presentDocument(r, hit.document)}
	if hit.query != "" {
		// PostgreSQL computes ranks in single precision.
		members["ranking"] = api.Encode(float64(float32(hit.rank)))
		members["context"] = api.Encode(snippet(hit.document.body.read().Plain, hit.query))
	}
	return api.Object(members)
}

// A searchOrder is the order of the results of a search. The default is relevance; the time
// of the last change breaks ties.
type searchOrder struct {
	Sort      string `in:"sort,one=createdAt|updatedAt|title"`
	Direction string `in:"direction,one=ASC|DESC"`
}

func (o searchOrder) compare(a, b result) int {
	c := 0
	switch o.Sort {
	case "":
		c = cmp.Compare(a.rank, b.rank)
	case "createdAt":
		c = a.document.CreatedAt.Compare(b.document.CreatedAt)
	case "title":
		c = cmp.Compare(strings.ToLower(a.document.Title), strings.ToLower(b.document.Title))
	}
	c = cmp.Or(c, a.document.UpdatedAt.Compare(b.document.UpdatedAt), byID(a.document, b.document))
	if o.Direction == "ASC" {
		return c
	}
	return -c
}
