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
	maxURL       = 200  // characters of a URL from a server
	maxUntrusted = 60   // characters of any other text from a server
)

// untrusted is a text from a server. Decoding makes it safe to show.
type untrusted string

// UnmarshalJSON implements json.Unmarshaler. A value that is no
// string counts as "".
func (o *untrusted) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*o = untrusted(short(text))
	}
	return nil
}

// short returns an untrusted text on one line, truncated.
func short(text string) string { return tidy(text, "", maxUntrusted) }

// tidy returns s on one line of at most limit characters, without keys and
// without characters that control a terminal or the direction of text.
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
		return text // too short for a key, and perhaps a word
	}
	return strings.ReplaceAll(text, key, "****")
}

// count returns a number with a noun, such as "1 key" or "no keys".
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
