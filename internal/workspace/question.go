package workspace

import (
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/search"
	"slices"
	"strings"
)

// documentsAnswerQuestion implements documents.answerQuestion of the editions
// of Outline with AI. Its answer is made of sentences from documents that the
// caller may read, those that share the most words with the question. The form
// of the answer follows Outline's OpenAPI description.
func (s *store) documentsAnswerQuestion(r *request) (api.Answer, error) {
	f := &r.Fields
	if !f.Has("query") {
		f.Fail("query", "Invalid input: expected string, received undefined")
	}
	question := f.String("query")
	if f.Err == nil && strings.TrimSpace(question) == "" {
		f.Fail("query", "Too small: expected string to have >=1 characters")
	}
	within := filter{store: s, collectionID: f.OptionalUUID("collectionId"), userID: f.OptionalUUID("userId"), within: f.OptionalUUID("documentId")}
	within.since = s.since(f)
	if status := f.OneOf("statusFilter", "published", "draft", "archived", "published"); status != "" {
		within.statuses = []string{status}
	}
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	if err := s.mayFilter(r.caller, within); err != nil {
		return api.Answer{}, err
	}
	if within.within != "" {
		d, ok := s.documents[within.within]
		if !ok || !s.rightsOn(d, r.caller).Read {
			return api.Answer{}, api.Forbidden()
		}
	}

	list := s.sorted(func(d *document) bool {
		return within.accepts(d) && s.finds(d, r.caller)
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
	var documents []api.JSON
	for _, d := range sources {
		documents = append(documents, s.presentDocument(r, d))
	}
	search := api.Encode(struct {
		ID        string        `json:"id"`
		Query     string        `json:"query"`
		Answer    *string       `json:"answer"`
		Source    string        `json:"source"`
		CreatedAt api.Timestamp `json:"createdAt"`
	}{ident.DerivedUUID(r.caller.ID, question), question, api.StringOrNull(strings.Join(said, "\n\n")), "api", api.Timestamp(s.now())})
	return api.Answer{
		Extra: slices.Concat(api.JSON{[]byte(`"documents":`)}, api.Array(documents...), api.JSON{[]byte(`,"search":`)}, search, api.JSON{[]byte(",")}),
	}, nil
}
