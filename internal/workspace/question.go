package workspace

import (
	"cmp"
	"outline-mcp/internal/workspace/ident"
	"slices"
	"strings"
)

// How many documents an answer draws on, and how many sentences it has.
const (
	maxSources   = 5
	maxSentences = 3
)

// documentsAnswerQuestion is documents.answerQuestion, which editions of
// Outline with AI have. Here nothing is made up: the answer is the sentences of
// documents that the caller may read which share most words with the question.
// The shape of the answer is that of Outline's OpenAPI description.
func (s *store) documentsAnswerQuestion(r *request) (answer, error) {
	f := &r.fields
	if !f.has("query") {
		f.fail("query", "Invalid input: expected string, received undefined")
	}
	question := f.string("query")
	if f.err == nil && strings.TrimSpace(question) == "" {
		f.fail("query", "Too small: expected string to have >=1 characters")
	}
	within := filter{store: s, collectionID: f.optionalUUID("collectionId"), userID: f.optionalUUID("userId"), within: f.optionalUUID("documentId")}
	within.since = s.since(f)
	if status := f.oneOf("statusFilter", "published", "draft", "archived", "published"); status != "" {
		within.statuses = []string{status}
	}
	if f.err != nil {
		return answer{}, f.err
	}
	if err := s.mayFilterBy(r.caller, within.collectionID); err != nil {
		return answer{}, err
	}
	if within.within != "" {
		d, ok := s.documents[within.within]
		if !ok || !s.rightsOn(d, r.caller).read.allowed {
			return answer{}, errForbidden()
		}
	}

	sentences := s.sentencesFor(question, func(d *document) bool {
		return within.accepts(d) && s.rightsOn(d, r.caller).read.allowed
	})
	said := make([]string, 0, len(sentences))
	var sources []*document
	for _, sentence := range sentences {
		said = append(said, sentence.text)
		if !slices.Contains(sources, sentence.document) {
			sources = append(sources, sentence.document)
		}
	}
	var documents, policies []pieces
	for _, d := range sources {
		documents = append(documents, s.presentDocument(d))
		policies = append(policies, s.documentPolicy(r.caller, d))
	}
	search := encode(struct {
		ID        string    `json:"id"`
		Query     string    `json:"query"`
		Answer    *string   `json:"answer"`
		Source    string    `json:"source"`
		CreatedAt timestamp `json:"createdAt"`
	}{ident.DerivedUUID(r.caller.ID, question), question, optional(strings.Join(said, "\n\n")), "api", timestamp(s.now())})
	return answer{
		extra:    slices.Concat(pieces{[]byte(`"documents":`)}, array(documents...), pieces{[]byte(`,"search":`)}, search, pieces{[]byte(",")}),
		policies: array(policies...),
	}, nil
}

// A sentence is a sentence of a document, with how much of a question it
// holds.
type sentence struct {
	text     string
	document *document
	score    float64
}

// sentencesFor returns the sentences that match a question best, the best
// first. Documents are looked at first, then the sentences of the best of
// them; a word counts the more the fewer documents hold it.
func (s *store) sentencesFor(question string, accepts func(*document) bool) []sentence {
	var terms []string
	for from, to := range words(question) {
		if term, ok := fold(question[from:to]); ok && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	list := s.sorted(accepts, byID)
	weights := make(map[string]float64, len(terms))
	for _, term := range terms {
		holding := 0
		for _, d := range list {
			if len(d.body.searchable().find(term, false)) > 0 {
				holding++
			}
		}
		if holding > 0 {
			weights[term] = 1 / float64(holding)
		}
	}
	score := func(x *index) float64 {
		total := 0.0
		for _, term := range terms {
			if len(x.find(term, false)) > 0 {
				total += weights[term]
			}
		}
		return total
	}

	type candidate struct {
		document *document
		score    float64
	}
	var candidates []candidate
	for _, d := range list {
		if total := score(d.body.searchable()); total > 0 {
			candidates = append(candidates, candidate{d, total})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })

	var found []sentence
	for _, c := range candidates[:min(len(candidates), maxSources)] {
		for _, text := range sentencesOf(c.document.body.prepared().plain) {
			if total := score(newIndex("", text)); total > 0 {
				// Between equal sentences the document as a whole decides.
				found = append(found, sentence{text, c.document, total + c.score/1000})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return found[:min(len(found), maxSentences)]
}

// sentencesOf splits a text without Markdown into its sentences. A line ends
// one; titles and table cells of fewer than four words are none.
func sentencesOf(plain string) []string {
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
