package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// TestHeadingsBelowHTMLAreFound begins a document with each kind of HTML block that
// CommonMark knows (https://spec.commonmark.org/0.31.2/#html-blocks). Outline has no
// HTML blocks: it stores the line as text, and what follows as the headings that they are.
func TestHeadingsBelowHTMLAreFound(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for kind, lines := range map[int][]string{
		1: {"<pre>", "<script>", "<style>", "<textarea>"},
		2: {"<!--", "<!-- a comment -->"},
		3: {"<?php"},
		4: {"<!DOCTYPE html>", "<!DOCTYPE"},
		5: {"<![CDATA["},
		6: {"<div>", "</div>", `<table class="a">`, "<h1>"},
		7: {"<x-note>", "</x-note>", "<b>"},
	} {
		for _, line := range lines {
			t.Run(fmt.Sprintf("%d %s", kind, line), func(t *testing.T) {
				filler := strings.Repeat("Every word of this paragraph makes the document longer. ", 20)
				text := line + "\n# Directly below\n\n" + filler + "\n\n## Further below\n\nThe needle."
				answer, _ := read[struct {
					DocumentID string `json:"document_id"`
				}](t, c, "create_document", map[string]any{"title": "HTML", "text": text, "collection_id": operations, "publish": true})
				id := answer.DocumentID

				stored, _ := read[struct{ Text string }](t, c, "read_document", map[string]any{"document_id": id})
				if want := line + "\n\n# Directly below\n\n" + filler[:len(filler)-1] + "\n\n## Further below\n\nThe needle."; stored.Text != want {
					t.Errorf("stored is %q", stored.Text)
				}
				type heading struct {
					Level int
					Text  string
					Line  int
				}
				headings, _ := read[struct{ Headings []heading }](t, c, "get_document_outline", map[string]any{"document_id": id})
				if want := []heading{{1, "Directly below", 3}, {2, "Further below", 7}}; !slices.Equal(headings.Headings, want) {
					t.Errorf("headings are %v, want %v", headings.Headings, want)
				}
				section, _ := read[struct{ Content string }](t, c, "read_document_section", map[string]any{"document_id": id, "heading": "Further below"})
				if section.Content != "## Further below\n\nThe needle." {
					t.Errorf("the section is %q", section.Content)
				}
				found, _ := read[foundMatches](t, c, "find_in_documents", map[string]any{"query": "needle", "document_id": id})
				if len(found.Matches) != 1 || found.Matches[0].Heading != "Further below" {
					t.Errorf("found are %+v", found.Matches)
				}
			})
		}
	}
}
