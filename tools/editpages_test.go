package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// editedPages is what edit_document answers about several documents.
type editedPages struct {
	Succeeded, Failed int
	Notes             []string
	Documents         []struct {
		Status, Title, Diff, Error, Code string
		DocumentID                       string `json:"document_id"`
		Edits                            []int
		EditsApplied                     int `json:"edits_applied"`
		Occurrences                      int
		Changed, Verified                bool
	}
}

// pages creates documents with these texts, and returns their IDs.
func (e *editing) pages(t *testing.T, texts ...string) (ids []string) {
	t.Helper()
	for i, text := range texts {
		document, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: fmt.Sprint("Page ", i), Text: text})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, document.ID)
	}
	return ids
}

// textOf is what a document says now.
func (e *editing) textOf(t *testing.T, id string) string {
	t.Helper()
	document, err := e.calm.Document(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return document.Text
}

func (e *editing) editPages(t *testing.T, arguments map[string]any) (editedPages, cli.Answer) {
	t.Helper()
	answer, err := cli.Call(t.Context(), e.c, "edit_document", arguments)
	if err != nil {
		t.Fatal(err)
	}
	var pages editedPages
	if err := json.Unmarshal(answer.Structured, &pages); err != nil {
		t.Fatalf("%v: %s", err, answer.Text)
	}
	return pages, answer
}

func TestARenameInManyPagesIsOneCallAndEachPageIsExactOrRefused(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "unused", fakeoutline.Options{})
	texts := make([]string, 12)
	for i := range texts {
		texts[i] = fmt.Sprintf("# Harbor %d\n\nHarbor is **Harbor**, not harbour.\n\n| Harbor | b |\n|----|----|\n| x | Harbor |", i)
	}
	texts[7] = "Nothing of that name"
	ids := e.pages(t, texts...)
	var edits []map[string]any
	for _, id := range ids {
		edits = append(edits, map[string]any{"document_id": id, "old_text": "Harbor", "new_text": "Harbor Bay", "all_occurrences": true})
	}
	edits = append(edits, map[string]any{"document_id": strings.ToUpper(ids[0]), "old_text": "not harbour", "new_text": "not a harbour"})
	for _, dry := range []bool{true, false} {
		before := entries(ids, func(id string) string { return e.textOf(t, id) })
		pages, answer := e.editPages(t, map[string]any{"document_id": ids[3], "edits": edits, "dry_run": dry})
		if pages.Succeeded != 11 || pages.Failed != 1 || len(pages.Documents) != 12 {
			t.Fatalf("%+v: %s", pages, answer.Text)
		}
		for i, page := range pages.Documents {
			want := before[i]
			if !dry && i != 7 {
				want = strings.ReplaceAll(want, "Harbor", "Harbor Bay")
			}
			if i == 0 && !dry {
				want = strings.ReplaceAll(want, "not harbour", "not a harbour")
			}
			if got := e.textOf(t, ids[i]); unpadded(got) != unpadded(want) {
				t.Errorf("dry_run %v, page %d says %q, want %q", dry, i, got, want)
			}
			switch {
			case page.DocumentID != ids[i] || page.Title != fmt.Sprint("Page ", i):
				t.Errorf("page %d is %+v", i, page)
			case i == 7:
				if page.Status != "failed" || page.Code != "not_found" || !strings.Contains(page.Error, "edits[7]") || !strings.Contains(answer.Text, "FAILED \"Page 7\"") {
					t.Errorf("the page without the name: %+v\n%s", page, answer.Text)
				}
			case page.Status != "success" || page.Changed == dry || page.Verified == dry || page.Diff == "" || page.Occurrences != map[bool]int{true: 6, false: 5}[i == 0]:
				t.Errorf("dry_run %v, page %d: %+v", dry, i, page)
			}
		}
	}
}

