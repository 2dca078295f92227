package fakeoutline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
)

// newest is the name of the newest source in these tests.
const newest = "the newest source"

// eachRelease runs a test for each release. has reports whether the release is
// since or later; the newest source is the latest.
func eachRelease(t *testing.T, since Release, test func(t *testing.T, w *Workspace, has bool)) {
	t.Helper()
	has := false
	for _, release := range append(Releases(), "") {
		has = has || release == since
		name := string(release)
		if release == "" {
			name = newest
		}
		t.Run(name, func(t *testing.T) { test(t, older(t, Options{Release: release}), has) })
	}
}

func TestReleasesDropTheFieldsThatTheyDoNotKnow(t *testing.T) {
	t.Run("lastRevision", func(t *testing.T) {
		eachRelease(t, "", func(t *testing.T, w *Workspace, has bool) {
			status, text := 200, "x"
			if has {
				status, text = 409, "one two"
			}
			e := call(t, w, keyOf("member"), "documents.update", `{"id":"document00","text":"x","lastRevision":1}`)
			if got := show(t, w, documentID(0)).Text; e.Status != status || got != text {
				t.Errorf("the answer is %d, the text %q", e.Status, got)
			}
		})
	})
	t.Run("anchorText of a new comment", func(t *testing.T) {
		eachRelease(t, "1.8", func(t *testing.T, w *Workspace, has bool) {
			e := call(t, w, keyOf("member"), "comments.create", `{"documentId":"`+documentID(0)+`","text":"x","anchorText":"absent"}`)
			if e.OK == has {
				t.Errorf("the answer is %d %s", e.Status, e.Message)
			}
		})
	})
}

func TestPatchesAreKnownFromRelease17On(t *testing.T) {
	eachRelease(t, "1.7", func(t *testing.T, w *Workspace, has bool) {
		e := call(t, w, keyOf("member"), "documents.update", `{"id":"document00","text":"2","editMode":"patch","findText":"two"}`)
		if has {
			if got := data[shown](t, e).Text; got != "one 2" {
				t.Errorf("the text is %q", got)
			}
			return
		}
		expectError(t, e, 400, `editMode: Invalid option: expected one of "replace"|"append"|"prepend"`)
		if got := update(t, w, `"text":"3","editMode":"append"`).Text; got != "one two3" {
			t.Errorf("the text is %q", got)
		}
	})
}

func TestAnswersHaveTheKeysOfTheRelease(t *testing.T) {
	for key, test := range map[string]struct {
		since          Release
		endpoint, body string
		not            bool // the key is in earlier ones
	}{
		"templateManagement": {"1.7", "collections.info", `{"id":"` + openID + `"}`, false},
		"preferences":        {"", "documents.info", `{"id":"document00"}`, false},
		"collaborationToken": {"", "auth.info", `{}`, true},
		"sourceMetadata":     {"", "revisions.list", `{"documentId":"` + documentID(0) + `"}`, false},
		"text":               {"", "revisions.list", `{"documentId":"` + documentID(0) + `"}`, true},
		"data":               {"", "revisions.list", `{"documentId":"` + documentID(0) + `"}`, true},
	} {
		t.Run(key, func(t *testing.T) {
			eachRelease(t, test.since, func(t *testing.T, w *Workspace, has bool) {
				update(t, w, `"done":true`)
				var found map[string]json.RawMessage
				answer := do(t, w, test.endpoint, test.body)
				decode(t, []byte(strings.Trim(string(answer.Data), "[]")), &found)
				if _, ok := found[key]; ok != (has != test.not) {
					t.Errorf("the answer is %s", answer.Data)
				}
			})
		})
	}
	for _, release := range append(Releases(), "") {
		installed := data[struct{ Version string }](t, do(t, older(t, Options{Release: release}), "installation.info", `{}`)).Version
		if release != "" && !strings.HasPrefix(installed, string(release)) || release == "" && installed != "1.9.1" {
			t.Errorf("release %q calls itself %s", release, installed)
		}
	}
}

func TestReleasesHaveTreesAndForbidTheUnknownRevision(t *testing.T) {
	eachRelease(t, "", func(t *testing.T, w *Workspace, has bool) {
		if tree := treeShown(t, w); !prosemirror.Equal(tree, prosemirror.Parse("one two")) {
			t.Errorf("the tree is %s", tree.AppendJSON(nil))
		}
		e := call(t, w, keyOf("member"), "documents.restore", `{"id":"document00","revisionId":"00000000-0000-4000-8000-000000000000"}`)
		if want := map[bool]int{true: 404, false: 403}[has]; e.Status != want {
			t.Errorf("the answer is %d", e.Status)
		}
	})
}

func TestARedirectIsNoReadingInReleases(t *testing.T) {
	for release, status := range map[Release]int{"": 404, "1.9.2": 403, "1.5": 403} {
		w := older(t, Options{Release: release})
		w.store.keys[keyOf("scoped")].Scopes = []string{"read"}
		if e := call(t, w, keyOf("scoped"), "fileOperations.redirect", `{"id":"00000000-0000-4000-8000-000000000000"}`); e.Status != status {
			t.Errorf("release %q answers %d %s", release, e.Status, e.Message)
		}
	}
}

func TestAReplyMustBeOnTheSameDocumentFromRelease18On(t *testing.T) {
	eachRelease(t, "1.8", func(t *testing.T, w *Workspace, has bool) {
		other := data[titled](t, do(t, w, "documents.create", `{"title":"Other"}`)).ID
		parent := data[titled](t, do(t, w, "comments.create", `{"documentId":"`+other+`","text":"x"}`)).ID
		e := call(t, w, keyOf("member"), "comments.create", fmt.Sprintf(`{"documentId":%q,"text":"y","parentCommentId":%q}`, documentID(0), parent))
		if e.OK == has {
			t.Errorf("the answer is %d %s", e.Status, e.Message)
		}
	})
}

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

func TestAnUnknownReleaseIsRefusedWithTheKnownOnes(t *testing.T) {
	if _, err := ParseRelease("1.9.2"); err != nil {
		t.Error(err)
	}
	_, err := ParseRelease("2.0")
	_, emptyErr := Empty(Options{Release: "2.0"}, Seed{})
	for _, err := range []error{err, emptyErr} {
		if err == nil || !strings.Contains(err.Error(), `"2.0"`) || !strings.Contains(err.Error(), "1.5, 1.6, 1.7, 1.8, 1.9.0, 1.9.1, 1.9.2") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestReleasesRememberTheCollectionsOfListsForTenSeconds(t *testing.T) {
	for _, release := range []Release{"1.5", "1.9.2", ""} {
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
