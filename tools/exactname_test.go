package tools_test

import (
	"strings"
	"testing"

	"outline-mcp/output"
)

func TestWhatIsGoneForGoodTakesAnExactName(t *testing.T) {
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Budget 2026", "x"), wikiPage(2, "", "Plan", "x"))
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		takes     string // what a refusal names; "" if the call is carried out
	}{
		{"delete_document", map[string]any{"document_id": "budget 2026", "permanent": true}, `document "Budget 2026" D000000001`},
		{"delete_document", map[string]any{"document_id": `"Budget 2026"`, "permanent": true}, `document "Budget 2026" D000000001`},
		{"batch_delete_documents", map[string]any{"document_ids": []string{"budget 2026"}, "permanent": true}, `document "Budget 2026" D000000001`},
		{"delete_collection", map[string]any{"collection_id": "engineering"}, `collection "Engineering" xVj43W43Sy`},
		{"delete_document", map[string]any{"document_id": "plan"}, ""}, // to the trash
		{"delete_document", map[string]any{"document_id": "Budget 2026", "permanent": true}, ""},
		{"delete_collection", map[string]any{"collection_id": "Engineering"}, ""},
	} {
		answer := call(t, c, test.tool, test.arguments)
		want := "is not exactly the title of the " + test.takes + ", which would be gone for good. Give its ID or its exact title."
		if refused := strings.Contains(answer.Text, want); refused != (test.takes != "") || !refused && answer.Code != "" {
			t.Errorf("%s %v: %s", test.tool, test.arguments, answer.Text)
		}
	}
}

func TestAHeadingThatIsNotThereIsAnsweredWithAllInTheirOrder(t *testing.T) {
	var text strings.Builder
	for _, name := range strings.Fields("Zebra Apple Mango Kiwi Plum Cherry Lemon Peach Grape Melon Fig Lime") {
		text.WriteString("# " + name + "\n\nx\n\n")
	}
	c := limited(t, defaultLimit, true, oneDocument(text.String()))
	answer := call(t, c, "read_document_section", map[string]any{"document_id": uuid(1), "heading": "Limes"})
	got := decoded[struct {
		AvailableHeadings []string `json:"available_headings"`
	}](t, answer.Structured)
	if answer.Code != output.HeadingNotFound || strings.Join(got.AvailableHeadings, " ") != "Zebra Apple Mango Kiwi Plum Cherry Lemon Peach Grape Melon Fig Lime" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(answer.Text, "These are the nearest 10 of 12.") || !strings.Contains(answer.Text, "All, in their order: Zebra; Apple; Mango") {
		t.Error(answer.Text)
	}
}

func TestAFailureRepeatsOnlyAnIDThatWasNotResolved(t *testing.T) {
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Plan", "x"))
	c := limited(t, defaultLimit, true, wiki(t, seed))
	type ids struct {
		Code         output.Code
		DocumentID   string `json:"document_id"`
		CollectionID string `json:"collection_id"`
	}
	unknown := call(t, c, "read_document", map[string]any{"document_id": "No such page"})
	if got := decoded[ids](t, unknown.Structured); got.Code != output.NotFound || got.DocumentID != "No such page" {
		t.Errorf("an unknown name: %+v", got)
	}
	conflict := call(t, c, "update_document", map[string]any{"document_id": "Plan", "text": "y", "expected_revision": 9})
	if got := decoded[ids](t, conflict.Structured); got.Code != output.Conflict || got.DocumentID != uuid(1) {
		t.Errorf("a conflict: %+v", got)
	}
	if !strings.Contains(conflict.Text, "document_id D000000001)") {
		t.Errorf("the text has another ID than that of a success: %s", conflict.Text)
	}
}
