package outline_test

import (
	"net/url"
	"strings"
	"testing"

	"outline-mcp/outline"
)

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
