package outline

import "context"

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
	var answer questionAnswer
	if err := c.call(ctx, asking("documents.answerQuestion", p), &answer); err != nil {
		return Answer{}, err
	}
	result := answer.result()
	if result.Documents == nil {
		result.Documents = []DocumentSummary{}
	}
	return Answer{Text: result.Search.Answer, Documents: result.Documents}, nil
}

// questionAnswer is the answer of documents.answerQuestion. Unlike for every
// other endpoint, the API describes its content beside ok and not in data. Both
// are accepted.
type questionAnswer struct {
	OK bool `json:"ok"`
	questionResult
	Data questionResult `json:"data"`
}

type questionResult struct {
	Search *struct {
		Answer string `json:"answer"`
	} `json:"search"`
	Documents []DocumentSummary `json:"documents"`
}

func (a *questionAnswer) result() questionResult {
	if a.Search == nil {
		return a.Data
	}
	return a.questionResult
}

func (a *questionAnswer) lacks() string {
	result := a.result()
	switch {
	case !a.OK:
		return `it lacks "ok": true`
	case result.Search == nil:
		return `it has no "search"`
	}
	return incompleteAmong(result.Documents, DocumentSummary.incomplete)
}
