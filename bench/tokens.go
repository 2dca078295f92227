package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/tasks"
)

// runTokens measures what a model has to read and write.
func runTokens(ctx context.Context, _ *lab) (result, error) {
	var found result
	for _, measure := range []func(context.Context) (result, error){measureSizes, measureComparisons, measureTasks} {
		r, err := measure(ctx)
		if err != nil {
			return found, err
		}
		found.rows, found.notes = append(found.rows, r.rows...), append(found.notes, r.notes...)
	}
	return found, nil
}

// measureComparisons measures answers beside the recorded ones of Outline's own server.
func measureComparisons(ctx context.Context) (result, error) {
	var found result
	for _, c := range tasks.Comparisons() {
		outline, err := tasks.Compared()
		if err != nil {
			return found, err
		}
		s, err := newSession(ctx, outline)
		if err != nil {
			return found, err
		}
		text, err := s.text(c.Tool, c.Given)
		s.close()
		if err != nil {
			return found, err
		}
		var size pair
		size.add(float64(utf8.RuneCountInString(text)), float64(c.Own))
		found.rows = append(found.rows, compared(fmt.Sprintf("%s, to Outline's own server", c.Asked), size, inCharacters, ratioAtMost(float64(c.Ours)/float64(c.Own))))
	}
	return found, nil
}

// measureTasks solves each task on a sample workspace of its own.
func measureTasks(ctx context.Context) (result, error) {
	var found result
	var table strings.Builder
	table.WriteString("| task | characters sent and received by each call |\n|---|---|\n")
	for _, task := range tasks.All() {
		answers, err := solved(ctx, task)
		if err != nil {
			return found, err
		}
		sent, received := tasks.Characters(answers)
		total := tasks.InTokens(sent + received)
		r := row{what: "task: " + task.Asked, ours: single(total, inTokens), judged: total}
		if task.Collection != "" {
			text, err := lengthOf(ctx, task.Collection)
			if err != nil {
				return found, err
			}
			r.floor = single(tasks.InTokens(text), inTokens)
			r.ratio = total / r.floor.median
			if r.judged = r.ratio; task.Tokens > 0 {
				r.goal = ratioAtMost(task.Tokens)
			}
		} else if task.Tokens > 0 {
			r.goal = atMost(task.Tokens, inTokens)
		}
		found.rows = append(found.rows, r)
		var calls []string
		for _, a := range answers {
			calls = append(calls, fmt.Sprintf("`%s` %s, %s", a.Tool, grouped(a.Sent), grouped(a.Received)))
		}
		fmt.Fprintf(&table, "| %s | %s |\n", task.Asked, strings.Join(calls, "; "))
	}
	found.notes = []string{table.String()}
	return found, nil
}

func solved(ctx context.Context, task tasks.Task) ([]tasks.Answer, error) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		return nil, err
	}
	s, err := serve(ctx, app.Options{Transport: sample.Transport(), Now: sample.Now})
	if err != nil {
		return nil, err
	}
	defer s.close()
	return task.Solve(s.text)
}

// text calls a tool and returns its text.
func (s *session) text(tool string, given arguments) (string, error) {
	if err := s.call(tool, given)(); err != nil {
		return "", err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(s.out.line, &answer); err != nil {
		return "", err
	}
	return answer.Result.Content[0].Text, nil
}

// lengthOf returns the characters in the texts of the pages of a collection.
func lengthOf(ctx context.Context, collection string) (int, error) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: sample.Transport()}
	var found struct{ Data struct{ ID string } }
	var list struct{ Data []struct{ Text string } }
	for _, asked := range []struct {
		endpoint, body string
		into           any
	}{
		{"collections.info", `{"id":%q}`, &found}, {"documents.list", `{"collectionId":%q,"limit":100}`, &list},
	} {
		answer, err := askOutline(ctx, client, fakeoutline.BaseURL, asked.endpoint, fakeoutline.AdminKey, fmt.Sprintf(asked.body, cmp.Or(found.Data.ID, collection)))
		if err == nil {
			err = json.Unmarshal(answer, asked.into)
		}
		if err != nil {
			return 0, err
		}
	}
	length := 0
	for _, document := range list.Data {
		length += utf8.RuneCountInString(document.Text)
	}
	return length, nil
}
