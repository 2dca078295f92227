//go:build linux && !race

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/hostile"
	"outline-mcp/internal/workspace"
)

// api calls Outline as the member and returns the ID in the answer.
func (s attacked) api(t *testing.T, endpoint, body string) (id string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.outline.URL+"/api/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+workspace.MemberKey)
	answer, err := s.outline.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ Data struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", endpoint, answer.Status, err)
	}
	return got.Data.ID
}

// TestNoAnswersOfOutlineTakeMoreMemoryThanTheContainerHas has one member use documents
// that take much memory, in as many calls at once as a key may make.
func TestNoAnswersOfOutlineTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	const plain, marked = "some words of a text. ", "*a* b "
	for name, attack := range map[string]struct {
		documents int
		text      string // of each, repeated up to the length
		length    int
		call      func(id string) string
	}{
		"a list of long documents": {30, plain, 1 << 20, func(string) string { return toolsCall(1, "list_trash", `{"limit":30}`) }},
		"edits of a long document": {1, plain, 1 << 20, func(id string) string {
			return toolsCall(1, "edit_document", `{"document_id":"`+id+`","edits":[{"old_text":"absent","new_text":"b"}]}`)
		}},
		"edits of a document of many marks": {1, marked, 180_000, func(id string) string {
			return toolsCall(1, "edit_document", `{"document_id":"`+id+`","edits":[{"old_text":"first","new_text":"b"}]}`)
		}},
		"additions to a document of many marks": {1, marked, 180_000, func(id string) string {
			return toolsCall(1, "update_document", `{"document_id":"`+id+`","text":"x","append":true}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := startHostile(t)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			var used string
			for n := range attack.documents {
				used = s.api(t, "documents.create", fmt.Sprintf(`{"title":"x","publish":false,"text":"first %s"}`, strings.Repeat(attack.text, attack.length/len(attack.text))))
				if n > 0 {
					s.api(t, "documents.delete", `{"id":"`+used+`"}`)
				}
			}
			sent := hostile.Flood(ctx, s.url(), [][]byte{[]byte(attack.call(used))}, 64, 64, func(int) string { return workspace.MemberKey })
			s.check(t, sent.String(), func() {})
		})
	}
}
