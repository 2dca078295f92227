package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

func TestADigestShowsTheLinesThatChangedInEachDocument(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	e := newEditing(t, "unused", fakeoutline.Options{Now: func() time.Time {
		moment = moment.Add(time.Second)
		return moment
	}})
	collection, ids := e.collectionOf(t, "Lunch is at 12.\n\nIt costs €5.", "Nobody changes this.")
	digest := func(arguments map[string]any) map[string]string {
		t.Helper()
		arguments["collection_id"], arguments["changes"] = collection, true
		answer, err := cli.Call(t.Context(), e.c, "list_documents", arguments)
		if err != nil || answer.Code != "" {
			t.Fatalf("%v %s", err, answer.Text)
		}
		var list struct {
			Documents []struct {
				ID      string `json:"document_id"`
				Changes string
			}
		}
		if err := json.Unmarshal(answer.Structured, &list); err != nil {
			t.Fatal(err)
		}
		changes := map[string]string{}
		for _, d := range list.Documents {
			changes[d.ID] = d.Changes
			if !strings.Contains(answer.Text, strings.TrimSpace(d.Changes)) {
				t.Errorf("the text does not have %q:\n%s", d.Changes, answer.Text)
			}
		}
		return changes
	}
	began := moment.Add(time.Minute).Format(time.RFC3339)
	moment = moment.Add(time.Hour)
	for _, edit := range [][2]string{{"12", "13"}, {"€5", "€6"}} {
		if answer, err := cli.Call(t.Context(), e.c, "edit_document", map[string]any{"document_id": ids[0], "edits": []any{map[string]any{"old_text": edit[0], "new_text": edit[1]}}}); err != nil || answer.Code != "" {
			t.Fatalf("%v %s", err, answer.Text)
		}
		moment = moment.Add(time.Hour)
	}
	if got := digest(map[string]any{"updated_after": began}); len(got) != 1 || got[ids[0]] != "  -Lunch is at 12.\n  +Lunch is at 13.\n  -It costs €5.\n  +It costs €6.\n" {
		t.Errorf("since it began: %q", got)
	}
	if got := digest(map[string]any{}); got[ids[0]] != "  -It costs €5.\n  +It costs €6.\n" {
		t.Errorf("the latest change: %q", got)
	}
	began = moment.Add(time.Minute).Format(time.RFC3339)
	for n, change := range []map[string]any{{"title": "Another", "text": "More.", "append": true}, {"title": "A third"}, {"icon": "🚀"}} {
		moment = moment.Add(time.Hour)
		change["document_id"] = ids[0]
		if answer := call(t, e.c, "update_document", change); answer.Code != "" {
			t.Fatal(answer.Text)
		}
		want := []string{"  renamed from \"Page\"\n  +More.\n", "  renamed from \"Another\"\n", "  the text is the same\n"}[n]
		if got := digest(map[string]any{}); got[ids[0]] != want {
			t.Errorf("%v: %q", change, got[ids[0]])
		}
	}
	if got := digest(map[string]any{"updated_after": began}); got[ids[0]] != "  renamed from \"Page\"\n  +More.\n" {
		t.Errorf("after the renames: %q", got)
	}
	if got := digest(map[string]any{"updated_after": "2026-04"}); got[ids[0]] != "  new\n" || got[ids[1]] != "  new\n" {
		t.Errorf("before they were created: %q", got)
	}
}
