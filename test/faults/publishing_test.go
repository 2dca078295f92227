package faults

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/output"
)

func TestWhatOutlineDoesAfterPublishingIsNoConflict(t *testing.T) {
	changes := map[string]map[string]any{
		"update_document": {"text": "Wholly new."},
		"edit_document":   {"edits": []any{map[string]any{"old_text": "Hello", "new_text": "Good day"}}},
	}
	for _, meanwhile := range []string{"nothing", "another user's edit"} {
		for tool, arguments := range changes {
			for _, read := range []time.Duration{5 * time.Millisecond, 350 * time.Millisecond, 700 * time.Millisecond} {
				for written := time.Duration(0); written <= 700*time.Millisecond; written += 350 * time.Millisecond {
					t.Run(fmt.Sprintf("%s after %s, read after %s, %s", tool, read+written, read, meanwhile), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							b := newBench(t)
							space := newWorkspace(of(""))
							b.wire.reset(space)
							call := func(tool string, arguments map[string]any, into any) output.Code {
								answer, err := cli.Call(t.Context(), b.client, tool, arguments)
								if err != nil {
									t.Fatal(err)
								}
								if answer.Code == "" {
									if err := json.Unmarshal(answer.Structured, into); err != nil {
										t.Fatal(err)
									}
								}
								return answer.Code
							}
							var seen struct {
								DocumentID string `json:"document_id"`
								Revision   int
							}
							call("create_document", map[string]any{"title": "New", "text": "Hello.", "collection_id": handbook}, &seen)
							time.Sleep(read)
							call("read_document", map[string]any{"document_id": seen.DocumentID}, &seen)
							if meanwhile != "nothing" {
								if err := appendTo(space, seen.DocumentID, "HUMAN-1"); err != nil {
									t.Fatal(err)
								}
							}
							time.Sleep(written)
							arguments["document_id"], arguments["expected_revision"] = seen.DocumentID, seen.Revision
							var want output.Code
							if meanwhile != "nothing" {
								want = output.Conflict
							}
							if code := call(tool, arguments, &seen); code != want {
								t.Errorf("it ends with code %q, not %q", code, want)
							}
							if marks := look(space).human; meanwhile != "nothing" && marks["HUMAN-1"] != 1 {
								t.Error("the edit is lost")
							}
						})
					})
				}
			}
		}
	}
}
