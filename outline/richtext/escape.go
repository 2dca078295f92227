package richtext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The functions of this file write text so that no reader of CommonMark, of
// GitHub's tables, tasks and strikethrough, or of Outline's highlights and
// notices takes any of it for markup. They escape nothing that would be read as
// text anyway.

// around describes the position of a text in its line.
type around struct {
	lineStart bool // it is at the start of a line that can begin a block
	first     bool // it is at the start of its block
	link      bool // in the text of a link, where brackets must be literal
	cell      bool // in a table
	struck    bool // in a block with strikethrough, for which a single tilde could be taken
}

// escape appends text as literal Markdown. The text has no line break, and
// neither begins nor ends with white space.
func escape(out, text []byte, at around) []byte {
	i := 0
	if at.lineStart {
		out, i = escapeLineStart(out, text)
	}
	for i < len(text) {
		c := text[i]
		var next byte
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch c {
		case '*', '_', '~', '=', '$':
			end := len(text) - len(bytes.TrimLeft(text[i:], string(c)))
			escaped := runIsMarkup(text, i, end, at)
			for ; i < end; i++ {
				if escaped {
					out = append(out, '\\')
				}
				out = append(out, c)
			}
			continue
		case '`':
			out = append(out, '\\')
		case '\\':
			if next == 0 || isPunctuation(next) {
				out = append(out, '\\')
			}
		case '<':
			if next == 0 || next == '/' || next == '!' || next == '?' || isLetter(next) {
				out = append(out, '\\')
			}
		case '&':
			if isEntity(text[i:]) {
				out = append(out, '\\')
			}
		case '[':
			if at.link || at.first && i == 0 && isTask(text) {
				out = append(out, '\\')
			}
		case ']':
			if at.link || next == '(' || next == ':' || next == '[' {
				out = append(out, '\\')
			}
		case '|':
			if at.cell {
				out = append(out, '\\')
			}
		}
		out = append(out, c)
		i++
	}
	return out
}

// escapeLineStart escapes and appends the start of a text that would make the
// line begin another block, and returns the length of that start.
func escapeLineStart(out, text []byte) ([]byte, int) {
	if onlyOf(text, "-=_*|: \t") {
		return append(out, '\\', text[0]), 1 // a rule, an underline or the second line of a table
	}
	n := 0
	switch c := text[0]; {
	case c == '>':
		return append(out, `\>`...), 1
	case bytes.HasPrefix(text, []byte(":::")):
		return append(out, `\:`...), 1
	case c == '-' || c == '+' || c == '*' || c == '_':
		if n = 1; endsAt(text, n) {
			return append(out, '\\', c), n
		}
	case c == '#':
		n = len(text) - len(bytes.TrimLeft(text, "#"))
		if n <= 6 && endsAt(text, n) {
			return append(append(out, '\\'), text[:n]...), n
		}
	case '0' <= c && c <= '9':
		n = len(text) - len(bytes.TrimLeft(text, "0123456789"))
		if n <= 9 && n < len(text) && (text[n] == '.' || text[n] == ')') && endsAt(text, n+1) {
			return append(append(out, text[:n]...), '\\', text[n]), n + 1
		}
	}
	return out, 0
}

// endsAt reports whether the text ends there or white space follows: a marker
// before it then counts, even if the white space comes from the next span.
func endsAt(text []byte, i int) bool {
	return i == len(text) || text[i] == ' ' || text[i] == '\t'
}

func onlyOf(text []byte, set string) bool { return len(bytes.Trim(text, set)) == 0 }

// runIsMarkup reports whether text[i:end], which repeats one character, could
// be markup. Anything may follow the ends of the text.
func runIsMarkup(text []byte, i, end int, at around) bool {
	before, _ := utf8.DecodeLastRune(text[:i])
	after, _ := utf8.DecodeRune(text[end:])
	spaceBefore := i > 0 && unicode.IsSpace(before) || i == 0 && at.lineStart
	spaceAfter := end < len(text) && unicode.IsSpace(after)
	c := text[i]
	if spaceBefore && spaceAfter { // it neither opens nor closes, but could begin a block
		return i == 0 && (c == '~' && end >= 3 || c == '$' && end >= 2)
	}
	switch c {
	case '_':
		return i == 0 || end == len(text) || !isWord(before) || !isWord(after)
	case '~':
		return end-i > 1 || !spaceBefore || at.struck // one alone can close, and then needs one that opened
	case '=', '$':
		return end-i > 1
	}
	return true
}

// isTask reports whether text begins with the box of a task.
func isTask(text []byte) bool {
	return len(text) >= 3 && text[2] == ']' && strings.IndexByte(" xX", text[1]) >= 0
}

// isEntity reports whether text begins with a character reference (CommonMark,
// section 2.5). The longest name has 31 letters.
func isEntity(text []byte) bool {
	for i, c := range text[1:min(len(text), 40)] {
		switch {
		case c == ';':
			return i > 0
		case c == '#' && i == 0, isAlphanumeric(c):
		default:
			return false
		}
	}
	return false
}

func isPunctuation(c byte) bool { return c > ' ' && c < 0x7f && !isAlphanumeric(c) }

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// inlineCode appends text as inline code, between more backticks than it has in a
// row.
func inlineCode(out, text []byte, cell bool) []byte {
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	pad := text[0] == '`' || text[len(text)-1] == '`' || text[0] == ' ' && text[len(text)-1] == ' ' && !onlyOf(text, " ")
	if cell {
		text = bytes.ReplaceAll(text, []byte("|"), []byte(`\|`))
	}
	space := ""
	if pad {
		space = " "
	}
	return fmt.Append(out, fence, space, string(text), space, fence)
}

func longestRun(text []byte, of byte) int {
	longest, run := 0, 0
	for _, c := range text {
		if c != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// oneLine returns text for the description of an image.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(cleaner.Replace(text)), " ")
	return string(escape(nil, []byte(text), around{link: true, cell: true}))
}

// destination returns an address for a link, with characters that would end it
// percent-encoded (RFC 3986, section 2.1).
func destination(address string) string {
	address = strings.TrimSpace(address)
	paired := balanced(address)
	var b strings.Builder
	for i := range len(address) {
		c := address[i]
		switch {
		case c <= ' ' || c == 0x7f || strings.IndexByte("<>\\`|", c) >= 0, (c == '(' || c == ')') && !paired:
			fmt.Fprintf(&b, "%%%02X", c)
		case c == '&' && isEntity([]byte(address[i:min(len(address), i+40)])):
			b.WriteString(`\&`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// balanced reports whether the parentheses of an address are balanced, and
// nested at most 30 deep.
func balanced(address string) bool {
	open := 0
	for _, c := range address {
		switch c {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 || open > 30 {
			return false
		}
	}
	return open == 0
}
