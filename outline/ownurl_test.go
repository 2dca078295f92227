package outline_test

import (
	"errors"
	"strings"
	"testing"

	"outline-mcp/outline"
)

func TestTheURLOfAnotherInstanceIsNotTakenForADocumentOfThisOne(t *testing.T) {
	const path = "/doc/deploy-guide-1FF9VyHA4X"
	for _, test := range []struct {
		base    string
		aliases []string
		taken   []string // each as the identifier of 1FF9VyHA4X
		refused []string
	}{
		{"https://wiki.example.com", nil,
			[]string{
				"1FF9VyHA4X", "deploy-guide-1FF9VyHA4X", path, "doc/deploy-guide-1FF9VyHA4X", "team/doc/deploy-guide-1FF9VyHA4X", "/s/9d0b/doc/deploy-guide-1FF9VyHA4X",
				"https://wiki.example.com" + path, "HTTPS://WIKI.Example.com:443" + path + "?a=https://evil.example/#b", "http://wiki.example.com:80" + path,
				"wiki.example.com" + path, "//wiki.example.com" + path, ` "<https://wiki.example.com` + path + `>" `, "https://user@wiki.example.com" + path,
			},
			[]string{
				"https://evil.example" + path, "http://evil.example" + path, "//evil.example" + path, "evil.example" + path, "ftp://evil.example" + path,
				"https://wiki.example.com.evil.example" + path, "https://evilwiki.example.com" + path, "https://wiki.example.com@evil.example" + path,
				"https://wiki.example.com:8443" + path, "http://wiki.example.com:443" + path, `https://wiki.example.com\@evil.example` + path, `\\evil.example` + path,
				"https:/evil.example" + path, "https:///evil.example" + path, "localhost" + path, "https://[::1]" + path, "https://127.0.0.1" + path, "“https://evil.example" + path + "”",
				"https://evil.example/wiki.example.com" + path, "https://acme.getoutline.com" + path, "https://%77iki.example.com.evil.example" + path,
			}},
		{"http://outline:3000/api", []string{"wiki.example.com", "docs.example.com:8443"},
			[]string{"http://outline:3000" + path, "https://wiki.example.com" + path, "https://wiki.example.com:8080" + path, "https://docs.example.com:8443" + path},
			[]string{"https://evil.example" + path, "http://outline:3001" + path, "https://docs.example.com" + path}},
		{"https://app.getoutline.com", nil,
			[]string{"https://acme.getoutline.com" + path, "https://app.getoutline.com" + path},
			[]string{"https://getoutline.com.evil.example" + path, "https://evilgetoutline.com" + path, "https://docs.acme.com" + path}},
		{"https://example.com/wiki/api", nil, []string{"https://example.com/wiki" + path, "wiki" + path}, []string{"https://example.org/wiki" + path}},
	} {
		c, err := outline.New(outline.Options{BaseURL: test.base, URLAliases: test.aliases})
		if err != nil {
			t.Fatal(err)
		}
		for _, given := range test.taken {
			if id, err := c.ParseDocumentID(given); err != nil || id != "1FF9VyHA4X" {
				t.Errorf("%s: %s is %q, %v", test.base, given, id, err)
			}
			if _, err := c.ParseCollectionID(strings.Replace(given, "doc/", "collection/", 1)); err != nil {
				t.Errorf("%s: %s: %v", test.base, given, err)
			}
		}
		for _, given := range test.refused {
			id, err := c.ParseDocumentID(given)
			var wrong *outline.IdentifierError
			if !errors.As(err, &wrong) || wrong.ForeignHost == "" || !strings.Contains(err.Error(), "it is an address of ") {
				t.Errorf("%s: %s is %q, %v", test.base, given, id, err)
			}
			if _, err := c.ResolveCollectionID(t.Context(), strings.Replace(given, "doc/", "collection/", 1)); !errors.As(err, &wrong) {
				t.Errorf("%s: a collection, %s: %v", test.base, given, err)
			}
		}
	}
}
