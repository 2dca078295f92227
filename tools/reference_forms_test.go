package tools_test

import (
	"strings"
	"testing"
)

// TestAnyFormNamesADocumentOrACollection gives the forms of references to tools that take
// one document or collection in each of the ways in which tools read their arguments.
func TestAnyFormNamesADocumentOrACollection(t *testing.T) {
	c := connect(t, true)
	documents := []string{
		"glFnZkRnE1", "Architecture", "architecture", `"Architecture"`, "outline://documents/glFnZkRnE1", "outline://documents/glFnZkRnE1/outline",
		"[Architecture](/doc/architecture-glFnZkRnE1)", "/doc/architecture-glFnZkRnE1#h-anything",
	}
	takesDocument := map[string]map[string]any{
		"read_document": {}, "get_document_outline": {}, "export_document": {}, "list_revisions": {}, "get_document_backlinks": {},
		"list_document_comments": {}, "update_document": {"text": "More.", "append": true}, "archive_document": {}, "unarchive_document": {},
		"delete_document": {}, "restore_document": {},
	}
	for _, tool := range []string{
		"read_document", "get_document_outline", "export_document", "list_revisions", "get_document_backlinks", "list_document_comments",
		"update_document", "archive_document", "unarchive_document", "delete_document", "restore_document",
	} {
		for _, form := range documents {
			if tool == "archive_document" || tool == "delete_document" {
				c = connect(t, true) // a title is that of an active document
			}
			arguments := map[string]any{"document_id": form}
			for name, value := range takesDocument[tool] {
				arguments[name] = value
			}
			if answer := call(t, c, tool, arguments); strings.Contains(answer.Text, "does not identify") || strings.Contains(answer.Text, "code not_found") {
				t.Errorf("%s with %s: %s", tool, form, answer.Text)
			}
			if tool == "unarchive_document" || tool == "restore_document" {
				break // the second time, it is active
			}
		}
	}
	for _, form := range []string{"Engineering", "engineering", "outline://collections/Engineering"} {
		for _, tool := range []string{"get_collection_structure", "list_documents", "find_in_documents", "search_documents"} {
			arguments := map[string]any{"collection_id": form}
			if strings.Contains(tool, "find") || strings.Contains(tool, "search") {
				arguments["query"] = "buoy"
			}
			answer := call(t, c, tool, arguments)
			if bad := strings.Contains(answer.Text, "code "); bad != strings.Contains(form, "://") {
				t.Errorf("%s with %s: %s", tool, form, answer.Text)
			}
		}
	}
}
