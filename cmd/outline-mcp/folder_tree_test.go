package main

import (
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// tree is the tree of a page in Outline.
func (w wiki) tree(id string) *prosemirror.Node {
	w.t.Helper()
	address, _ := strings.CutPrefix(w.settings[0], "OUTLINE_API_URL=")
	client, err := outline.New(outline.Options{BaseURL: address, Credentials: outline.StaticKey(fakeoutline.AdminKey)})
	if err != nil {
		w.t.Fatal(err)
	}
	page, err := client.DocumentWithTree(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return page.Tree
}

func TestAPushToAReleaseKeepsCodeWhoseFenceItShowsTooShort(t *testing.T) {
	t.Parallel()
	sample, err := fakeoutline.New(fakeoutline.Options{Release: "1.9.2"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWiki(t, sample)
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
	stored := w.tree(id)
	want := prosemirror.Until192.Parse(strings.Replace(page, "An end.", "Another end.\n\nAnd a paragraph.", 1))
	if !prosemirror.Equal(stored, want) {
		t.Errorf("the page is %s\nwant %s", stored.AppendJSON(nil), want.AppendJSON(nil))
	}
	if out := w.run(0, "status"); !strings.Contains(out, "Nothing") && strings.Contains(out, name) {
		t.Errorf("status says %q", out)
	}
}

func TestAPushKeepsBoldCodeOrRefusesTheFile(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, "Run **`make install`** as root.\n\nThe end.")
	before := w.stored(id)
	if !strings.Contains(before, "`**make install**`") {
		t.Fatalf("bold code is shown as %q", before)
	}
	w.replace(file, "make install", "make uninstall")
	for _, args := range [][]string{{"--dry-run"}, {"--yes"}} {
		if out := w.run(1, "push", args...); !strings.Contains(out, "refused") || !strings.Contains(out, "as root.\", the passage holds formatting") {
			t.Errorf("push %s says %s", args, out)
		}
		if w.stored(id) != before {
			t.Fatal("the page has changed")
		}
	}
	w.replace(file, "make uninstall", "make install")
	w.replace(file, "as root.", "as any user.")
	w.run(0, "push", "--yes")
	if now, want := w.tree(id), prosemirror.Parse("Run **`make install`** as any user.\n\nThe end."); !prosemirror.Equal(now, want) {
		t.Errorf("Outline holds %s", now.AppendJSON(nil))
	}
}