func TestAnEditOfSeveralDocumentsIsBoundedAndNamesOne(t *testing.T) {
	e := newEditing(t, "unused", fakeoutline.Options{})
	ids := e.pages(t, "one a", "two a")
	edit := func(id string) map[string]any {
		return map[string]any{"document_id": id, "old_text": "a", "new_text": "b"}
	}
	for name, test := range map[string]struct {
		arguments map[string]any
		says      string
	}{
		"a revision of two":    {map[string]any{"document_id": ids[0], "edits": []any{edit(ids[0]), edit(ids[1])}, "expected_revision": 1}, "expected_revision is the revision of one document"},
		"a document not there": {map[string]any{"document_id": ids[0], "edits": []any{edit(uuid(4711)), edit(uuid(4712))}}, "None of 2 documents was edited"},
		"more than a hundred":  {map[string]any{"document_id": ids[0], "edits": make([]any, 101)}, "100"},
	} {
		answer, err := cli.Call(t.Context(), e.c, "edit_document", test.arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code == "" || !strings.Contains(answer.Text, test.says) {
			t.Errorf("%s: %s", name, answer.Text)
		}
	}
	if e.textOf(t, ids[0]) != "one a" || e.textOf(t, ids[1]) != "two a" {
		t.Error("something was written")
	}
}

func TestADocumentThatIsNotFoundKeepsNoOtherFromItsEdits(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "unused", fakeoutline.Options{})
	ids := e.pages(t, "one a", "two a")
	for i, bad := range []string{"no document of that title", "https://elsewhere.example.com/doc/x-AbCdEfGhIj", uuid(4711)} {
		from, to := []string{"a", "b", "c", "d"}[i], []string{"a", "b", "c", "d"}[i+1]
		pages, answer := e.editPages(t, map[string]any{"document_id": ids[0], "edits": []any{
			map[string]any{"old_text": " " + from, "new_text": " " + to},
			map[string]any{"document_id": bad, "old_text": " " + from, "new_text": " " + to},
			map[string]any{"document_id": ids[1], "old_text": " " + from, "new_text": " " + to},
			map[string]any{"document_id": bad, "old_text": "x", "new_text": "y"},
		}})
		if pages.Succeeded != 2 || pages.Failed != 1 || len(pages.Documents) != 3 {
			t.Fatalf("%s: %+v: %s", bad, pages, answer.Text)
		}
		if failed := pages.Documents[1]; failed.DocumentID != bad || failed.Code == "" || failed.Error == "" || !slices.Equal(failed.Edits, []int{1, 3}) {
			t.Errorf("%+v", failed)
		}
		if e.textOf(t, ids[0]) != "one "+to || e.textOf(t, ids[1]) != "two "+to {
			t.Errorf("%s: not written: %s", bad, answer.Text)
		}
	}
	if _, answer := e.editPages(t, map[string]any{"document_id": "no document of that title", "edits": []any{map[string]any{"old_text": "a", "new_text": "b"}}}); answer.Code == "" || strings.Contains(answer.Text, "None of") {
		t.Error(answer.Text)
	}
}

// Each occurrence needs its own request where one that spans them would lose what
// is between.
func TestAllOccurrencesAreReplacedAroundWhatMarkdownCannotExpress(t *testing.T) {
	text := func(s string) *prosemirror.Node {
		return &prosemirror.Node{Type: prosemirror.Text, Text: s}
	}
	paragraph := func(content ...*prosemirror.Node) *prosemirror.Node {
		return &prosemirror.Node{Type: prosemirror.Paragraph, Content: content}
	}
	commented := text("words")
	commented.Marks = []prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: uuid(5)}, {Name: "userId", Value: uuid(90001)}}}}
	e := newEditingOf(t, &prosemirror.Node{Type: prosemirror.Doc, Content: []*prosemirror.Node{
		paragraph(text("Old name first.")), paragraph(text("Some "), commented, text(" here.")), paragraph(text("Old name last.")),
	}}, fakeoutline.Options{})
	pages, answer := e.editPages(t, map[string]any{"document_id": e.id, "edits": []any{
		map[string]any{"old_text": "Old name", "new_text": "Old name, renamed", "all_occurrences": true},
	}})
	if got := e.text(t); got != "Old name, renamed first.\n\nSome words here.\n\nOld name, renamed last." || pages.Documents != nil {
		t.Errorf("it says %q: %s", got, answer.Text)
	}
	if left := edit.Lost(paragraph(commented), e.tree(t)).CommentAnchors; len(left) > 0 {
		t.Errorf("lost %v", left)
	}
	if !strings.Contains(answer.Text, "edits_applied 1, occurrences 2,") {
		t.Error(answer.Text)
	}
}

// unpadded is a text without what pads the cells of tables.
func unpadded(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "-", "")), " ")
}

func entries(ids []string, of func(string) string) (list []string) {
	for _, id := range ids {
		list = append(list, of(id))
	}
	return list
}
