package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDraftsStayDraftsUntilTheyAreMovedIntoACollection(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	create := func(title string, more map[string]any) {
		arguments := map[string]any{"title": title, "text": "Text of " + title + ".", "publish": false}
		for name, value := range more {
			arguments[name] = value
		}
		w.call("create_document", arguments)
	}
	create("Alone", nil)
	create("In Finance", map[string]any{"collection_id": w.collection("Finance")})
	w.run(0, "pull")
	if _, err := os.Stat(filepath.Join(w.dir, "_drafts")); err == nil {
		t.Error("drafts are pulled without being asked for")
	}
	out := w.run(0, "pull", "--drafts")
	for _, name := range []string{"_drafts/Alone.md", "_drafts/In Finance.md"} {
		if !strings.Contains(out, "new        "+name+"\n") {
			t.Errorf("pull lacks %s: %s", name, out)
		}
	}
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("the next pull says %q", out)
	}
	w.write("_drafts/Alone.md", w.file("_drafts/Alone.md")+"\nMore.\n")
	w.write("_drafts/New.md", "New.\n")
	w.write("_drafts/Below/New.md", "Below a draft.\n")
	if out := w.run(1, "status"); strings.Count(out, "\n") != 3 || !strings.Contains(out, "a draft has no pages below it") {
		t.Errorf("status says %q", out)
	}
	w.run(1, "push", "--yes")
	for _, name := range []string{"_drafts/Alone.md", "_drafts/New.md"} {
		if document := w.call("read_document", map[string]any{"document_id": w.id(name)}); document["status"] != "draft" {
			t.Errorf("%s is %v", name, document["status"])
		}
	}
	if text := w.text(w.id("_drafts/Alone.md")); !strings.Contains(text, "More.") {
		t.Errorf("Outline holds %q", text)
	}
	// Into a collection, each of them, and below a page.
	w.rename("_drafts/Alone.md", "Finance/Finance overview/Alone.md")
	w.rename("_drafts/In Finance.md", "Handbook/Not in Finance.md")
	if plan := w.run(0, "push", "--dry-run"); strings.Count(plan, "published)") != 2 {
		t.Errorf("the plan is %s", plan)
	}
	w.run(1, "push", "--yes")
	for _, name := range []string{"Finance/Finance overview/Alone.md", "Handbook/Not in Finance.md"} {
		if document := w.call("read_document", map[string]any{"document_id": w.id(name)}); document["status"] != "published" {
			t.Errorf("%s is %v", name, document["status"])
		}
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "_drafts/Below")); err != nil {
		t.Fatal(err)
	}
	w.run(0, "status")
	other := w.beside()
	other.run(0, "pull", "--drafts")
	sameFiles(t, "another folder", other.files(), w.files())
	// A page does not become a draft, and a draft whose file is gone goes to the trash.
	w.rename("Handbook/Not in Finance.md", "_drafts/Not in Finance.md")
	if out := w.run(1, "push", "--yes"); !strings.Contains(out, "unpublish it in Outline") {
		t.Errorf("push says %q", out)
	}
	w.rename("_drafts/Not in Finance.md", "Handbook/Not in Finance.md")
	if err := os.Remove(filepath.Join(w.dir, "_drafts/New.md")); err != nil {
		t.Fatal(err)
	}
	if out := w.run(0, "push", "--yes", "--delete"); !strings.Contains(out, "deleted    _drafts/New.md") {
		t.Errorf("push says %q", out)
	}
	// Published in Outline, the file moves.
	id := other.id("_drafts/New.md")
	other.run(0, "pull")
	if _, err := os.Stat(filepath.Join(other.dir, "_drafts/New.md")); err == nil {
		t.Errorf("the draft %s is in the trash, and its file is there", id)
	}
}

func TestDraftsOfOneCollectionStayInItsFolder(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.call("create_document", map[string]any{"title": "Elsewhere", "text": "x", "publish": false})
	w.run(0, "pull", "--collection", "Finance", "--drafts")
	w.write("_drafts/New.md", "New.\n")
	w.run(0, "push", "--yes")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("pull says %q", out)
	}
	id := w.id("_drafts/New.md")
	w.call("update_document", map[string]any{"document_id": id, "publish": true})
	if out := w.run(0, "pull"); !strings.Contains(out, "moved      Finance/New.md  (from _drafts/New.md)") {
		t.Errorf("pull says %q", out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "_drafts/Elsewhere.md")); err == nil {
		t.Error("a draft of no collection is in the folder of one")
	}
}
