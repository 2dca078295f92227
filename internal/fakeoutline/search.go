package fakeoutline

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"strings"
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
}) (apiAnswer, error) {
	f, err := s.searched(r.caller, in.searchFilter)
	if err != nil {
		return apiAnswer{}, err
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
	ties := s.ties()
	slices.SortFunc(found, func(a, b result) int { return in.compare(a, b, ties) })

	return countedAnswer(r, found, func(hit result) apiJSON { return hit.present(s, r) })
}

// documentsSearchTitles implements documents.search_titles, which finds
// documents whose title contains the query in upper or lower case.
func (s *store) documentsSearchTitles(r *request, in struct {
	Query string `in:"query,required"`
	searchOrder
	searchFilter
}) (apiAnswer, error) {
	text := strings.ToLower(strings.TrimSpace(in.Query))
	if text == "" {
		return apiAnswer{}, apiInvalidField("query")
	}
	f, err := s.searched(r.caller, in.searchFilter)
	if err != nil {
		return apiAnswer{}, err
	}
	ties := s.ties()
	list := s.sorted(func(d *document) bool {
		return strings.Contains(strings.ToLower(d.Title), text) && f.accepts(d) && s.finds(d, r.caller)
	}, func(a, b *document) int { return in.compare(result{document: a}, result{document: b}, ties) })
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// searched returns what a search is restricted to, if the caller may read it.
func (s *store) searched(c *caller, in searchFilter) (filter, error) {
	f := s.filter(in)
	return f, s.maySearch(c, f)
}

// maySearch returns an error unless the caller may read what a search is restricted to.
func (s *store) maySearch(c *caller, f filter) error {
	if err := s.mayFilterBy(c, f.collectionID); err != nil {
		return err
	}
	if f.within != "" {
		if d, ok := s.documents[f.within]; !ok || !s.rightsOn(d, c).Read {
			return apiForbidden()
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
func (hit result) present(s *store, r *request) apiJSON {
	members := map[string]apiJSON{"document": s.presentDocument(r, hit.document)}
	if hit.query != "" {
		// PostgreSQL computes ranks in single precision.
		members["ranking"] = encodeJSON(float64(float32(hit.rank)))
		members["context"] = encodeJSON(snippet(hit.document.body.read().Plain, hit.query))
	}
	return jsonObject(members)
}

// A searchOrder is the order of the results of a search. The default is relevance; the time
// of the last change breaks ties.
type searchOrder struct {
	Sort      string `in:"sort,one=createdAt|updatedAt|title"`
	Direction string `in:"direction,one=ASC|DESC"`
}

func (o searchOrder) compare(a, b result, ties func(a, b *document) int) int {
	c := 0
	switch o.Sort {
	case "":
		c = cmp.Compare(a.rank, b.rank)
	case "createdAt":
		c = a.document.CreatedAt.Compare(b.document.CreatedAt)
	case "title":
		c = cmp.Compare(strings.ToLower(a.document.Title), strings.ToLower(b.document.Title))
	}
	c = cmp.Or(c, a.document.UpdatedAt.Compare(b.document.UpdatedAt), ties(a.document, b.document))
	if o.Direction == "ASC" {
		return c
	}
	return -c
}

// documentsAnswerQuestion implements documents.answerQuestion of the editions
// of Outline with AI. Its answer is made of sentences from documents that the
// caller may read, those that share the most words with the question. The form
// of the answer follows Outline's OpenAPI description.
func (s *store) documentsAnswerQuestion(r *request, in struct {
	Query        string `in:"query,required"`
	CollectionID string `in:"collectionId,null,uuid"`
	UserID       string `in:"userId,null,uuid"`
	DocumentID   string `in:"documentId,null,uuid"`
	Date         string `in:"dateFilter,one=day|week|month|year"`
	Status       string `in:"statusFilter,one=draft|archived|published"`
}) (apiAnswer, error) {
	question := in.Query
	if strings.TrimSpace(question) == "" {
		return apiAnswer{}, apiInvalidField("query")
	}
	within := filter{
		store: s, statuses: []string{cmp.Or(in.Status, "published")}, collectionID: in.CollectionID, userID: in.UserID, within: in.DocumentID,
		since: s.since(in.Date),
	}
	if err := s.maySearch(r.caller, within); err != nil {
		return apiAnswer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return within.accepts(d) && s.finds(d, r.caller)
	}, byID)
	indexes := make([]*textIndex, len(list))
	for i, d := range list {
		indexes[i] = newTextIndex(d.Title, d.body.read().Plain)
	}
	var said []string
	var sources []*document
	for _, sentence := range answeringSentences(question, indexes) {
		said = append(said, sentence.Text)
		if d := list[sentence.Document]; !slices.Contains(sources, d) {
			sources = append(sources, d)
		}
	}
	documents := jsonList(sources, func(d *document) apiJSON { return s.presentDocument(r, d) })
	search := encodeJSON(struct {
		ID        string       `json:"id"`
		Query     string       `json:"query"`
		Answer    *string      `json:"answer"`
		Source    string       `json:"source"`
		CreatedAt apiTimestamp `json:"createdAt"`
	}{derivedUUID(r.caller.ID, question), question, stringOrNull(strings.Join(said, "\n\n")), "api", apiTimestamp(s.now())})
	return apiAnswer{Body: jsonObject(map[string]apiJSON{
		"documents": documents, "search": search, "status": encodeJSON(http.StatusOK), "ok": encodeJSON(true),
	})}, nil
}

const (
	maxSources   = 5 // documents that an answer takes sentences from
	maxSentences = 3 // sentences of an answer
)

// A sentence is a sentence of one of the documents of a search.
type sentence struct {
	Document int // the index in the list of documents
	Text     string
}

// answeringSentences returns the sentences of the documents that match a question best,
// at most three, the best first. It ranks the documents first, then the sentences
// of the best five; the fewer documents contain a word, the more it weighs.
func answeringSentences(question string, documents []*textIndex) []sentence {
	terms := wordsOf(question)
	weights := make(map[string]float64, len(terms))
	for _, term := range terms {
		count := 0
		for _, x := range documents {
			if x.Has(term) {
				count++
			}
		}
		if count > 0 {
			weights[term] = 1 / float64(count)
		}
	}
	score := func(x *textIndex) float64 {
		total := 0.0
		for _, term := range terms {
			if x.Has(term) {
				total += weights[term]
			}
		}
		return total
	}

	type candidate struct {
		sentence
		score float64
	}
	sortByScore := func(list []candidate) {
		sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	}
	var sources []candidate
	for i, x := range documents {
		if total := score(x); total > 0 {
			sources = append(sources, candidate{sentence{Document: i}, total})
		}
	}
	sortByScore(sources)

	var found []candidate
	for _, source := range sources[:min(len(sources), maxSources)] {
		for _, text := range splitSentences(documents[source.Document].Text()) {
			if total := score(newTextIndex("", text)); total > 0 {
				// The score of the document breaks ties between sentences.
				found = append(found, candidate{sentence{source.Document, text}, total + source.score/1000})
			}
		}
	}
	sortByScore(found)
	best := make([]sentence, 0, maxSentences)
	for _, c := range found[:min(len(found), maxSentences)] {
		best = append(best, c.sentence)
	}
	return best
}

// splitSentences splits a text without Markdown into sentences. The end of a line
// ends a sentence. Fewer than four words, as in titles and table cells, are not
// a sentence.
func splitSentences(plain string) []string {
	var list []string
	add := func(text string) {
		if text = strings.TrimSpace(text); len(strings.Fields(text)) >= 4 {
			list = append(list, text)
		}
	}
	for line := range strings.SplitSeq(plain, "\n") {
		start := 0
		for i, r := range line {
			end := i + len(string(r))
			if strings.ContainsRune(".!?。！？؟", r) && (end == len(line) || line[end] == ' ' || r > 0x7f) {
				add(line[start:end])
				start = end
			}
		}
		add(line[start:])
	}
	return list
}
