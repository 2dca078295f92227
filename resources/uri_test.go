package resources_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"outline-mcp/output"
	"outline-mcp/resources"
)

func TestURIsAreParsed(t *testing.T) {
	for uri, want := range map[string]resources.URI{
		"outline://documents/abc":                                   {Name: "document", ID: "abc"},
		"outline://documents/abc/outline?start_line=3":              {Name: "document_outline", ID: "abc", StartLine: 3},
		"outline://documents/abc/backlinks":                         {Name: "document_backlinks", ID: "abc"},
		"outline://documents/abc/comments":                          {Name: "document_comments", ID: "abc"},
		"outline://collections/abc?":                                {Name: "collection", ID: "abc"},
		"outline://attachments/abc?start_char=9&start_line=2":       {Name: "attachment", ID: "abc", StartLine: 2, StartChar: 9},
		"outline://revisions/https%3A%2F%2Fexample.com%2Fdoc%2Fabc": {Name: "revision", ID: "https://example.com/doc/abc"},
	} {
		if got, err := resources.Parse(uri); err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"outline://documents/abc", "outline://documents/%2e%2e/outline?start_line=2", "outline://attachments/a%2Fb?start_line=1&start_char=2", "outline://", "x",
		"outline://documents/a/b/c", "outline://documents/%ff", "outline://documents/abc?start_line=99999999999999999999",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		u, err := resources.Parse(uri)
		if err != nil {
			failure, ok := err.(output.Failure)
			if !ok || failure.Code != output.NotFound && failure.Code != output.InvalidArguments {
				t.Fatalf("%q: %#v", uri, err)
			}
			if !utf8.ValidString(failure.Sentence) || strings.ContainsFunc(failure.Sentence, unicode.IsControl) || len(failure.Sentence) > 2000 {
				t.Fatalf("%q: %q", uri, failure.Sentence)
			}
			return
		}
		if u.Name == "" || strings.Trim(u.ID, ". ") == "" || !utf8.ValidString(u.ID) || strings.ContainsFunc(u.ID, unicode.IsControl) || u.StartLine < 0 || u.StartChar < 0 {
			t.Fatalf("%q: %+v", uri, u)
		}
	})
}
