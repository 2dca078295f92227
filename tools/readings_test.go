package tools_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

const tides = "# Tides\n\nHigh at noon.\n\n## Berths\n\n- one\n- two\n\n## Lamps\n\nThe lamps are lit at dusk."

// call calls a tool, which must succeed.
func (e *editing) call(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	answer, err := cli.Call(t.Context(), e.c, tool, arguments)
	if err != nil || answer.Code != "" {
		t.Fatalf("%s: %v, %s", tool, err, answer.Text)
	}
	return answer.Text
}

// passing returns a clock that is a minute later each time, so that nobody is at work on a
// document that was just changed.
func passing() func() time.Time {
	var minutes atomic.Int64
	return func() time.Time { return time.Date(2026, 5, 1, 9, int(minutes.Add(1)), 0, 0, time.UTC) }
}

// theirTitle is a change of the title by another user.
func (e *editing) theirTitle(t *testing.T, title string) {
	t.Helper()
	if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, Title: &title}); err != nil {
		t.Fatal(err)
	}
}

func TestAWholeTextOverANewerOneThanTheCallerHasReadIsRefused(t *testing.T) {
	id := func(e *editing) map[string]any { return map[string]any{"document_id": e.id} }
	for name, reads := range map[string]func(t *testing.T, e *editing){
		"read_document":        func(t *testing.T, e *editing) { e.call(t, "read_document", id(e)) },
		"a part":               func(t *testing.T, e *editing) { e.readText(t, map[string]any{"start_line": 3, "max_lines": 2}) },
		"get_document_outline": func(t *testing.T, e *editing) { e.call(t, "get_document_outline", id(e)) },
		"read_document_section": func(t *testing.T, e *editing) {
			e.call(t, "read_document_section", map[string]any{"document_id": e.id, "heading": "Lamps"})
		},
		"batch_read_documents": func(t *testing.T, e *editing) {
			e.call(t, "batch_read_documents", map[string]any{"document_ids": []string{e.id}})
		},
		"fetch": func(t *testing.T, e *editing) { e.call(t, "fetch", map[string]any{"id": e.id}) },
		"a resource": func(t *testing.T, e *editing) {
			request := mcp.ReadResourceRequest{}
			request.Params.URI = "outline://documents/" + e.id
			if _, err := e.c.ReadResource(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		},
		"its own whole text": func(t *testing.T, e *editing) { e.replaceText(t, map[string]any{"text": tides + "\n\nOwn line."}) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
			reads(t, e)
			old := e.text(t)
			e.theirs(t, "High at noon.", "High at noon, low at six.")
			stored := e.text(t)
			for tool, arguments := range map[string]map[string]any{
				"update_document":        {"document_id": e.id, "text": old + "\n\nAdded."},
				"batch_update_documents": {"updates": []any{map[string]any{"document_id": e.id, "text": old + "\n\nAdded."}}},
			} {
				answer, err := cli.Call(t.Context(), e.c, tool, arguments)
				if err != nil {
					t.Fatal(err)
				}
				e.refuses(t, answer, output.Conflict, stored, "since you read revision ", "changed it last, at 20", `line 3 is new, "High at noon, low at six."`)
			}
			shown, _ := e.readText(t, nil)
			if answer := e.replaceText(t, map[string]any{"text": shown + "\n\nAdded."}); answer.Code != "" {
				t.Errorf("after it was read again: %s", answer.Text)
			}
		})
	}
}

func TestTheRevisionOfTheNewerTextIsAWayOut(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.readText(t, nil)
	e.theirs(t, "High at noon.", "High at one.")
	document, err := e.calm.Document(t.Context(), e.id)
	if err != nil {
		t.Fatal(err)
	}
	e.refuses(t, e.replaceText(t, map[string]any{"text": tides}), output.Conflict, document.Text)
	if answer := e.replaceText(t, map[string]any{"text": tides, "expected_revision": document.Revision}); answer.Code != "" {
		t.Error(answer.Text)
	}
}

func TestWhatACallerHasWrittenItselfIsNoConflict(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.readText(t, nil)
	e.replaceText(t, map[string]any{"text": "Appended.", "append": true})
	e.call(t, "edit_document", map[string]any{"document_id": e.id, "edits": []any{map[string]any{"old_text": "High at noon.", "new_text": "High at two."}}})
	e.replaceText(t, map[string]any{"title": "Other", "icon": "🌊"})
	e.replaceText(t, map[string]any{"heading": "Lamps", "text": "No lamps."})
	e.do(t, "documents.update", map[string]any{"id": e.id, "publish": true, "collectionId": operations}) // raises the revision
	if answer := e.replaceText(t, map[string]any{"text": tides + "\n\nAdded.", "title": "Third", "icon": "🚀"}); answer.Code != "" {
		t.Error(answer.Text)
	}
}

func TestAnEditDoesNotHideWhatWasChangedBeforeIt(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.readText(t, nil)
	e.theirs(t, "one", "one and a half")
	e.call(t, "edit_document", map[string]any{"document_id": e.id, "edits": []any{map[string]any{"old_text": "High at noon.", "new_text": "High at two."}}})
	stored := e.text(t)
	e.refuses(t, e.replaceText(t, map[string]any{"text": tides}), output.Conflict, stored, "one and a half")
}

