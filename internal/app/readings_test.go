package app_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

func TestACallerDoesNotReplaceWhatAnotherHasWrittenSinceItRead(t *testing.T) {
	var minutes atomic.Int64
	sample, err := fakeoutline.New(fakeoutline.Options{Now: func() time.Time {
		return time.Date(2026, 5, 1, 9, int(minutes.Add(1)), 0, 0, time.UTC)
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := serveTeam(t, app.Options{Transport: sample.Transport(), Now: sample.Now}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	call := func(key, tool string, arguments map[string]any) reply {
		params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
		if err != nil {
			t.Fatal(err)
		}
		return s.must(t, "tools/call", string(params), bearer(key))
	}
	const id, a, b = "488d6e14-db91-4e8e-99b4-c468545e6dc7", fakeoutline.AdminKey, fakeoutline.MemberKey
	read := func(key string) (text string) {
		whole := call(key, "read_document", map[string]any{"document_id": id}).text()
		_, text, _ = strings.Cut(whole, "\n\n")
		return text
	}
	old := read(a)
	read(b)
	if r := call(b, "update_document", map[string]any{"document_id": id, "text": old + "\n\nA line of B."}); r.Result.IsError {
		t.Fatal(r.text())
	}
	ours := map[string]any{"document_id": id, "text": old + "\n\nA line of A."}
	r := call(a, "update_document", ours)
	if !r.Result.IsError || !strings.Contains(r.text(), `"A line of B."`) || !strings.Contains(r.text(), "code conflict") {
		t.Errorf("A writes over what B has written: %s", r.text())
	}
	if r := call(b, "update_document", map[string]any{"document_id": id, "text": old + "\n\nA line of B.\n\nAnother."}); r.Result.IsError {
		t.Errorf("B has written the text itself: %s", r.text())
	}
	ours["text"] = read(a) + "\n\nA line of A."
	if r := call(a, "update_document", ours); r.Result.IsError {
		t.Errorf("A has read it again: %s", r.text())
	}
}
