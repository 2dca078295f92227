package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

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
