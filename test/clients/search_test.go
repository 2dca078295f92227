package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toolNames are those in what a search of a client returns, in any of the forms.
var toolNames = regexp.MustCompile(`name\\*": ?\\*"((?:mcp__outline__)?\w+)\\*"`)

func TestToolsAreFoundByTheWordsThatPeopleUse(t *testing.T) {
	suite(t)
	text, err := os.ReadFile(filepath.Join("testdata", "phrases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	phrases := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, c := range searching {
		t.Run(c.title, func(t *testing.T) {
			missed := slices.Clone(phrases)
			for asked := range slices.Chunk(phrases, c.searches) {
				r := newRun(t, c, "stdio", "login.json")
				r.model.conversation = nil
				for _, phrase := range asked {
					r.model.conversation = append(r.model.conversation, step{Tool: c.search, Args: map[string]any{"query": phrase}})
				}
				r.converse(t)
				// Without a search that found it, the client has loaded it by itself.
				loaded := offered(r.model.tools, "search_documents").Schema != nil && !strings.Contains(inJSON(r.model.results), "search_documents")
				for i, result := range r.model.results {
					found := []string{}
					for _, name := range toolNames.FindAllStringSubmatch(inJSON(result), -1) {
						if found = append(found, name[1]); name[1] == "mcp__outline" { // all of the server
							found = nil
						}
					}
					t.Logf("%q finds %q", asked[i], found)
					if loaded || slices.ContainsFunc(found[:min(5, len(found))], func(name string) bool {
						return strings.HasSuffix(name, "search_documents") || strings.HasSuffix(name, "read_document")
					}) {
						missed = slices.DeleteFunc(missed, func(phrase string) bool { return phrase == asked[i] })
					}
				}
			}
			t.Logf("%d of %d phrases find search_documents or read_document among the first five; not %q", len(phrases)-len(missed), len(phrases), missed)
			if len(phrases) < 20 || len(missed) > len(phrases)/10 {
				t.Error("too few phrases find what reads the wiki")
			}
		})
	}
}
