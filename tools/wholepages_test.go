package tools_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// storedTrees returns the trees that a release of Outline has made of the recorded whole
// texts, and the recorded trees.
func storedTrees(t *testing.T, release fakeoutline.Release) (trees []*prosemirror.Node) {
	type stored struct{ Tree *prosemirror.Node }
	for _, r := range fixtures.Recorded[struct {
		Head stored
		Rel  *stored
	}](t, "whole") {
		tree := r.Head.Tree
		if release != "" {
			tree = cmp.Or(r.Rel, &r.Head).Tree
		}
		trees = append(trees, tree)
	}
	for _, r := range fixtures.Recorded[stored](t, "trees") {
		trees = append(trees, r.Tree)
	}
	return trees
}

// TestPagesThatAreReadAndWrittenBackChangeOnlyWhatTheTextChanges reads pages as they are
// recorded with read_document, and writes them whole with update_document: as they are, and
// with a paragraph at the end.
func TestPagesThatAreReadAndWrittenBackChangeOnlyWhatTheTextChanges(t *testing.T) {
	t.Parallel()
	const added = "A new paragraph."
	paragraph := prosemirror.Parse(added).Content[0]
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		t.Run(string(release), func(t *testing.T) {
			fixtures.InYear(t, func(t *testing.T) {
				trees := fixtures.Some(storedTrees(t, release), 150)
				e := newEditingOn(t, storing(t, release, trees))
				refused := 0
				for i, tree := range trees {
					call := func(tool string, arguments map[string]any) (answer cli.Answer, text, note string) {
						arguments["document_id"] = uuid(i)
						answer, err := cli.Call(t.Context(), e.c, tool, arguments)
						var result struct{ Text, Note string }
						if err == nil {
							err = json.Unmarshal(answer.Structured, &result)
						}
						if err != nil {
							t.Fatal(err)
						}
						return answer, result.Text, result.Note
					}
					write := func(text string, want *prosemirror.Node) {
						answer, _, note := call("update_document", map[string]any{"text": text})
						now, err := e.calm.DocumentWithTree(t.Context(), uuid(i))
						if err != nil {
							t.Fatal(err)
						}
						switch {
						case answer.Code == output.InvalidArguments:
							if refused++; !prosemirror.Equal(now.Tree, tree) {
								t.Errorf("%q: refused, and the page changed: %s", text, answer.Text)
							}
							t.Logf("%q: %s", text, answer.Text)
						case answer.Code != "":
							t.Errorf("%q: %s", text, answer.Text)
						case !prosemirror.Equal(now.Tree, want):
							t.Errorf("%q: %s\n was %s\n got %s\nwant %s", text, note, tree.AppendJSON(nil), now.Tree.AppendJSON(nil), want.AppendJSON(nil))
						}
					}
					_, text, _ := call("read_document", map[string]any{})
					if strings.TrimSpace(text) == "" {
						continue
					}
					write(text, tree)
					at := len(tree.Content) // what stands at the end of a text is not shown
					for tree.Content[at-1].Type == prosemirror.Paragraph && len(tree.Content[at-1].Content) == 0 {
						at--
					}
					write(text+"\n\n"+added, tree.With(slices.Insert(slices.Clone(tree.Content), at, paragraph)))
				}
				t.Logf("%d of %d writes are refused", refused, 2*len(trees))
				if refused*50 > 2*len(trees) {
					t.Errorf("%d of %d writes are refused", refused, 2*len(trees))
				}
			})
		})
	}
}
