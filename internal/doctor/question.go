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

// answer returns what came of a question, which is asked with the key, once.
func (e *examination) answer(ctx context.Context, q question) answer {
	e.askAll(ctx, q)
	return e.answers[q]
}

// askAll asks what was not asked yet, a few questions at a time.
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
	_ = asking.Wait() // nothing fails
	for q, got := range told {
		e.answers[q] = got
	}
}

const noID, badPage = `{}`, `{"limit":101}`

// safeQuestions returns questions that change nothing, most of them because Outline
// refuses them: it looks at the scopes first, then at the arguments.
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

// Questions that more than one check goes by.
func asksVersion() question { return question{"installation.info", "{}"} }
func asksAI() question      { return question{"documents.answerQuestion", noID} }
func asksTitles() question  { return question{"documents.search_titles", noID} }

// updates is a question to documents.update.
func updates(arguments map[string]string) question {
	body, err := json.Marshal(arguments)
	if err != nil {
		panic("doctor: strings are always JSON: " + err.Error())
	}
	return question{"documents.update", string(body)}
}

// tells says whether an answer shows what the key may do; else why it does not.
func (e *examination) tells(got answer) (is bool, why string) {
	if got.fromOutline() && got.status != http.StatusTooManyRequests && got.status < 500 {
		return true, ""
	}
	return false, got.whyNot(e.timeout)
}
