package budget_test

import (
	"testing"
	"unicode/utf8"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/tasks"
)

func TestEachTaskKeepsItsBudgetOfCharacters(t *testing.T) {
	for _, task := range tasks.All() {
		t.Run(task.Asked, func(t *testing.T) {
			sample, err := fakeoutline.New(fakeoutline.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := newSessionOf(t, app.Options{Transport: sample.Transport(), Now: sample.Now})
			answers, err := task.Solve(func(tool string, given tasks.Arguments) (string, error) {
				return s.text(request{tool: tool, arguments: given}), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			sent, received := tasks.Characters(answers)
			check(t, "characters, "+task.Asked, sent+received)
			if total := tasks.InTokens(sent + received); task.Tokens > 0 && total > task.Tokens {
				t.Errorf("%.0f tokens, and %.0f are promised", total, task.Tokens)
			}
		})
	}
}

func TestTheTextOfWhatOutlinesOwnServerAnswersTooKeepsItsBudget(t *testing.T) {
	for _, c := range tasks.Comparisons() {
		t.Run(c.Asked, func(t *testing.T) {
			outline, err := tasks.Compared()
			if err != nil {
				t.Fatal(err)
			}
			ask := request{outline, c.Tool, c.Given}
			length := utf8.RuneCountInString(newSession(t, outline).text(ask))
			check(t, "characters of text, "+c.Asked, length)
			if length > c.Ours {
				t.Errorf("%d characters, more than %d; Outline's own server takes %d", length, c.Ours, c.Own)
			}
		})
	}
}
