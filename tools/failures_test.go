package tools_test

import (
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
)

func TestAnUpdateWithoutAnIDIsRefusedBeforeTheBatchStarts(t *testing.T) {
	for _, update := range []map[string]any{{"title": "x"}, {"title": "x", "document_id": " "}, {"title": "x", "id": ""}} {
		c := documentsServer(t, func(_ http.ResponseWriter, endpoint, _ string) bool {
			t.Errorf("request to %s", endpoint)
			return false
		})
		answer, err := cli.Call(t.Context(), c, "batch_update_documents", map[string]any{"updates": []any{map[string]any{"title": "y", "id": uuid(1)}, update}})
		if err != nil || answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, "updates[1].document_id is missing or blank") {
			t.Error(err, answer.Text)
		}
	}
}

func TestABatchWithAnUnknownOutcomeDoesNotSayThatNothingWasDone(t *testing.T) {
	c := documentsServer(t, func(w http.ResponseWriter, _, _ string) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	for code, ids := range map[string][]string{"outcome_unknown": {uuid(1)}, "upstream_error": {"no/id!", uuid(2)}} {
		answer, err := cli.Call(t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": ids})
		if err != nil || string(answer.Code) != code || strings.Contains(answer.Text, "Nothing was") || !strings.Contains(answer.Text, "No item is known to have succeeded. First error: ") {
			t.Error(err, answer.Text)
		}
	}
}
