package tools_test

import (
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
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

const (
	soupURLID = "1wPyxUCdt9"
	nothing   = "00000000-0000-4000-8000-000000000000"
)

func TestAFailureAboutThePlaceNamesItsArgumentAndValue(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for tool, arguments := range map[string]map[string]any{
		"move_document":          {"document_id": soupURLID},
		"create_document":        {"title": "x"},
		"batch_create_documents": {"documents": []any{map[string]any{"title": "x"}}},
		"batch_move_documents":   {"document_ids": []string{soupURLID}},
	} {
		for argument, values := range map[string]map[string]string{
			"parent_document_id": {nothing: "not_found", "no document is called this": "not_found"},
			"collection_id":      {"mTem8tcJ9b": "not_found", "no collection is called this": "not_found"},
		} {
			for value, code := range values {
				at := arguments
				if documents, ok := arguments["documents"].([]any); ok {
					at = documents[0].(map[string]any)
				}
				at[argument] = value
				answer := call(t, c, tool, arguments)
				delete(at, argument)
				sentence := decoded[struct{ Error string }](t, answer.Structured).Error
				_, sentence, _ = strings.Cut(sentence, ": ") // the tool, or that nothing was done
				if string(answer.Code) != code || !strings.HasPrefix(sentence, argument+": ") || strings.Count(sentence, value) != 1 {
					t.Error(tool, argument, answer.Text)
				}
			}
		}
	}
}

// failedAs checks the code of a failure about a document, its ID in both forms of the answer,
// and what the text says.
func failedAs(t *testing.T, answer cli.Answer, code, id, urlID, says string) {
	t.Helper()
	got := decoded[struct {
		DocumentID string `json:"document_id"`
		Results    []struct{ ID, Status string }
	}](t, answer.Structured)
	for _, item := range got.Results {
		if item.Status == "failed" {
			got.DocumentID = item.ID
		}
	}
	if !strings.Contains(answer.Text, "code "+code) || got.DocumentID != id || !strings.Contains(answer.Text, urlID) || strings.Contains(answer.Text, id) || !strings.Contains(answer.Text, says) {
		t.Error(answer.Text, string(answer.Structured))
	}
}

func TestAFailureAboutADocumentThatWasReadHasItsIDs(t *testing.T) {
	const trashed, trashedURLID = "c5320877-aa3f-4d70-9e76-857651f7c87f", "e4gPJhQwK6"
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for _, id := range []string{trashed, trashedURLID} {
		failedAs(t, call(t, c, "update_document", map[string]any{"document_id": id, "title": "x"}), "conflict", trashed, trashedURLID, "in the trash")
		failedAs(t, call(t, c, "archive_document", map[string]any{"document_id": id}), "conflict", trashed, trashedURLID, "in the trash")
		updates := []any{map[string]any{"id": id, "title": "x"}}
		failedAs(t, call(t, c, "batch_update_documents", map[string]any{"updates": updates}), "conflict", trashed, trashedURLID, "in the trash")
		failedAs(t, call(t, c, "batch_archive_documents", map[string]any{"document_ids": []string{id}}), "conflict", trashed, trashedURLID, "in the trash")
	}
	failedAs(t, call(t, c, "batch_move_documents", map[string]any{"document_ids": []string{soupURLID}, "parent_document_id": soup}), "invalid_arguments", soup, soupURLID, "below itself")
	failedAs(t, call(t, c, "batch_archive_documents", map[string]any{"document_ids": []string{soup, soupURLID}}), "invalid_arguments", soup, soupURLID, "listed twice")
	failedAs(t, call(t, c, "move_document", map[string]any{"document_id": soupURLID, "parent_document_id": nothing}), "not_found", soup, soupURLID, nothing)
}

func TestAFailureAboutACollectionThatWasFoundHasItsID(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.ViewerKey)
	answer := call(t, c, "update_collection", map[string]any{"collection_id": "Handbook", "name": "x"})
	if got := decoded[struct {
		CollectionID string `json:"collection_id"`
	}](t, answer.Structured); got.CollectionID != handbook || answer.Code != "forbidden" {
		t.Error(answer.Text)
	}
}

func TestTheStateOfADocumentThatForbidsACallIsAConflict(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	const draft, draftURLID = "8a0dfe82-599b-42df-9073-21bdda39aa59", "2ymymWAgUd"
	failedAs(t, call(t, c, "archive_document", map[string]any{"document_id": draft}), "conflict", draft, draftURLID, "the document is a draft")
	failedAs(t, call(t, c, "batch_archive_documents", map[string]any{"document_ids": []string{draft}}), "conflict", draft, draftURLID, "the document is a draft")

	if moved := call(t, c, "move_document", map[string]any{"document_id": soup, "collection_id": operations}); moved.Code != "" {
		t.Fatal(moved.Text)
	}
	if archived := call(t, c, "archive_document", map[string]any{"document_id": soup}); archived.Code != "" {
		t.Fatal(archived.Text)
	}
	if deleted := call(t, c, "delete_collection", map[string]any{"collection_id": operations}); deleted.Code != "" {
		t.Fatal(deleted.Text)
	}
	failedAs(t, call(t, c, "unarchive_document", map[string]any{"document_id": soup}), "conflict", soup, soupURLID, "its collection is archived or deleted")
	failedAs(t, call(t, c, "restore_document", map[string]any{"document_id": soup}), "invalid_arguments", soup, soupURLID, "give the collection_id of another")
}
