package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

func TestOnAReleaseAnAnswerSaysWhatOthersDid(t *testing.T) {
	edits := []any{map[string]any{"old_text": "two", "new_text": "2"}}
	for name, test := range map[string]struct {
		tool      string
		arguments map[string]any
		theirs    string // the whole text that another user writes after the first update
		code      output.Code
		says      []string
		text      string
	}{
		"an edit": {"edit_document", map[string]any{"edits": edits}, "", "", []string{"guarded false", `"verified":true`}, "one 2\n\nend"},
		"an edit beside theirs": {"edit_document", map[string]any{"edits": edits}, "one 2\n\nENDE", "",
			[]string{`"verified":true`, "after this change, which is still there"}, "one 2\n\nENDE"},
		"an edit in the same paragraph": {"edit_document", map[string]any{"edits": edits}, "ONE 2\n\nend", "",
			[]string{`"verified":false`, "the words of this change are there"}, "ONE 2\n\nend"},
		"an edit that is overwritten": {"edit_document", map[string]any{"edits": edits}, "one two\n\nENDE", "",
			[]string{`"verified":true`, "another user changed the document while this call was under way"}, "one 2\n\nENDE"},
		"a text that is added": {"update_document", map[string]any{"text": "more", "append": true}, "", "", []string{"guarded false"}, "one two\n\nend\n\nmore"},
		"a text that is added twice": {"update_document", map[string]any{"text": "more", "append": true}, "one two\n\nend\n\nmore\n\nmore", output.WriteMismatch,
			[]string{`there twice: "more"`}, "one two\n\nend\n\nmore\n\nmore"},
		"a text that is overwritten": {"update_document", map[string]any{"text": "mine"}, "theirs", output.Conflict,
			[]string{"overwrote this change, which is not in the document", "Read it again"}, "theirs"},
		"a text of which a half stays": {"update_document", map[string]any{"text": "first words\n\nof mine"}, "first words\n\nof theirs", output.OutcomeUnknown,
			[]string{"add only what is missing"}, "first words\n\nof theirs"},
		"several": {"batch_update_documents", nil, "", "", []string{"guarded false"}, "one two\n\nend\n\nmore"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditing(t, "one two\n\nend", fakeoutline.Options{Release: "1.9.2"})
			e.update = func(n int, _ map[string]any) {
				if n == 1 && test.theirs != "" {
					e.answered = func() {
						if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Text: &test.theirs}); err != nil {
							t.Error(err)
						}
					}
				}
			}
			arguments := map[string]any{"document_id": e.id}
			for k, v := range test.arguments {
				arguments[k] = v
			}
			if test.tool == "batch_update_documents" {
				arguments = map[string]any{"updates": []any{map[string]any{"id": e.id, "text": "more", "append": true}}}
			}
			answer, err := cli.Call(t.Context(), e.c, test.tool, arguments)
			if err != nil || answer.Code != test.code {
				t.Errorf("%v, %s", err, answer.Text)
			}
			for _, words := range test.says {
				if !strings.Contains(answer.Text+string(answer.Structured), words) {
					t.Errorf("it does not say %q: %s", words, answer.Text)
				}
			}
			if test.code == "" && !strings.Contains(string(answer.Structured), `"guarded":false`) {
				t.Errorf("%s", answer.Structured)
			}
			if got := e.text(t); got != test.text {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestAnotherTitleThanTheWantedOneIsNotBlamedOnOthers(t *testing.T) {
	for name, arguments := range map[string]map[string]any{
		"title":          {"title": "Ours"},
		"title and text": {"title": "Ours", "text": "more", "append": true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, "one two", fakeoutline.Options{Release: "1.9.2"})
			e.update = func(_ int, request map[string]any) { request["title"] = "Cut" }
			arguments["document_id"] = e.id
			answer, err := cli.Call(t.Context(), e.c, "update_document", arguments)
			if err != nil || answer.Code != output.WriteMismatch || !strings.Contains(answer.Text, `the title is "Cut"`) {
				t.Errorf("%v, %s", err, answer.Text)
			}
		})
	}
}

// TestAnEditThatIsOverwrittenAfterTheNextIsTold lets another user overwrite
// several requests of one call at once.
func TestAnEditThatIsOverwrittenAfterTheNextIsTold(t *testing.T) {
	e := newEditing(t, "one two\n\nend", fakeoutline.Options{Release: "1.9.2", NoTree: true})
	e.update = func(n int, _ map[string]any) {
		if n == 2 {
			e.answered = func() {
				if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Text: new("one two\n\nend\n\ntheirs")}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	_, answer := e.edit(t, nil, "one", "1", "end", "END")
	if answer.Code != output.Conflict || !strings.Contains(answer.Text, "1 of 2 edits were made, but another user has written over them") {
		t.Error(answer.Text)
	}
	if text := e.text(t); text != "one two\n\nend\n\ntheirs" {
		t.Errorf("it says %q", text)
	}
}

// TestNoRevisionIsNamedIfOthersWriteBetweenTheRequestsOfACall lets another user
// write between two requests, the first of which leaves a revision to return to.
func TestNoRevisionIsNamedIfOthersWriteBetweenTheRequestsOfACall(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		for _, meddled := range []bool{false, true} {
			t.Run(fmt.Sprintf("like %q, meddled %v", release, meddled), func(t *testing.T) {
				t.Parallel()
				e := newEditing(t, "one two\n\nmiddle\n\nend", fakeoutline.Options{Release: release, NoTree: true})
				collections, err := e.calm.Collections(t.Context(), outline.ListParams{Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Publish: new(true), CollectionID: collections.Items[0].ID}); err != nil {
					t.Fatal(err)
				}
				e.update = func(_ int, request map[string]any) {
					if meddled && request["findText"] == "end" {
						meddled = false
						e.theirs(t, "middle", "theirs")
					}
				}
				named := !meddled
				result, answer := e.edit(t, nil, "one", "1", "end", "END")
				if answer.Code != "" || result.EditsApplied != 2 {
					t.Fatal(answer.Text)
				}
				if strings.Contains(answer.Text, "To undo: restore_document with") != named {
					t.Error(answer.Text)
				}
			})
		}
	}
}
