package fakeoutline

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"outline-mcp/outline/prosemirror"
)

func TestCommentsAreAttachedToPassagesAsRecorded(t *testing.T) {
	source, err := os.ReadFile("testdata/anchors.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Markdown, Text string
		Data           *prosemirror.Node
		Users, Anchors map[string]string
		Comments       []map[string]any
	}
	decode(t, source, &recorded)
	var seed Seed
	for role, id := range recorded.Users {
		seed.Users = append(seed.Users, User{ID: id, Name: role, Role: Role(role)})
		seed.Keys = append(seed.Keys, Key{ID: id, Secret: keyOf(role), UserID: id})
	}
	author := recorded.Users["admin"]
	seed.Collections = []Collection{{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite}}
	seed.Documents = []Document{{
		ID: documentID(0), URLID: "document00", Title: "Commented", Text: recorded.Markdown, CollectionID: openID,
		CreatedBy: author, UpdatedBy: author, PublishedAt: noon, Revision: 3,
	}}
	w, err := Empty(Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	revision := 3
	for _, comment := range recorded.Comments {
		as, ok := comment["as"].(string)
		if !ok {
			as = "admin"
		}
		if anchor := comment["anchorText"]; ok && anchor != "" {
			revision++
		}
		body := maps.Clone(comment)
		body["documentId"], body["text"] = documentID(0), "A comment."
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		e := call(t, w, keyOf(as), "comments.create", string(encoded))
		if e.Status != int(comment["status"].(float64)) {
			t.Errorf("%s is answered with %d %s", encoded, e.Status, e.Message)
		}
	}

	e := editor{w}
	var shown struct {
		Text     string
		Revision int
	}
	_, _, data := e.ask(t, 1, "documents.info", map[string]any{"id": documentID(0)})
	decode(t, data, &shown)
	if shown.Text != recorded.Text || shown.Revision != revision {
		t.Errorf("revision %d is %q, recorded %d %q", shown.Revision, shown.Text, revision, recorded.Text)
	}
	// Outline's tree ends with an empty paragraph, which its text does not show.
	want := recorded.Data.Content[:len(recorded.Data.Content)-1]
	if got := e.tree(t, documentID(0)); !slices.EqualFunc(got.Content, want, prosemirror.Equal) {
		t.Errorf("the tree is %s", got.AppendJSON(nil))
	}
	for id, want := range recorded.Anchors {
		var comment struct{ AnchorText string }
		_, _, data := e.ask(t, 1, "comments.info", map[string]any{"id": id, "includeAnchorText": true})
		decode(t, data, &comment)
		if comment.AnchorText != want {
			t.Errorf("the anchor of %s is %q, recorded %q", id, comment.AnchorText, want)
		}
	}
}
