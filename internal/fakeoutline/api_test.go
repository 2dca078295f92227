package fakeoutline

import (
	"testing"
)

func TestErrorsArePagesForThoseWhoPreferHTML(t *testing.T) {
	for accept, html := range map[string]bool{
		"":                           false,
		"*/*":                        false,
		"application/json":           false,
		"text/markdown":              false,
		"text/html":                  true,
		"text/*":                     true,
		"text/html,application/json": true,
		"application/json,text/html": false,
		"text/html;q=0.9":            true,
		"application/xhtml+xml, text/html, */*;q=0.8": true,
		";,text/,,": false,
	} {
		if got := prefersHTML(accept); got != html {
			t.Errorf("Accept: %s: HTML is %v, want %v", accept, got, html)
		}
	}
}

func TestIdentifiersAreRecognized(t *testing.T) {
	for id, want := range map[string]bool{
		"d0000000-0000-4000-8000-000000000001":  true,
		"D0000000-0000-7ABC-BFFF-00000000000F":  true,
		"00000000-0000-0000-0000-000000000000":  true,
		"FFFFFFFF-ffff-ffff-ffff-ffffffffffff":  true,
		"d0000000-0000-0000-8000-000000000001":  false, // no version
		"d0000000-0000-9000-8000-000000000001":  false,
		"d0000000-0000-4000-c000-000000000001":  false, // no variant
		"d0000000-0000-4000-8000-00000000000g":  false,
		"d0000000+0000-4000-8000-000000000001":  false,
		"d0000000-0000-4000-8000-0000000000011": false,
		"":                                      false,
	} {
		if got := isUUID(id); got != want {
			t.Errorf("IsUUID(%q) = %v", id, got)
		}
	}
	for slug, want := range map[string]string{
		"abcdefghij":         "abcdefghij",
		"abcdefghijklmno":    "abcdefghijklmno",
		"abcdefghijklmnop":   "",
		"abcdefghi":          "",
		"a-title-abcDEF0123": "abcDEF0123",
		"a_b~c--abcDEF0123":  "abcDEF0123",
		"a_abcDEF0123":       "",
		"ä-abcDEF0123":       "",
		"a b-abcDEF0123":     "",
		"/doc/a-abcDEF0123":  "",
		"a-abcDEF0123?x":     "",
		"":                   "",
	} {
		if got := urlIDOf(slug); got != want {
			t.Errorf("URLID(%q) = %q", slug, got)
		}
	}
}
