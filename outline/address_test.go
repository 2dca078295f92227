package outline_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestAnAddressOnTheInstanceBecomesAbsolute(t *testing.T) {
	for _, test := range []struct{ base, path, want string }{
		{"https://wiki.example.com/api", "/doc/a-1FF9VyHA4X", "https://wiki.example.com/doc/a-1FF9VyHA4X"},
		{"http://localhost:3000", "doc/a-1FF9VyHA4X", "http://localhost:3000/doc/a-1FF9VyHA4X"},
		{"https://x.example/wiki/api/", "/doc/a-1FF9VyHA4X", "https://x.example/wiki/doc/a-1FF9VyHA4X"},
		{"https://wiki.example.com", "https://acme.example.com/doc/a", "https://acme.example.com/doc/a"},
		{"https://wiki.example.com", "http://acme.example.com/doc/a", "http://acme.example.com/doc/a"},
		{"https://wiki.example.com", "", ""},
	} {
		equal(t, test.path, newClient(t, test.base, nil).AbsoluteURL(test.path), test.want)
	}
}

func TestAnAbsoluteURLIsAURIWhateverItsPath(t *testing.T) {
	c := newClient(t, "https://wiki.example.com", nil)
	for path, want := range map[string]string{
		"/doc/plain-1FF9VyHA4X":      "/doc/plain-1FF9VyHA4X",
		"/doc/ä b-1FF9VyHA4X":        "/doc/%C3%A4%20b-1FF9VyHA4X",
		`/doc/"x^{}|-1FF9VyHA4X`:     "/doc/%22x%5E%7B%7D%7C-1FF9VyHA4X",
		"/doc/<`\\>[1]-1FF9VyHA4X":   "/doc/%3C%60%5C%3E%5B1%5D-1FF9VyHA4X",
		"/doc/a%20b-1FF9VyHA4X":      "/doc/a%20b-1FF9VyHA4X",
		"/doc/a%2Fb c%2f-1FF9VyHA4X": "/doc/a%2Fb%20c%2f-1FF9VyHA4X",
		"/doc/100%-%20-1FF9VyHA4X%2": "/doc/100%25-%20-1FF9VyHA4X%252",
		"/doc/a%zz?y=1":              "/doc/a%25zz?y=1",
		"/doc/x?y=1#z":               "/doc/x?y=1#z",
		"/doc/x?y=ä \"[#z w#ü?":      "/doc/x?y=%C3%A4%20%22%5B#z%20w%23%C3%BC?",
		"doc:a b":                    "/doc:a%20b",
		"/doc/a\x00\n\xff\x7f":       "/doc/a%00%0A%FF%7F",
		"/doc/(a)!$&'*+,;=:@~._-1":   "/doc/(a)!$&'*+,;=:@~._-1",
	} {
		equal(t, path, c.AbsoluteURL(path), "https://wiki.example.com"+want)
	}
	equal(t, "absolute", c.AbsoluteURL("https://acme.example.com:8443/doc/ä b?q=ü"), "https://acme.example.com:8443/doc/%C3%A4%20b?q=%C3%BC")
}

// uri matches what RFC 3986 allows after the host.
var uri = regexp.MustCompile(`^https://wiki\.example\.com/(?:[-A-Za-z0-9._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*(?:\?(?:[-A-Za-z0-9._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?(?:#(?:[-A-Za-z0-9._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$`)

func FuzzAnyPathBecomesAURI(f *testing.F) {
	for _, path := range []string{"/doc/a-1FF9VyHA4X", "/doc/ä b?c#d#e", "%", "%2", "%2z%20", "\xff", "//x", "?", "#"} {
		f.Add(path)
	}
	c := newClient(f, "https://wiki.example.com", nil)
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://") {
			return
		}
		got := c.AbsoluteURL(path)
		if !uri.MatchString(got) {
			t.Fatalf("%q became %q", path, got)
		}
		if _, err := url.Parse(got); err != nil {
			t.Error(err)
		}
		equal(t, "encoded twice", c.AbsoluteURL(got), got)
	})
}
