package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"outline-mcp/outline"
)

// A question is a request that changes nothing.
type question struct{ endpoint, body string }

// answer returns the answer to a question. It is asked once, with the key.
func (e *examination) answer(ctx context.Context, q question) answer {
	e.askAll(ctx, q)
	return e.answers[q]
}

// askAll asks the questions that have no answer yet, a few at a time.
func (e *examination) askAll(ctx context.Context, questions ...question) {
	var guard sync.Mutex
	told := map[question]answer{}
	var asking errgroup.Group
	asking.SetLimit(concurrency)
	for _, q := range questions {
		if _, asked := e.answers[q]; asked {
			continue
		}
		e.answers[q] = answer{endpoint: q.endpoint}
		asking.Go(func() error {
			got := e.ask(ctx, q.endpoint, q.body)
			guard.Lock()
			defer guard.Unlock()
			told[q] = got
			return nil
		})
	}
	_ = asking.Wait() // no function returns an error
	for q, got := range told {
		e.answers[q] = got
	}
}

const noID, badPage = `{}`, `{"limit":101}`

// safeQuestions returns questions about the scopes that change nothing, most of
// them because Outline rejects the arguments, which it checks after the scopes.
func safeQuestions() []question {
	questions := []question{asksAI(), asksTitles(), updates(outline.RevisionsProbe())}
	for _, endpoint := range []string{"documents.info", "documents.export", "collections.info", "collections.documents", "comments.info"} {
		questions = append(questions, question{endpoint, noID})
	}
	for _, endpoint := range []string{"documents.list", "documents.search", "documents.archived", "documents.deleted", "collections.list", "comments.list"} {
		questions = append(questions, question{endpoint, badPage})
	}
	return questions
}

// Questions whose answers several checks use.
func asksVersion() question { return question{"installation.info", "{}"} }
func asksAI() question      { return question{"documents.answerQuestion", noID} }
func asksTitles() question  { return question{"documents.search_titles", noID} }

// updates returns a question to documents.update.
func updates(arguments map[string]string) question {
	body, err := json.Marshal(arguments)
	if err != nil {
		panic("doctor: strings are always JSON: " + err.Error())
	}
	return question{"documents.update", string(body)}
}

// tells reports whether an answer shows what the key may do, or else why not.
func (e *examination) tells(got answer) (is bool, why string) {
	if got.fromOutline() && got.status != http.StatusTooManyRequests && got.status < 500 {
		return true, ""
	}
	return false, got.whyNot(e.timeout)
}
