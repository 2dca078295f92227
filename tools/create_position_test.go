package tools_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

func TestANewDocumentIsPlacedAndChildrenKeepTheirOrder(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "unused", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "the parent")
	create := func(arguments map[string]any) string {
		t.Helper()
		answer, err := cli.Call(t.Context(), e.c, "create_document", arguments)
		if err != nil || answer.Code != "" {
			t.Fatalf("%v: %v %s", arguments, err, answer.Text)
		}
		return answer.Text
	}
	for _, title := range []string{"one", "two", "three"} {
		create(map[string]any{"title": title, "parent_document_id": ids[0]})
	}
	create(map[string]any{"title": "zero", "parent_document_id": ids[0], "position": "FIRST"})
	create(map[string]any{"title": "one and a half", "position": "one"})
	create(map[string]any{"title": "end", "collection_id": collection, "position": " Last"})
	create(map[string]any{"title": "top", "collection_id": collection})
	tree, err := e.calm.CollectionDocuments(t.Context(), collection)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, node := range tree {
		got = append(got, node.Title)
		for _, child := range node.Children {
			got = append(got, "- "+child.Title)
		}
	}
	if want := "top, Page, - zero, - one, - one and a half, - two, - three, end"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	answer, err := cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "x", "collection_id": collection, "position": "two"})
	if err != nil || answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, "is not directly in the place") {
		t.Errorf("%v: %s", err, answer.Text)
	}
	answer, err = cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "x", "collection_id": collection, "position": "last", "publish": false})
	if err != nil || answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, "a draft has no position: leave position out") {
		t.Errorf("%v: %s", err, answer.Text)
	}
}
