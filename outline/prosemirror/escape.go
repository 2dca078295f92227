package prosemirror

import "strings"

// escapeMarkdown escapes what would be read as Markdown in a line of text. It
// does not escape _ = $ < & and brackets that do not begin an inline link.
func escapeMarkdown(s string, lineStart, inTable bool) string {
	brackets := -1 // up to where a [ is escaped
	if strings.IndexByte(s, '[') >= 0 {
		brackets = strings.LastIndex(s, "](")
	}
	extra := 0
	for i := range len(s) {
		if needsEscape(s[i], i, brackets, inTable) {
			extra++
		}
	}
	digits := 0
	if lineStart && s != "" {
		switch s[0] {
		case ':', '#', '-', '+':
			extra++
			digits = -1
		default:
			for digits < len(s) && isDigit(s[digits]) {
				digits++
			}
			if digits == len(s) || s[digits] != '.' {
				digits = 0
			} else if digits > 0 {
				extra++
			}
		}
	}
	if extra == 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + extra)
	for i := range len(s) {
		if needsEscape(s[i], i, brackets, inTable) || digits < 0 && i == 0 || digits > 0 && i == digits {
			out.WriteByte('\\')
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func needsEscape(c byte, at, brackets int, inTable bool) bool {
	switch c {
	case '`', '*', '\\', '~':
		return true
	case '[':
		return at < brackets
	case '|':
		return inTable
	}
	return false
}
