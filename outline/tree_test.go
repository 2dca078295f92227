package outline_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// recordedTree is an exchange with a real Outline that was asked for version 3 of the API.
func recordedTree(t *testing.T, number string) recording {
	t.Helper()
	return recordedIn(t, "version3", number)
}

// inRevision is the recorded answer with another revision.
func (r recording) inRevision(from, to string) string {
	return strings.Replace(string(r.Response.Body), `"revision":`+from, `"revision":`+to, 1)
}

// treeOf decodes the tree of a recorded answer without the client.
func treeOf(t *testing.T, r recording) *prosemirror.Node {
	t.Helper()
	type document struct {
		Data *prosemirror.Node `json:"data"`
	}
	var answer struct {
		Data struct {
			document
			Nested document `json:"document"`
		} `json:"data"`
	}
	if err := json.Unmarshal(r.Response.Body, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Data.Data != nil {
		return answer.Data.Data
	}
	return answer.Data.Nested.Data
}

func TestTextAndTreeAreReadSideBySideAndOfOneRevision(t *testing.T) {
	withTree, withText := recordedTree(t, "628"), recordedTree(t, "629")
	for name, test := range map[string]struct {
		trees []string // the answers with a tree, the last of which stays
		text  string
		kind  error
		reads int32
	}{
		"of one revision":    {[]string{withTree.inRevision("2", "3")}, withText.inRevision("3", "3"), nil, 2},
		"the tree is older":  {[]string{withTree.inRevision("2", "2"), withTree.inRevision("2", "3")}, withText.inRevision("3", "3"), nil, 4},
		"the text is older":  {[]string{withTree.inRevision("2", "4"), withTree.inRevision("2", "3")}, withText.inRevision("3", "3"), nil, 4},
		"never of one":       {[]string{withTree.inRevision("2", "2")}, withText.inRevision("3", "3"), outline.ErrConflict, 6},
		"from an old server": {[]string{withText.inRevision("3", "3")}, withText.inRevision("3", "3"), nil, 2},
		"no tree at all":     {[]string{strings.Replace(withTree.inRevision("2", "3"), `"type":"doc"`, `"type":1`, 1)}, withText.inRevision("3", "3"), outline.ErrBadAnswer, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var reads, trees atomic.Int32
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				reads.Add(1)
				switch r.Header.Get("x-api-version") {
				case "":
					reply(w, 200, jsonType, test.text)
				case "3":
					reply(w, 200, jsonType, test.trees[min(int(trees.Add(1)), len(test.trees))-1])
				}
			}, nil)
			d, err := c.DocumentWithTree(t.Context(), "6efbd7cc-6131-4e07-90bb-e84ddce387f7")
			if !errors.Is(err, test.kind) || reads.Load() != test.reads {
				t.Fatalf("error %v after %d requests", err, reads.Load())
			}
			if err != nil {
				return
			}
			if want := treeOf(t, withTree); (test.trees[0] == test.text) != (d.Tree == nil) || d.Tree != nil && !prosemirror.Equal(d.Tree, want) {
				t.Errorf("tree %v", d.Tree)
			}
			if d.Revision != 3 || !strings.HasPrefix(d.Text, "# Heading one\n\nPlain **bold**") || d.Tree != nil && prosemirror.ToText(d.Tree) != d.Text {
				t.Errorf("revision %d, text %q", d.Revision, d.Text)
			}
		})
	}
}

func TestACreatedDocumentHasItsTreeAndTheTextOfIt(t *testing.T) {
	rec := recordedTree(t, "640")
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-api-version") != "3" {
			t.Error("not asked for the tree")
		}
		reply(w, 200, jsonType, string(rec.Response.Body))
	}, nil)
	d, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "V3 document", Text: "First paragraph.\n\nSecond paragraph."})
	if err != nil || !prosemirror.Equal(d.Tree, treeOf(t, rec)) || d.Text != "First paragraph.\n\nSecond paragraph." {
		t.Errorf("%v, %q, %v", err, d.Text, d.Tree)
	}
}

func TestAnUpdateAnswersWithTheTreeAndSharesTheBlocksThatStayed(t *testing.T) {
	before, after := recordedTree(t, "642"), recordedTree(t, "645")
	for name, test := range map[string]struct {
		before string
		tree   bool
		header string
	}{
		"with trees":    {before.inRevision("4", "6"), true, "3"},
		"without trees": {documentJSON("Replaced paragraph.\n\nAnother one."), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if aside(w, r, "", 0, nil) {
					return
				}
				if strings.HasSuffix(r.URL.Path, "documents.info") {
					answer := test.before
					if r.Header.Get("x-api-version") == "" {
						answer = strings.NewReplacer(`"revision":3`, `"revision":6`, `"updatedAt":"2026-11-20T10:09:14.753Z"`, `"updatedAt":"2026-11-22T08:11:18.947Z"`).
							Replace(documentJSON("Replaced paragraph.\n\nAnother one."))
						if !test.tree {
							answer = test.before
						}
					}
					reply(w, 200, jsonType, answer)
					return
				}
				if got := r.Header.Get("x-api-version"); got != test.header {
					t.Errorf("update asked for version %q", got)
				}
				if test.tree {
					reply(w, 200, jsonType, string(after.Response.Body))
				} else {
					reply(w, 200, jsonType, documentJSON("Replaced paragraph.\n\nPatched **one**."))
				}
			}, nil)
			update, err := edit.Update(t.Context(), c, edit.Params{
				ID: "8c30df66-62dd-46f6-beef-dca446eaf257", EditMode: "append", Text: new("\n\nmore"),
			})
			if err != nil {
				t.Fatal(err)
			}
			if !test.tree {
				if update.After.Tree != nil || update.Wanted != nil || update.Expected != "Replaced paragraph.\n\nAnother one.\n\nmore" || update.After.Text != "Replaced paragraph.\n\nPatched **one**." {
					t.Errorf("%+v", update)
				}
				return
			}
			if !prosemirror.Equal(update.After.Tree, treeOf(t, after)) || update.After.Text != prosemirror.ToText(treeOf(t, after)) {
				t.Errorf("after: %q", update.After.Text)
			}
			if want := "Replaced paragraph.\n\nAnother one.\n\nmore"; prosemirror.ToText(update.Wanted) != want {
				t.Errorf("wanted: %q", prosemirror.ToText(update.Wanted))
			}
			same := 0
			for _, block := range update.Before.Tree.Content {
				for _, now := range update.After.Tree.Content {
					if block == now {
						same++
					}
				}
			}
			if same == 0 {
				t.Error("no block is the same node before and after")
			}
		})
	}
}

func TestTheLimitOfAnswersHoldsForTrees(t *testing.T) {
	withTree, withText := recordedTree(t, "628"), recordedTree(t, "629")
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-api-version") == "3" {
			reply(w, 200, jsonType, string(withTree.Response.Body))
		} else {
			reply(w, 200, jsonType, string(withText.Response.Body))
		}
	}, func(o *outline.Options) { o.MaxAnswerBytes = 2000 })
	if _, err := c.DocumentWithTree(t.Context(), "6efbd7cc-6131-4e07-90bb-e84ddce387f7"); !errors.Is(err, outline.ErrAnswerTooLarge) {
		t.Errorf("error %v", err)
	}
}
