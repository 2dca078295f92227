package main

import (
	"strings"
	"testing"
	"time"
)

func TestNobodyIsToldAnythingWrongWhileEverythingFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	l := &lab{dir: t.TempDir(), quick: true, length: 25 * time.Second, log: t.Output()}
	if err := build(t.Context(), l.binary(product), "..", "./cmd/outline-mcp", "-s -w"); err != nil {
		t.Fatal(err)
	}
	found, err := runSoak(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.rows {
		t.Log(r.what, r.ours, r.verdict())
		if r.goal.set && r.goal.limit == 0 && !r.met() {
			t.Errorf("%s: %s", r.what, r.ours)
		}
		// Memory and goroutines settle only later.
		if strings.Contains(r.what, "succeeds") && r.ours.count == 0 || (r.what == "logins" || r.what == "changes told to listeners") && r.ours.median == 0 {
			t.Errorf("%s: none", r.what)
		}
	}
	t.Log(found.notes)
}
