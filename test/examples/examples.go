// Package examples gives tests the example calls of the tools. Each tool has a
// txtar file in tools/testdata/calls. For the call success, the file has the
// sections success/arguments.json, success/answer.txt and success/answer.json:
// what is asked, and the text and the structured content of the answer.
package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A Call is an example call and its recorded answer, which is empty for a call
// that is not recorded yet.
type Call struct {
	Name       string // starts with success or failure
	Arguments  json.RawMessage
	Text       []byte
	Structured []byte
}

// Failed reports whether the answer is a failure.
func (c *Call) Failed() bool { return strings.HasPrefix(c.Name, "failure") }

// Read returns the example calls of a tool. The folder is tools/testdata/calls,
// seen from the folder of the test.
func Read(t testing.TB, folder, tool string) []Call {
	t.Helper()
	content, err := os.ReadFile(path(folder, tool))
	if err != nil {
		t.Fatal(err)
	}
	calls, err := parse(content)
	if err != nil {
		t.Fatalf("%s: %s", path(folder, tool), err)
	}
	return calls
}

// Write replaces the example calls of a tool.
func Write(t testing.TB, folder, tool string, calls []Call) {
	t.Helper()
	if err := os.WriteFile(path(folder, tool), format(calls), 0o644); err != nil {
		t.Fatal(err)
	}
}

func path(folder, tool string) string { return filepath.Join(folder, tool+".txtar") }

func parse(content []byte) ([]Call, error) {
	var calls []Call
	seen := map[string]bool{}
	for _, section := range txtar.Parse(content).Files {
		name, part, _ := strings.Cut(section.Name, "/")
		if part == "arguments.json" {
			calls = append(calls, Call{Name: name})
		}
		if seen[section.Name] || len(calls) == 0 || calls[len(calls)-1].Name != name {
			return nil, fmt.Errorf("section %s is not where it belongs", section.Name)
		}
		seen[section.Name] = true
		call := &calls[len(calls)-1]
		switch part {
		case "arguments.json":
			call.Arguments = section.Data
		case "answer.txt":
			call.Text = section.Data
		case "answer.json":
			call.Structured = section.Data
		default:
			return nil, fmt.Errorf("section %s is unknown", section.Name)
		}
	}
	return calls, nil
}

func format(calls []Call) []byte {
	var archive txtar.Archive
	for _, call := range calls {
		for _, section := range []txtar.File{
			{Name: "arguments.json", Data: call.Arguments},
			{Name: "answer.txt", Data: call.Text},
			{Name: "answer.json", Data: call.Structured},
		} {
			if len(section.Data) > 0 {
				section.Name = call.Name + "/" + section.Name
				archive.Files = append(archive.Files, section)
			}
		}
	}
	return txtar.Format(&archive)
}
