package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// TestWhatOutlineStoresOtherwiseIsUndone uses a server that changes requests.
func TestWhatOutlineStoresOtherwiseIsUndone(t *testing.T) {
	t.Parallel()
	const text = "# Title\n\nWords that must stay.\n\n* one\n* two\n\nThe end is here."
	cuts := func(request map[string]any) { delete(request, "editMode") } // the text to append replaces everything
	damages := func(request map[string]any) {
		delete(request, "editMode")
		request["text"] = strings.NewReplacer("The end", "The finish", "Words that must stay", "Damaged words").Replace(text)
	}
	for name, test := range map[string]struct {
		tool      string
		arguments map[string]any
		options   fakeoutline.Options
		comment   string // an anchor, which no request can restore
		change    func(request map[string]any)
		meanwhile string // what another user adds before the undo
		restored  bool
		says      string
	}{
		"an edit": {tool: "edit_document", change: cuts, restored: true, says: "the change was undone immediately: the document is as it was"},
		"an edit elsewhere": {tool: "edit_document", restored: true, says: "-Words that must stay.",
			change: func(request map[string]any) {
				request["findText"], request["text"] = "Words that must stay.", "Other words."
			}},
		"a mark of an edit": {tool: "edit_document", restored: true, says: "+The **finish** is here.",
			change: func(request map[string]any) {
				request["text"] = strings.ReplaceAll(request["text"].(string), "finish", "**finish**")
			}},
		"an added text":   {tool: "update_document", arguments: map[string]any{"text": "more", "append": true}, change: cuts, restored: true, says: "undone immediately"},
		"a replaced text": {tool: "update_document", arguments: map[string]any{"text": "A new text."}, restored: true, says: "undone immediately", change: func(request map[string]any) { request["text"] = "x" }},
		"a title and a text": {tool: "update_document", arguments: map[string]any{"title": "New", "text": "A new text."}, restored: true, says: "undone immediately",
			change: func(request map[string]any) { request["text"] = "x" }},
		"what cannot be brought back": {tool: "edit_document", comment: "must stay", change: cuts, says: "It was not undone, because no request would restore it exactly"},
		"what another user went on with": {tool: "edit_document", change: cuts, meanwhile: "\n\nTheirs.",
			says: "It was not undone, because another user may have changed it since"},
		"an edit and damage elsewhere": {tool: "edit_document", change: damages, restored: true, says: "undone immediately"},
		"without a check of revisions": {tool: "edit_document", change: cuts, options: fakeoutline.Options{NoRevisionCheck: true}, restored: true, says: "undone immediately"},
		"without trees": {tool: "edit_document", change: cuts, options: fakeoutline.Options{NoTree: true},
			says: "It was not undone, because this server cannot tell exactly what was there"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, text, test.options)
			if test.comment != "" {
				e.comment(t, test.comment)
			}
			before, err := e.calm.DocumentWithTree(t.Context(), e.id)
			if err != nil {
				t.Fatal(err)
			}
			e.update = func(n int, request map[string]any) {
				if n > 1 {
					return
				}
				test.change(request)
				if test.meanwhile != "" {
					e.answered = func() {
						if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Text: &test.meanwhile, EditMode: "append"}); err != nil {
							t.Error(err)
						}
					}
				}
			}
			arguments := map[string]any{"document_id": e.id}
			if test.tool == "edit_document" {
				arguments["edits"] = []any{map[string]any{"old_text": "The end", "new_text": "The finish"}, map[string]any{"old_text": "Title", "new_text": "Name"}}
			}
			if name == "a mark of an edit" || strings.HasPrefix(name, "an edit ") {
				arguments["edits"] = []any{map[string]any{"old_text": "The end", "new_text": "The finish"}}
			}
			for k, v := range test.arguments {
				arguments[k] = v
			}
			answer, err := cli.Call(t.Context(), e.c, test.tool, arguments)
			if err != nil {
				t.Fatal(err)
			}
			var result edited
			if err := json.Unmarshal(answer.Structured, &result); err != nil {
				t.Fatal(err)
			}
			if answer.Code != output.WriteMismatch || result.Restored != test.restored || !strings.Contains(answer.Text, test.says) ||
				strings.Contains(answer.Text, "restored true") != test.restored || result.RevisionBefore != before.Revision || result.Diff == "" {
				t.Errorf("%+v\n%s", result, answer.Text)
			}
			now, err := e.calm.DocumentWithTree(t.Context(), e.id)
			if err != nil {
				t.Fatal(err)
			}
			same := now.Title == before.Title && now.Text == before.Text && prosemirror.EqualWithoutComments(now.Tree, before.Tree)
			if same != test.restored {
				t.Errorf("the document says %q", now.Text)
			}
			if test.restored && (now.Revision-result.Revision > 1 || result.EditsApplied != 0) { // Outline may have written a revision since
				t.Errorf("revision %d; %+v", now.Revision, result)
			}
			if test.meanwhile != "" && !strings.HasSuffix(now.Text, "Theirs.") {
				t.Errorf("what another user wrote is gone: %q", now.Text)
			}
			if !test.restored && !strings.Contains(answer.Text, "cannot be restored from its history") { // it is a draft
				t.Errorf("it does not say how to restore it: %s", answer.Text)
			}
		})
	}
}

