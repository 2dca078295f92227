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
	MinWords *int    `in:"snippetMinWords"`
	MaxWords *int    `in:"snippetMaxWords"`
	searchOrder
	searchFilter
}) (api.Answer, error) {
	minWords, maxWords := valueOr(in.MinWords, defaultSnippetMin), valueOr(in.MaxWords, defaultSnippetMax)
	f, err := s.searched(r, in.searchFilter)
	if err != nil {
		return api.Answer{}, err
	}
	var found []result
	q := parseQuery(valueOr(in.Query, ""))
	for _, d := range s.documents {
		if !f.accepts(d) || !s.finds(d, r.caller) {
			continue
		}
		if in.Query == nil {
			found = append(found, result{document: d})
			continue
		}
		if m, ok := q.match(d.body.searchable()); ok {
			found = append(found, result{d, m, m.rank()})
		}
	}
	sort.Slice(found, func(i, j int) bool { return in.compare(found[i], found[j]) < 0 })

	return counted(r, found, func(hit result) api.JSON { return hit.present(s, r, minWords, maxWords) })
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
	match    searchMatch
	rank     float64 // 0 without a query
}

// present returns a result as JSON.
func (hit result) present(s *store, r *request, minWords, maxWords int) api.JSON {
	members := map[string]api.JSON{"document": s.presentDocument(r, hit.document)}
	if hit.rank > 0 {
		// PostgreSQL computes ranks in single precision.
		members["ranking"] = api.Encode(float64(float32(hit.rank)))
		members["context"] = api.Encode(hit.match.snippet(minWords, maxWords))
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
