package fakeoutline

import (
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
)

// treeShown returns the tree that documents.info shows of the document of older.
func treeShown(t *testing.T, w *Workspace) *prosemirror.Node {
	t.Helper()
	return editor{w}.tree(t, documentID(0))
}

func TestReleasesKeepTheAnchorsOfCommentsOutsideOfTheStoredTree(t *testing.T) {
	anchored := func(w *Workspace) bool {
		return strings.Contains(string(treeShown(t, w).AppendJSON(nil)), `"comment"`)
	}
	comment := `{"documentId":"` + documentID(0) + `","text":"x","anchorText":"two"}`
	for _, release := range []Release{"1.8", "1.9.0", "1.9.1", "1.9.2", ""} {
		t.Run(string(release), func(t *testing.T) {
			w := older(t, Options{Release: release})
			if e := call(t, w, keyOf("member"), "comments.create", comment); release != "" {
				expectError(t, e, 400, "Cannot inline comment on this document")
				w.store.documents[documentID(0)].Opened = true
				do(t, w, "comments.create", comment)
			} else if !e.OK {
				t.Fatal(e.Message)
			}
			listed := do(t, w, "comments.list", `{"documentId":"`+documentID(0)+`","includeAnchorText":true}`)
			if strings.Contains(string(listed.Data), `"anchorText":"two"`) != (release == "") {
				t.Errorf("the comment is %s", listed.Data)
			}
			for _, step := range []struct {
				fields string
				kept   bool
			}{
				{`"title":"New"`, true},
				{`"text":"one","editMode":"patch","findText":"one"`, true}, // changes nothing
				{`"text":"1","editMode":"patch","findText":"one"`, release == ""},
			} {
				update(t, w, step.fields)
				if anchored(w) != step.kept {
					t.Errorf("after %s the tree is %s", step.fields, treeShown(t, w).AppendJSON(nil))
				}
			}
			if got := show(t, w, documentID(0)).Text; got != "1 two" {
				t.Errorf("the text is %q", got)
			}
		})
	}
	w := older(t, Options{Release: "1.9.2"})
	w.store.documents[documentID(0)].Opened = true
	expectError(t, call(t, w, keyOf("member"), "comments.create", strings.Replace(comment, "two", "absent", 1)), 404, "Resource not found")
}

func TestReleasesRememberTheCollectionsOfListsForTenSeconds(t *testing.T) {
	for _, release := range []Release{"1.8", "1.9.2", ""} {
		t.Run(string(release), func(t *testing.T) {
			now := noon.Add(time.Hour)
			w := older(t, Options{Release: release, Now: func() time.Time { return now }})
			lists := []string{"documents.list", "documents.search", "documents.search_titles", "documents.drafts"}
			expectTitles(t, do(t, w, "collections.list", `{}`), "Open")
			now = now.Add(5 * time.Second)
			created := data[titled](t, do(t, w, "collections.create", `{"name":"New"}`)).ID
			page := data[titled](t, do(t, w, "documents.create", `{"title":"New page","publish":true,"collectionId":"`+created+`"}`)).ID
			do(t, w, "documents.create", `{"title":"New page","collectionId":"`+created+`"}`)

			expect := func(seen bool) {
				t.Helper()
				if got := titles(t, do(t, w, "collections.list", `{}`)); slices.Contains(got, "New") != seen {
					t.Errorf("the collections are %q", got)
				}
				for _, endpoint := range lists {
					if got := titles(t, do(t, w, endpoint, `{"query":"new page"}`)); slices.Contains(got, "New page") != seen {
						t.Errorf("%s finds %q", endpoint, got)
					}
				}
			}
			now = now.Add(5*time.Second - time.Millisecond)
			expect(release == "")
			do(t, w, "collections.info", `{"id":"`+created+`"}`)
			do(t, w, "documents.info", `{"id":"`+page+`"}`)
			for _, endpoint := range lists {
				if got := titles(t, do(t, w, endpoint, `{"query":"new page","collectionId":"`+created+`"}`)); !slices.Contains(got, "New page") {
					t.Errorf("%s of the collection finds %q", endpoint, got)
				}
			}
			now = now.Add(time.Millisecond)
			expect(true)
		})
	}
}
