package output

import (
	"fmt"
	"strings"
	"unicode"
)

// isControl reports whether a character controls a terminal, or the direction of
// the text that follows it, instead of being shown. Marks that only give a
// direction to their own place, as Hebrew and Arabic texts use them, are none.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Label returns s, such as a title or a name, without control characters: a space
// in place of each that is white space, U+FFFD in place of the others, so that
// different names stay different. Answers hold titles and names only in this form.
func Label(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)):
			return ' '
		case isControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Visible returns s with its control characters as escapes, such as \u001b, for a
// terminal. Tabs and line breaks stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool { return isControl(r) && r != '\n' && r != '\t' }