func TestWhatIsUndoneLeavesTheEditsBeforeIt(t *testing.T) {
	e, revision := inTwoRequests(t)
	e.update = func(n int, request map[string]any) {
		if n == 2 {
			request["text"] = strings.ReplaceAll(request["text"].(string), "2", "**2**")
		}
	}
	result, answer := e.edit(t, nil, "one", "1", "two", "2")
	if answer.Code != output.WriteMismatch || !result.Restored || result.EditsApplied != 1 || result.RevisionBefore != revision {
		t.Errorf("%+v\n%s", result, answer.Text)
	}
	if got := e.text(t); got != "1 at first\n\nkept\n\ntwo then three" {
		t.Errorf("it says %q", got)
	}
}

func TestAPartlyWrittenUpdateSaysThatTheTitleIsNot(t *testing.T) {
	arguments := func(e *editing) map[string]any {
		return map[string]any{"document_id": e.id, "title": "New title", "text": "1 at first\n\nkept\n\n2 then three"}
	}
	for name, change := range map[string]func(e *editing, request map[string]any){
		"undone":  func(_ *editing, request map[string]any) { request["text"] = "**2** then" },
		"refused": func(_ *editing, request map[string]any) { request["findText"] = "not there" },
	} {
		e, _ := inTwoRequests(t)
		e.update = func(n int, request map[string]any) {
			if n == 2 {
				change(e, request)
			}
		}
		answer, err := cli.Call(t.Context(), e.c, "update_document", arguments(e))
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code == "" || !strings.Contains(answer.Text, `; these changes were not made: the title becomes "New title"`) {
			t.Errorf("%s: %s", name, answer.Text)
		}
		if now, err := e.calm.Document(t.Context(), e.id); err != nil || now.Title == "New title" {
			t.Errorf("%s: the title is %q, %v", name, now.Title, err)
		}
	}
}

func TestATextThatOutlineStoresOtherwiseIsToldWhenItIsCreated(t *testing.T) {
	for tool, arguments := range map[string]map[string]any{
		"create_document":        {"title": "New", "collection_id": operations, "text": "One.\n\nTwo."},
		"batch_create_documents": {"documents": []any{map[string]any{"title": "New", "collection_id": operations, "text": "One.\n\nTwo."}}},
	} {
		e := newEditing(t, "x", fakeoutline.Options{})
		e.create = func(request map[string]any) { request["text"] = "One.\n\n**Two.**" }
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code != output.WriteMismatch || !strings.Contains(answer.Text, `the document was created, but Outline stored something other than what was sent. The first difference: "Two." became "**Two.**"`) {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
}

func TestWithoutTreesTheMeaningOfANewTextIsCompared(t *testing.T) {
	for stored, wrong := range map[string]bool{"One.\n\n* Two.": false, "One.\n\n* Three.": true} {
		e := newEditing(t, "x", fakeoutline.Options{NoTree: true})
		e.create = func(request map[string]any) { request["text"] = stored }
		answer, err := cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "New", "collection_id": operations, "text": "One.\n\n- Two."})
		if err != nil {
			t.Fatal(err)
		}
		if (answer.Code == output.WriteMismatch) != wrong {
			t.Errorf("%q: %s", stored, answer.Text)
		}
	}
}

func TestACommentMadeMeanwhileIsNoMismatchAndStays(t *testing.T) {
	e := newEditing(t, "Words that must stay.\n\nThe end is here.", fakeoutline.Options{NoRevisionCheck: true})
	e.update = func(n int, _ map[string]any) {
		if n == 1 {
			e.comment(t, "must stay")
		}
	}
	result, answer := e.edit(t, nil, "end", "finish")
	if answer.Code != "" || !result.Verified {
		t.Errorf("%+v\n%s", result, answer.Text)
	}
	if marked := e.tree(t).Content[0].Content[1]; marked.Text != "must stay" || len(marked.Marks) != 1 || e.updates != 1 {
		t.Errorf("%+v after %d updates", marked, e.updates)
	}
}

// TestTextThatOutlineWouldDropIsRefused tries constructs that Outline drops without
// an error, each after the first line of a text.
func TestTextThatOutlineWouldDropIsRefused(t *testing.T) {
	for construct, text := range map[string]string{
		"checkbox":          "Before.\n\n| a |\n|---|\n| one<br>[x] two |",
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
