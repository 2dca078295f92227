package faults

import (
	"os"
	"strings"
	"testing"
)

// The pages that the tests write to.
const (
	promises = "../../docs/reliability.md"
	results  = "../../docs/reliability-tables.md"
)

// section returns the text between two lines of a page and a function that replaces
// it.
func section(t *testing.T, document, begin, end string) (text string, replace func(string)) {
	t.Helper()
	all, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, began := strings.Cut(string(all), begin+"\n")
	text, tail, ended := strings.Cut(rest, end+"\n")
	if !began || !ended {
		t.Fatalf("%s lacks the line %s or %s", document, begin, end)
	}
	return text, func(text string) {
		if err := os.WriteFile(document, []byte(head+begin+"\n"+text+end+"\n"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
