package install

import (
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

func TestTheAddressOfAPageLeadsToItsOutline(t *testing.T) {
	for pasted, want := range map[string]string{
		"https://wiki.example.com":                                     "https://wiki.example.com",
		"https://wiki.example.com/":                                    "https://wiki.example.com",
		"https://wiki.example.com/api/":                                "https://wiki.example.com",
		" “https://Wiki.example.com:8443/home” ":                       "https://Wiki.example.com:8443",
		"<https://wiki.example.com/mcp>":                               "https://wiki.example.com",
		"https://wiki.example.com/doc/soup-1wPyxUCdt9?highlight=x#h-a": "https://wiki.example.com",
		"https://wiki.example.com/s/0fab7f1a-fdba-4122-aff2-e36f5b12c": "https://wiki.example.com",
		"https://wiki.example.com/share/soup/doc/x-1wPyxUCdt9":         "https://wiki.example.com",
		"https://wiki.example.com/collection/ops-PThsbb1PvU/recent":    "https://wiki.example.com",
		"https://wiki.example.com/settings/api-and-apps":               "https://wiki.example.com",
		"https://example.com/wiki/doc/soup-1wPyxUCdt9":                 "https://example.com/wiki",
		"https://example.com/team/wiki":                                "https://example.com/team/wiki",
		"wiki.example.com/home":                                        "https://wiki.example.com",
		"acme.getoutline.com":                                          "https://acme.getoutline.com",
		"localhost:3010/home":                                          "http://localhost:3010",
		"127.0.0.1:3010":                                               "http://127.0.0.1:3010",
	} {
		if got, err := config.OutlineAddress(pasted); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", pasted, got, err, want)
		}
	}
	for pasted, says := range map[string]string{
		"":                                 "no scheme",
		"ol_api_fake":                      "this is an API key",
		"my wiki":                          "no scheme",
		"wiki":                             "no scheme",
		"ftp://wiki.example.com":           "must begin with https://",
		"https://":                         "no host",
		"https://ada:hunter2@example.com/": "remove everything up to the @",
		"ada:hunter2@example.com":          "remove everything up to the @",
		"https://example.com/?t=hunter2@x": "",
		"$OUTLINE_URL":                     "did not expand",
		"https://wiki.example.com:99999":   "invalid port",
	} {
		got, err := config.OutlineAddress(pasted)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %q, %v, want %q", pasted, got, err, says)
		}
	}
}

func TestProgramsThatTheGoToolWillRemoveAreKnown(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/outline-mcp":        true,
		"/home/robin/.cache/go-build/ab/abcd-d/o":      true,
		"/home/robin/go/bin/outline-mcp":               false,
		"/home/robin/go-builder-of-things/outline-mcp": false,
		"/usr/local/bin/outline-mcp":                   false,
	} {
		if got := isTemporary(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