func TestAnOwnEditIsNoConflictOnceTheChangeBeforeItIsRead(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.readText(t, nil)
	e.theirs(t, "one", "one and a half")
	e.replaceText(t, map[string]any{"text": "Own end.", "append": true})
	e.call(t, "edit_document", map[string]any{"document_id": e.id, "edits": []any{map[string]any{"old_text": "High at noon.", "new_text": "High at two."}}})
	e.call(t, "edit_document", map[string]any{"document_id": e.id, "edits": []any{map[string]any{"old_text": "one and a", "new_text": "1 and a"}}})
	stored := e.text(t)
	answer := e.replaceText(t, map[string]any{"text": stored + "\n\nAdded."})
	e.refuses(t, answer, output.Conflict, stored, "1 and a half")
	if strings.Contains(answer.Text, "two") || strings.Contains(answer.Text, "Own end") {
		t.Errorf("it names what the caller has written: %s", answer.Text)
	}
	e.readText(t, map[string]any{"start_line": 6, "max_lines": 4})
	if answer := e.replaceText(t, map[string]any{"text": stored + "\n\nAdded."}); answer.Code != "" {
		t.Errorf("after their line was read: %s", answer.Text)
	}
}

func TestACallerThatHasNotReadADocumentMayReplaceIt(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.theirs(t, "High at noon.", "High at one.")
	if answer := e.replaceText(t, map[string]any{"text": tides, "title": "New"}); answer.Code != "" {
		t.Error(answer.Text)
	}
}

func TestASectionIsRefusedOnlyIfItHasChanged(t *testing.T) {
	for _, test := range []struct{ find, text, heading, says string }{
		{"- one", "- one\n- one and a half", "Berths", "one and a half"},
		{"- two", "", "Berths", "1 line is gone"},
		{"- one", "- one\n- one and a half", "Lamps", ""},
		{"High at noon.", "", "Berths", ""},
		{"\n\n## Lamps\n\nThe lamps are lit at dusk.", "", "Berths", ""},
		{"## Lamps", "## Masts\n\nThree.\n\n## Lamps", "Berths", ""},
	} {
		e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
		e.readText(t, nil)
		changed := strings.Replace(e.text(t), strings.Replace(test.find, "- ", "* ", 1), strings.ReplaceAll(test.text, "- ", "* "), 1)
		e.do(t, "documents.update", map[string]any{"id": e.id, "text": changed})
		stored := e.text(t)
		if stored == tides {
			t.Fatal("nothing has changed")
		}
		answer := e.replaceText(t, map[string]any{"heading": test.heading, "text": "- one\n- two\n- three"})
		if test.says != "" {
			e.refuses(t, answer, output.Conflict, stored, test.says)
		} else if answer.Code != "" {
			t.Errorf("%+v: %s", test, answer.Text)
		}
	}
}

func TestATitleThatWasChangedSinceItWasReadIsNotReplaced(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	shown, _ := e.readText(t, nil)
	e.theirTitle(t, "Theirs")
	stored := e.text(t)
	for _, arguments := range []map[string]any{{"title": "Ours"}, {"title": "Ours", "text": shown + "\n\nAdded."}, {"title": "Ours", "text": "More.", "append": true}} {
		e.refuses(t, e.replaceText(t, arguments), output.Conflict, stored, `the title is "Theirs"`)
	}
	for _, arguments := range []map[string]any{{"text": shown + "\n\nAdded."}, {"title": "Theirs", "icon": "🌊"}} {
		if answer := e.replaceText(t, arguments); answer.Code != "" {
			t.Errorf("%v: %s", arguments, answer.Text)
		}
	}
	e.readText(t, nil)
	if answer := e.replaceText(t, map[string]any{"title": "Ours"}); answer.Code != "" {
		t.Error(answer.Text)
	}
}

func TestAgreeingToABatchDoesNotCountAsReading(t *testing.T) {
	on := newSample(t)
	c, _ := asksOn(t, on, agrees(), "OUTLINE_CONFIRM=writes")
	other, _ := asksOn(t, on, nil)
	old, _ := read[struct{ Text string }](t, c, "read_document", map[string]any{"document_id": soup})
	call(t, other, "update_document", map[string]any{"document_id": soup, "text": "In between.", "append": true})
	answer := call(t, c, "batch_update_documents", map[string]any{"updates": []any{map[string]any{"document_id": soup, "text": old.Text + "\n\nAdded."}}})
	if answer.Code != output.Conflict || !strings.Contains(answer.Text, `"In between."`) {
		t.Errorf("%s: %s", answer.Code, answer.Text)
	}
}

func TestAPartThatIsReadLaterDoesNotStandForTheWhole(t *testing.T) {
	e := newEditing(t, tides, fakeoutline.Options{Now: passing()})
	e.readText(t, nil)
	e.theirs(t, "High at noon.", "High at one.")
	stored := e.text(t)
	e.readText(t, map[string]any{"start_line": 5})
	e.refuses(t, e.replaceText(t, map[string]any{"text": tides}), output.Conflict, stored, "High at one.")
	e.readText(t, map[string]any{"max_lines": 4})
	if answer := e.replaceText(t, map[string]any{"text": stored + "\n\nAdded."}); answer.Code != "" {
		t.Errorf("after both parts were read: %s", answer.Text)
	}
}

func TestTheEndOfAPartThatWasReadIsRemembered(t *testing.T) {
	e := newEditing(t, tides+"\n\nMasts are painted in May.", fakeoutline.Options{Now: passing()})
	shown, next := e.readText(t, map[string]any{"max_lines": 12})
	if next == 0 {
		t.Fatal("it is not cut")
	}
	stored := e.text(t)
	e.refuses(t, e.replaceText(t, map[string]any{"text": strings.Replace(shown, "noon", "one", 1)}), output.InvalidArguments, stored, "leaves out the 1 line after it")
}
