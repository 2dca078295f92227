package main

import (
	"cmp"

	"github.com/google/jsonschema-go/jsonschema"
)

// argumentHelp returns what to say about an argument of a tool in a terminal: its
// description or, where models get by with the name, the words for it here.
func argumentHelp(name string, property *jsonschema.Schema) string {
	return cmp.Or(property.Description, map[string]string{
		"all_occurrences":     "Replace each occurrence of old_text, not just one",
		"allow_shrink":        "Allow a new text that is much shorter",
		"append":              "Add the text at the end",
		"case_sensitive":      "Tell capital letters from small ones",
		"collection_id":       "Collection: ID or URL",
		"comment_id":          "ID of the comment",
		"context_lines":       "Lines to show before and after each match",
		"created_after":       "Only those created after this date",
		"created_before":      "Only those created before this date",
		"document_id":         "Document: ID or URL",
		"document_ids":        "Documents: IDs or URLs",
		"documents":           "Documents to create",
		"edits":               "Passages to replace",
		"expected_revision":   "Fail if the document has another revision",
		"format":              "Format of the files in the export",
		"full_width":          "Show the document in the full width of the window",
		"icon":                "Emoji, name of an icon, or none",
		"id":                  "ID from an answer of search",
		"in":                  "Where to look",
		"include_anchor_text": "Show the passage that each comment is about",
		"include_children":    "Also restore the documents below it",
		"limit":               "Most entries in one answer",
		"max_chars_each":      "Characters to show of each template",
		"max_lines":           "Most lines in one answer",
		"name":                "Name of the collection",
		"offset":              "Entries to skip, to continue an earlier answer",
		"parent_comment_id":   "Comment to reply to",
		"parent_document_id":  "Document that it is or will be below: ID or URL",
		"permission":          "What members of the workspace may do in it",
		"prepend":             "Add the text at the beginning",
		"publish":             "Publish it; false leaves a draft",
		"query":               "Text to find",
		"question":            "Question to Outline's AI",
		"recursive":           "Also copy the documents below it",
		"resolved":            "Which comments to list",
		"revision_id":         "ID of the revision, from list_revisions",
		"role":                "Role of the user or the group",
		"sort":                "What to sort by",
		"start_char":          "Character of the line or the answer to start at, to continue an earlier answer",
		"start_line":          "Line to start at",
		"text":                "Markdown, or the text of the file",
		"title":               "Title of the document",
		"title_contains":      "Only those whose title contains this",
		"updated_after":       "Only those changed after this date",
		"updated_before":      "Only those changed before this date",
		"updates":             "Documents to change, and how",
		"whole_word":          "Find only whole words",
	}[name])
}
