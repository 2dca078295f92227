package fakeoutline

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"strings"

	"outline-mcp/internal/fakeoutline/api"
)

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
}) (api.Answer, error) {
	question := in.Query
	if strings.TrimSpace(question) == "" {
		return api.Answer{}, api.InvalidField("query", "Too small: expected string to have >=1 characters")
	}
	within := filter{
		store: s, statuses: []string{cmp.Or(in.Status, "published")}, collectionID: in.CollectionID, userID: in.UserID, within: in.DocumentID,
		since: s.since(in.Date),
	}
	if err := s.maySearch(r.caller, within); err != nil {
		return api.Answer{}, err
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
	documents := api.List(sources, func(d *document) api.JSON { return s.presentDocument(r, d) })
	search := api.Encode(struct {
		ID        string        `json:"id"`
		Query     string        `json:"query"`
		Answer    *string       `json:"answer"`
		Source    string        `json:"source"`
		CreatedAt api.Timestamp `json:"createdAt"`
	}{api.DerivedUUID(r.caller.ID, question), question, api.StringOrNull(strings.Join(said, "\n\n")), "api", api.Timestamp(s.now())})
	return api.Answer{Body: api.Object(map[string]api.JSON{
		"documents": documents, "search": search, "status": api.Encode(http.StatusOK), "ok": api.Encode(true),
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
