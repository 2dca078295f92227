package outline

import (
	"cmp"
	"context"
)

// QuestionParams describe a question.
type QuestionParams struct {
	Query        string `json:"query"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; "" for all collections
	DocumentID   string `json:"documentId,omitempty"`   // UUID; "" for all documents
}

// An Answer is an answer to a question in natural language.
type Answer struct {
	Text      string            // Markdown; "" if Outline found no answer
	Documents []DocumentSummary // the sources of the answer; never nil
}

// AnswerQuestion has Outline answer a question from the documents that the caller
// can see (documents.answerQuestion). Because this takes longer than any other
// call, [Options].RequestTimeout does not apply: only the context limits an
// attempt.
//
// The endpoint exists in the cloud and in the licensed editions if AI answers are
// switched on; elsewhere the call fails with ErrNotFound.
func (c *Client) AnswerQuestion(ctx context.Context, p QuestionParams) (Answer, error) {
	type found struct {
		Search *struct {
			Answer string `json:"answer"`
		} `json:"search"`
		Documents []DocumentSummary `json:"documents"`
	}
	// Unlike every other endpoint, the API describes this answer beside ok and not
	// in data. Accept both.
	var answer struct {
		OK bool `json:"ok"`
		found
		Data found `json:"data"`
	}
	var result found
	err := c.call(ctx, request{endpoint: "documents.answerQuestion", params: p, unlimited: true}, &answer, func() string {
		if result = answer.found; result.Search == nil {
			result = answer.Data
		}
		switch {
		case !answer.OK:
			return `it lacks "ok": true`
		case result.Search == nil:
			return `it has no "search"`
		}
		incomplete := ""
		for _, d := range result.Documents {
			incomplete = cmp.Or(incomplete, d.incomplete())
		}
		return incomplete
	})
	if err != nil {
		return Answer{}, err
	}
	if result.Documents == nil {
		result.Documents = []DocumentSummary{}
	}
	return Answer{Text: result.Search.Answer, Documents: result.Documents}, nil
}
