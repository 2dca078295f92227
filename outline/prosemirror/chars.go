package prosemirror

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBlank reports a space or a tab, the only blanks of Markdown's block rules.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isSpaceRune reports what JavaScript's \s and trim treat as white space.
func isSpaceRune(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// trimSpace is JavaScript's trim, which also cuts a byte order mark.
func trimSpace(s string) string { return strings.TrimFunc(s, isSpaceRune) }

// trimASCII removes the white space that CommonMark removes from paragraphs and
// headings; Unicode blanks stay.
func trimASCII(s string) string { return strings.Trim(s, " \t\n\r") }

// isInlineSpace reports white space as CommonMark defines it for emphasis.
func isInlineSpace(r rune) bool {
	return isSpaceRune(r) && r != 0x2028 && r != 0x2029 && r != 0xFEFF
}

// isPunctuation reports punctuation as CommonMark defines it for emphasis:
// ASCII punctuation, and Unicode punctuation and symbols.
func isPunctuation(r rune) bool {
	if r < 0x80 {
		return isASCIIPunctuation(byte(r))
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}

// isASCIIPunctuation reports the characters that a backslash escapes.
func isASCIIPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !isAlphanumeric(c)
}

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// length16 is the length of s in UTF-16 code units, in which Outline counts.
func length16(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// index16 returns the byte offset of a UTF-16 offset in s. Ok is false if the
// offset splits a surrogate pair or is out of range.
func index16(s string, offset int) (at int, ok bool) {
	for i, r := range s {
		if offset <= 0 {
			return i, offset == 0
		}
		offset--
		if r > 0xFFFF {
			offset--
		}
	}
	return len(s), offset == 0
}

// lastRune returns the last character of s and where it begins.
func lastRune(s string) (r rune, at int) {
	r, size := utf8.DecodeLastRuneInString(s)
	return r, len(s) - size
}
