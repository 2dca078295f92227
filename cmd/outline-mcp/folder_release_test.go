package main

import (
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

func TestAPushToAReleaseKeepsCodeWhoseFenceItShowsTooShort(t *testing.T) {
	t.Parallel()
	sample, err := fakeoutline.New(fakeoutline.Options{Release: "1.9.2"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWiki(t, sample)
	address, _ := strings.CutPrefix(w.settings[0], "OUTLINE_API_URL=")
	client, err := outline.New(outline.Options{BaseURL: address, Credentials: outline.StaticKey(fakeoutline.AdminKey)})
	if err != nil {
		t.Fatal(err)
	}
	const code = "````md\n```js\nx\n```\n````"
	page := "Some words.\n\n" + code + "\n\n* item\n\n  " + strings.ReplaceAll(code, "\n", "\n  ") + "\n\n" +
		":::info\nNote.\n\n" + code + "\n\n:::\n\n| A |\n|---|\n| " + strings.ReplaceAll(code, "\n", "<br>") + " |\n\nAn end."
	id := w.call("create_document", map[string]any{"title": "Fences", "collection_id": w.collection("Handbook"), "text": page, "publish": true})["document_id"].(string)
	w.run(0, "pull")
	const name = "Handbook/Fences.md"
	if shown := w.file(name); strings.Contains(shown, "````") {
		t.Fatalf("the release shows long fences: %s", shown)
	}
	w.replace(name, "An end.", "Another end.\n\nAnd a paragraph.")
	w.run(0, "push", "--yes")
	stored, err := client.DocumentWithTree(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := prosemirror.Until192.Parse(strings.Replace(page, "An end.", "Another end.\n\nAnd a paragraph.", 1))
	if !prosemirror.Equal(stored.Tree, want) {
		t.Errorf("the page is %s\nwant %s", stored.Tree.AppendJSON(nil), want.AppendJSON(nil))
	}
	if out := w.run(0, "status"); !strings.Contains(out, "Nothing") && strings.Contains(out, name) {
		t.Errorf("status says %q", out)
	}
}
