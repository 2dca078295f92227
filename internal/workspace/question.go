package workspace

import (
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/search"
	"slices"
	"strings"
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
		if !ok || !s.rightsOn(d, r.caller).Read.Allowed {
			return answer{}, errForbidden()
		}
	}

	list := s.sorted(func(d *document) bool {
		return within.accepts(d) && s.rightsOn(d, r.caller).Read.Allowed
	}, byID)
	indexes := make([]*search.Index, len(list))
	for i, d := range list {
		indexes[i] = d.body.searchable()
	}
	var said []string
	var sources []*document
	for _, sentence := range search.Sentences(question, indexes) {
		said = append(said, sentence.Text)
		if d := list[sentence.Document]; !slices.Contains(sources, d) {
			sources = append(sources, d)
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
