package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// TestTextThatOutlineWouldDropIsRefused tries constructs that Outline drops without
// an error, each after the first line of a text.
func TestTextThatOutlineWouldDropIsRefused(t *testing.T) {
	for construct, text := range map[string]string{
		"checkbox":          "Before.\n\n- [ ] one\n- two [x] three",
		"callout that":      "Before.\n\n:::info\n| a |\n|---|\n| b |\n:::",
		"beyond the column": "Before.\n\n| a | b |\n|---|---|\n| 1 | 2 | 3 |",
		"definition":        "Before.\n\n[nobody]: https://example.com/refers",
	} {
		e := newEditing(t, "Old text.", fakeoutline.Options{})
		for tool, arguments := range map[string]map[string]any{
			"create_document":        {"title": "New", "collection_id": operations, "text": text},
			"update_document":        {"document_id": e.id, "text": text},
			"batch_create_documents": {"documents": []any{map[string]any{"title": "New", "collection_id": operations, "text": text}}},
			"batch_update_documents": {"updates": []any{map[string]any{"id": e.id, "text": text, "append": true}}},
			"edit_document":          {"document_id": e.id, "edits": []any{map[string]any{"old_text": "Old text.", "new_text": text}}},
		} {
			t.Run(construct+", "+tool, func(t *testing.T) {
				e.mu.Lock()
				e.requests, e.updates = nil, 0
				e.mu.Unlock()
				e.update = func(int, map[string]any) {}
				answer, err := cli.Call(t.Context(), e.c, tool, arguments)
				if err != nil {
					t.Fatal(err)
				}
				if answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "nothing was written: ") || !strings.Contains(answer.Text, "would silently drop") ||
					!strings.Contains(answer.Text, construct) || tool != "edit_document" && !strings.Contains(answer.Text, "line ") {
					t.Errorf("code %q: %s", answer.Code, answer.Text)
				}
				e.mu.Lock()
				requests := fmt.Sprint(e.requests)
				e.mu.Unlock()
				if e.updates != 0 || strings.Contains(requests, "documents.create") || e.text(t) != "Old text." {
					t.Errorf("%s, %q", requests, e.text(t))
				}
			})
		}
	}
}

func TestLinksToFilesKeepTheWordsBesideThem(t *testing.T) {
	const (
		text = "Read [the plan](/api/attachments.redirect?id=aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa) before Monday."
		note = "links to files were put into paragraphs of their own"
	)
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	written := func(id string) string {
		document, err := e.calm.Document(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return document.Text
	}
	check := func(tool, id, answer string) {
		t.Helper()
		if got := written(id); !strings.Contains(got, "Read\n\n[the plan") || !strings.HasSuffix(got, "before Monday.") || !strings.Contains(answer, note) {
			t.Errorf("%s: %s\n%q", tool, answer, got)
		}
	}
	one, answer := read[struct {
		DocumentID string `json:"document_id"`
		Notes      []string
	}](t, e.c, "create_document", map[string]any{"title": "New", "collection_id": operations, "text": text})
	check("create_document", one.DocumentID, answer)
	if len(one.Notes) != 1 {
		t.Errorf("%+v", one)
	}
	_, answer = read[any](t, e.c, "update_document", map[string]any{"document_id": e.id, "text": text, "append": true})
	check("update_document", e.id, answer)
	several, answer := read[created](t, e.c, "batch_create_documents", map[string]any{"documents": []any{map[string]any{"title": "New", "collection_id": operations, "text": text}}})
	check("batch_create_documents", several.CreatedIDs[0], answer)
	_, answer = read[any](t, e.c, "batch_update_documents", map[string]any{"updates": []any{map[string]any{"id": e.id, "text": "Old.\n\n" + text}}})
	check("batch_update_documents", e.id, answer)

	e = newEditing(t, "Old text.", fakeoutline.Options{})
	_, refused := e.edit(t, nil, "Old text.", text)
	if refused.Code != output.InvalidArguments || !strings.Contains(refused.Text, "text beside a link to an attachment") {
		t.Errorf("%s", refused.Text)
	}
	_, answered := e.edit(t, nil, "Old text.", "Read\n\n"+text[strings.Index(text, "["):strings.Index(text, " before")]+"\n\nbefore Monday.")
	check("edit_document", e.id, answered.Text+note)
}
