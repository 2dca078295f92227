package outline

import (
	"cmp"
	"context"
)

// QuestionParams say what to ask.
type QuestionParams struct {
	Query        string `json:"query"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; "": all collections
	DocumentID   string `json:"documentId,omitempty"`   // UUID; "": all documents
}

// Answer is an answer to a question in natural language.
type Answer struct {
	Text      string            // Markdown; "": Outline found none
	Documents []DocumentSummary // what the answer is based on; never nil
}

// AnswerQuestion has Outline answer a question from the documents that the
// key's user can see (documents.answerQuestion). Writing an answer takes
// longer than any other call: one attempt may take as long as the context
// allows, whatever [Options].RequestTimeout is.
//
// The endpoint exists in the cloud and in the licensed editions, where AI
// answers are switched on; elsewhere the failure is ErrNotFound.
func (c *Client) AnswerQuestion(ctx context.Context, p QuestionParams) (Answer, error) {
	const endpoint = "documents.answerQuestion"
	type found struct {
		Search *struct {
			Answer string `json:"answer"`
		} `json:"search"`
		Documents []DocumentSummary `json:"documents"`
	}
	// The description of the API has the answer beside ok, as no other
	// endpoint does, and not in data.
	var answer struct {
		OK bool `json:"ok"`
		found
		Data found `json:"data"`
	}
	if failure := c.call(ctx, request{endpoint: endpoint, params: p, unlimited: true}, transient, &answer); failure != nil {
		return Answer{}, failure
	}
	result := answer.found
	if result.Search == nil {
		result = answer.Data
	}
	incomplete := ""
	for _, d := range result.Documents {
		incomplete = cmp.Or(incomplete, d.flaw())
	}
	switch {
	case !answer.OK:
		return Answer{}, wrongShape(endpoint, `it lacks "ok": true`)
	case result.Search == nil:
		return Answer{}, wrongShape(endpoint, `it has no "search"`)
	case incomplete != "":
		return Answer{}, wrongShape(endpoint, incomplete)
	case result.Documents == nil:
		result.Documents = []DocumentSummary{}
	}
	return Answer{Text: result.Search.Answer, Documents: result.Documents}, nil
}
