package doctor

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"outline-mcp/internal/text"
	"outline-mcp/outline"
)

const (
	maxText      = 2000 // characters of a finding
	maxURL       = 200  // characters of an address that somebody else wrote
	maxUntrusted = 60   // characters of a text that somebody else wrote
)

// untrusted is a text from a server. Decoding makes it safe to show.
// is read.
type untrusted string

// UnmarshalJSON implements json.Unmarshaler. What is no text counts as none.
func (o *untrusted) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*o = untrusted(short(text))
	}
	return nil
}

// short makes a text from outside one line of few characters.
func short(text string) string { return tidy(text, "", maxUntrusted) }

// tidy makes s one line without characters that control a terminal or
// turn the direction of writing, without keys, and no longer than limit
// characters.
func tidy(s, key string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return text.Truncate(outline.Redact(withoutKeyIn(strings.Join(strings.Fields(s), " "), key)), limit)
}

// withoutKeyIn returns a text with **** in place of the key.
func withoutKeyIn(text, key string) string {
	if len(key) < 8 {
		return text // nobody's key, and perhaps a word
	}
	return strings.ReplaceAll(text, key, "****")
}

// count returns a number of things.
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
