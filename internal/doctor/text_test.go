package doctor

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"outline-mcp/outline"
)

func FuzzTextsFromOutsideAreFitToBeShown(f *testing.F) {
	f.Add("<title>\x1b[31mSign in\u202e</title>", "ol_api_fake_key")
	f.Add("\xff\x00ol_api_\u00adfake", "ke")
	f.Add("<TITLE>İ", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var read foreignText
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{tidy(text, key, maxUntrusted), short(text), short(outline.Identify("", 200, nil, []byte("<!doctype html><title>"+text)).Title), string(read)} {
			if utf8.RuneCountInString(shown) > maxUntrusted+1 || !utf8.ValidString(shown) {
				t.Errorf("%q is too long or no text", shown)
			}
			if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%q holds a character that controls", shown)
			}
			if strings.Contains(strings.ToLower(shown), "ol_api_x") {
				t.Errorf("%q holds a key", shown)
			}
		}
		if shown := tidy(text, key, maxUntrusted); len(key) >= 8 && strings.TrimSpace(key) == key && strings.Contains(shown, key) && !strings.Contains(key, "*") {
			t.Errorf("%q shows the key %q", shown, key)
		}
	})
}

// WhyBrowsersMayFail is whyBrowsersMayFail, for tests without a network.
var WhyBrowsersMayFail = whyBrowsersMayFail
