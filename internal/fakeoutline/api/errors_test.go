package api

import "testing"

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
