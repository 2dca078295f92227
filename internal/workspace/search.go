package workspace

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"outline-mcp/internal/workspace/api"
)

// searchFilters lists the deprecated parameters that restrict a search.
const searchFilters = "collectionId, userId, documentId, dateFilter, or statusFilter"

// documentsSearch implements documents.search. Without a query it lists
// documents; a blank query finds none. By default it includes drafts and
// archived documents.
func (s *store) documentsSearch(r *request) (api.Answer, error) {
	text := r.Fields.String("query")
	minWords := r.Fields.Int("snippetMinWords", defaultSnippetMin)
	maxWords := r.Fields.Int("snippetMaxWords", defaultSnippetMax)
	order := readSearchOrder(&r.Fields)
	f := s.filter(&r.Fields, searchFilters)
	if err := s.maySearch(r, f); err != nil {
		return api.Answer{}, err
	}

	var found []result
	q := parseQuery(text)
	for _, d := range s.documents {
		if !f.accepts(d) || !s.finds(d, r.caller) {
			continue
		}
		if !r.Fields.Has("query") {
			found = append(found, result{document: d})
			continue
		}
		if m, ok := q.match(d.body.searchable()); ok {
			found = append(found, result{d, m, m.rank()})
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
	match    searchMatch
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
		head = append(head, api.Encode(hit.match.snippet(minWords, maxWords))[0]...)
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

// The default bounds of a snippet, in words.
const (
	defaultSnippetMin = 20
	defaultSnippetMax = 30
)

// snippet returns at most maxWords words of the document's text around the best
// occurrence of the query, with <b> and </b> around each occurrence, or the first
// minWords words if the query occurs only in the title. The text is not escaped.
// Both limits are at least 1.
func (m searchMatch) snippet(minWords, maxWords int) string {
	x := m.index
	maxWords = max(1, min(maxWords, maxQuery))
	minWords = max(1, min(minWords, maxWords))

	type mark struct{ from, to, phrase int } // in words of the text
	var marks []mark
	for phrase, hits := range m.hits {
		for _, h := range hits {
			if from := int(h.position) - x.position(0); from >= 0 {
				marks = append(marks, mark{from, from + int(h.words), phrase})
			}
		}
	}
	sort.Slice(marks, func(i, j int) bool { return marks[i].from < marks[j].from })

	from, to := 0, min(minWords, len(x.spans))
	if len(marks) > 0 {
		lead := maxWords / 4
		// The best mark is the first one followed by the most phrases.
		best, most := 0, 0
		for i := range marks {
			seen := make(map[int]bool, len(m.hits))
			for _, other := range marks[i:] {
				if other.to > marks[i].from+maxWords-lead || len(seen) == len(m.hits) {
					break
				}
				seen[other.phrase] = true
			}
			if len(seen) > most {
				best, most = i, len(seen)
			}
			if most == len(m.hits) {
				break
			}
		}
		from = max(0, min(marks[best].from-lead, len(x.spans)-maxWords))
		to = min(from+maxWords, len(x.spans))
	}
	if from == to {
		return ""
	}

	var b strings.Builder
	at := int32(0)
	if from > 0 {
		at = x.spans[from].start
	}
	for _, k := range marks {
		if k.from < from || k.to > to || x.spans[k.from].start < at {
			continue
		}
		start, end := x.spans[k.from].start, x.spans[k.to-1].end
		b.WriteString(x.plain[at:start])
		b.WriteString("<b>")
		b.WriteString(x.plain[start:end])
		b.WriteString("</b>")
		at = end
	}
	b.WriteString(x.plain[at:x.spans[to-1].end])
	return b.String()
}
