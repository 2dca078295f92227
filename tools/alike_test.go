package tools_test

import (
	"strings"
	"testing"
)

func TestATextIsFoundWithoutItsAccentsCaseAndEmojiIfThereIsNoOther(t *testing.T) {
	t.Parallel()
	seed := emptySeed()
	seed.Documents = append(seed.Documents,
		wikiPage(1, "", "Tea time 🍵", "The Übung is at 5.\n\nÜBUNG 🎉 Montag"),
		wikiPage(2, "", "Café au lait", "See https://lights.example/wharf"),
		wikiPage(3, "", "Cafe", "# Straße nach Łódź\n\nExact"))
	seed.Collections[0].Name = "Fïndings 🍵"
	c := limited(t, defaultLimit, true, wiki(t, seed))
	const alike = "Note: no exact match; these are the same without accents, case and emoji."
	for _, test := range []struct {
		tool, argument, value string
		want                  []string
	}{
		{"find_in_documents", "query", "ubung", []string{"2 matches", alike}},
		{"find_in_documents", "query", "übung", []string{"2 matches", "  1:5: The Übung is at 5."}},
		{"find_in_documents", "query", "zyzzyva", []string{"0 matches"}},
		{"find_in_documents", "query", "Cafe", []string{`- "Cafe"`, "1 match "}},
		{"get_document_id_from_title", "query", "cafe AU lait", []string{`"Café au lait"`, alike}},
		{"get_document_id_from_title", "query", "fe au LAIT", []string{`"Café au lait"`, alike}},
		{"list_documents", "title_contains", "cafe AU", []string{`"Café au lait"`, alike}},
		{"list_documents", "title_contains", "café", []string{"Café au lait"}},
		{"list_documents", "title_contains", "☕", []string{"0 documents"}},
		{"list_documents", "collection_id", "findings", []string{"3 documents"}},
		{"find_in_documents", "query", "strasse NACH lodz", []string{"  1:3: # Straße nach Łódź", alike}},
		{"find_in_documents", "query", "Łodź", []string{"1 match ", alike}},
		{"read_document", "document_id", "Tea time", []string{"Tea time 🍵"}},
		{"read_document", "document_id", "cafe au lait", []string{"Café au lait"}},
		{"search_documents", "query", "zyzzyva", []string{"find_in_documents also looks inside URLs"}},
	} {
		answer := success(t, c, defaultLimit, test.tool, map[string]any{test.argument: test.value})
		for _, want := range test.want {
			if !strings.Contains(answer.Text, want) {
				t.Errorf("%s %q has no %q:\n%s", test.tool, test.value, want, answer.Text)
			}
		}
		if len(test.want) == 1 && strings.Contains(answer.Text, alike) {
			t.Errorf("%s %q: %s", test.tool, test.value, answer.Text)
		}
	}
	if answer := success(t, c, defaultLimit, "find_in_documents", map[string]any{"query": "ubung", "case_sensitive": true}); strings.Contains(answer.Text, alike) {
		t.Error(answer.Text)
	}
	const near = `no collection that you can see is called "finding". Nearest names: "Fïndings 🍵" xVj43W43Sy.`
	if answer := call(t, c, "list_documents", map[string]any{"collection_id": "finding"}); !strings.Contains(answer.Text, near) {
		t.Error(answer.Text)
	}
}
