package main

import (
	"testing"

	"outline-mcp/test/fixtures"
)

func TestTheTasksAreDoneWithFewCallsAndTokens(t *testing.T) {
	w, err := embedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	groups, err := readTasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if g.Most.Calls == 0 && !fixtures.Thorough() {
			continue // its tasks compare two servers
		}
		var all cost
		for _, task := range g.Tasks {
			took, err := w.play(t.Context(), g, task, false)
			if err != nil {
				t.Errorf("%s: %v", task.Asked, err)
			}
			all.add(took)
		}
		if read := tokens(all.received); g.Most.Calls > 0 && (all.calls > g.Most.Calls || read > g.Most.Tokens) {
			t.Errorf("the %s take %d calls and %d tokens of answers, not at most %d and %d", g.Name, all.calls, read, g.Most.Calls, g.Most.Tokens)
		}
	}
}
