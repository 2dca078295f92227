package outline_test

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/outline"
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

func TestABaseURLIsTakenAsPeopleWriteIt(t *testing.T) {
	for in, want := range map[string]string{
		"https://app.getoutline.com/api":      "https://app.getoutline.com/api",
		"https://app.getoutline.com":          "https://app.getoutline.com/api",
		"https://app.getoutline.com/":         "https://app.getoutline.com/api",
		"https://app.getoutline.com/api/":     "https://app.getoutline.com/api",
		"https://app.getoutline.com/api///":   "https://app.getoutline.com/api",
		"  https://app.getoutline.com/api \n": "https://app.getoutline.com/api",
		`"https://app.getoutline.com/api"`:    "https://app.getoutline.com/api",
		`' "https://app.getoutline.com" '`:    "https://app.getoutline.com/api",
		"“https://app.getoutline.com”":        "https://app.getoutline.com/api",
		"HTTPS://App.GetOutline.com/API":      "https://app.getoutline.com/api",
		"http://localhost:3000":               "http://localhost:3000/api",
		"http://127.0.0.1:3000/api":           "http://127.0.0.1:3000/api",
		"http://[::1]:3000":                   "http://[::1]:3000/api",
		"https://wiki.example.com:":           "https://wiki.example.com/api",
		"https://x.example/wiki":              "https://x.example/wiki/api",
		"https://x.example/wiki/":             "https://x.example/wiki/api",
		"https://x.example/wiki/api":          "https://x.example/wiki/api",
		"https://x.example/a/b/api/":          "https://x.example/a/b/api",
		"https://x.example/our%20wiki":        "https://x.example/our%20wiki/api",
		"https://x.example/capi":              "https://x.example/capi/api",
		"https://bücher.example":              "https://b%C3%BCcher.example/api",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := outline.ParseBaseURL(in)
			if err != nil || got != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestABadBaseURLIsRefusedWithTheReasonAndWithoutTheValue(t *testing.T) {
	for in, says := range map[string]string{
		"":                                    "empty",
		` "" `:                                "empty",
		"app.getoutline.com":                  "write https://",
		"app.getoutline.com/api":              "write https://",
		"localhost:3000":                      "write https://",
		"//app.getoutline.com":                "write https://",
		"https:app.getoutline.com":            "write https://",
		"ftp://app.getoutline.com":            "must begin with https://",
		"file:///etc/passwd":                  "must begin with https://",
		"https://":                            "no host",
		"https:///api":                        "no host",
		"https://:3000":                       "no host",
		"https://ada:sesame@wiki.example.com": "user name",
		"https://ada@wiki.example.com":        "user name",
		"ada:sesame@wiki.example.com":         "write https://",
		"https://wiki.example.com/api?x=1":    "query",
		"https://wiki.example.com?":           "query",
		"https://wiki.example.com/#home":      "fragment",
		"https://wiki.example.com/api#":       "fragment",
		"https://wiki.example.com:99999":      "port",
		"https://wiki.example.com:0":          "port",
		"https://wiki.example.com:http":       "not a valid URL",
		"https://wiki example.com":            "not a valid URL",
		"https://ada:sesame@%zz":              "not a valid URL",
		"http://[::%25\xe8]":                  "not a valid URL",
		"https://wiki.example.com/%zz":        "not a valid URL",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := outline.ParseBaseURL(in)
			if err == nil {
				t.Fatalf("accepted as %q", got)
			}
			contains(t, err, says)
			if strings.Contains(err.Error(), "sesame") {
				t.Errorf("error %q contains the password", err)
			}
			if _, err := outline.New(outline.Options{BaseURL: in}); err == nil {
				t.Error("New accepts it")
			}
		})
	}
}

func FuzzABaseURLIsUsableAndStaysWhatItIs(f *testing.F) {
	for _, s := range []string{"https://app.getoutline.com/api", " 'http://[fe80::1%25en0]:3000/wiki/' ", "x.example", "https://a@b", "https://x.example/%2F/api"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := outline.ParseBaseURL(in)
		if err != nil {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
			t.Errorf("%q became %q, %v", in, got, err)
		}
		if !strings.HasSuffix(got, "/api") {
			t.Errorf("%q became %q", in, got)
		}
		if again, err := outline.ParseBaseURL(got); err != nil || again != got {
			t.Errorf("%q became %q and then %q, %v", in, got, again, err)
		}
	})
}
