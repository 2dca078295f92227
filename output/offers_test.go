package output_test

import (
	"testing"

	"outline-mcp/output"
)

func TestAdviceNamesOnlyToolsThatAreOffered(t *testing.T) {
	only := func(names ...string) output.Offers {
		return func(word string) bool {
			for _, withheld := range []string{"read_document", "list_trash", "search_documents"} {
				if word == withheld {
					for _, name := range names {
						if name == word {
							return true
						}
					}
					return false
				}
			}
			return true
		}
	}
	none := only()
	for _, test := range []struct {
		name   string
		offers output.Offers
		text   string
		want   string
	}{
		{"nil offers every tool", nil, "Look[ with list_trash] [a|b].", "Look with list_trash a."},
		{"a text that names none is kept", none, "Set start_line to 5.", "Set start_line to 5."},
		{"a text that names one not offered is dropped", none, "Read it with read_document.", ""},
		{"a part in brackets is dropped alone", none, "Read it again[ with read_document].", "Read it again."},
		{"a part in brackets is kept if it can be followed", only("read_document"), "Read it again[ with read_document].", "Read it again with read_document."},
		{"an alternative takes the place", none, "Look [with list_trash|in Outline] first.", "Look in Outline first."},
		{"the first alternative is preferred", only("list_trash"), "Look [with list_trash|in Outline] first.", "Look with list_trash first."},
		{"a list loses what is not offered", only("read_document", "list_trash"), "Use read_document, search_documents or list_trash.", "Use read_document or list_trash."},
		{"a list can lose all but one", only("search_documents"), "Use read_document, search_documents or list_trash.", "Use search_documents."},
		{"a list of which nothing is left is dropped", none, "Wait.[ Use read_document or list_trash.]", "Wait."},
		{"all tools joined by and are needed", only("read_document"), "Use search_documents and read_document.", ""},
		{"a name that is emphasized is a tool", none, "Read it with _read_document_.", ""},
		{"a longer name is another tool", none, "Use batch_read_document or read_document.", "Use batch_read_document."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.offers.Advise(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
