package sametext

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokens iterates over the significant parts of a Markdown text: words and signs.
type tokens struct {
	text       string
	start, end int  // of the token that next returned last
	inFence    bool // in a code block

	lastStart, lastEnd int // of the token before that
}

func newTokens(text string) *tokens { return &tokens{text: plain(text)} }

// next returns the next token, "" at the end.
func (t *tokens) next() string {
	for t.end < len(t.text) {
		if from := t.end; from == 0 || t.text[from-1] == '\n' {
			if token := t.beginLine(); token != "" {
				return token
			}
			if t.end > from && t.text[t.end-1] == '\n' {
				continue
			}
		}
		if t.end == len(t.text) {
			break
		}
		t.lastStart, t.lastEnd = t.start, t.end
		t.start = t.end
		kind, size := kindOf(t.text[t.start:])
		t.end += size
		switch kind {
		case word:
			return t.restOfWord()
		case sign:
			if t.text[t.start] == ')' && t.isItemNumber(t.lastStart, t.lastEnd) {
				return "."
			}
			return t.text[t.start:t.end]
		case quote:
			return `"`
		}
	}
	t.start, t.end = len(t.text), len(t.text)
	return ""
}

// restOfWord skips the rest of a word and returns it.
func (t *tokens) restOfWord() string {
	for t.end < len(t.text) {
		kind, size := kindOf(t.text[t.end:])
		if kind != word {
			break
		}
		t.end += size
	}
	return t.text[t.start:t.end]
}

// The kinds of characters. Those of kind nothing affect only the form of a text.
const (
	nothing = iota
	word
	sign
	quote
)

var ascii = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range kinds {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			kinds[c] = word
		case strings.IndexByte("!#$%&()+,-./:;<=>?@[]{}~", byte(c)) >= 0:
			kinds[c] = sign
		case c == '"', c == '\'':
			kinds[c] = quote
		}
	}
	return kinds
}()

// kindOf returns the kind of the character that s begins with, and its length.
func kindOf(s string) (kind uint8, size int) {
	if c := s[0]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	return kindBeyondASCII(s)
}

func kindBeyondASCII(s string) (kind uint8, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case '\u2018' <= r && r <= '\u201F':
		return quote, size
	case unicode.IsSpace(r), unicode.Is(unicode.Cf, r):
		return nothing, size
	}
	return word, size
}

// beginLine skips the markup at the start of a line, and returns a token for the
// part of it that is significant, or "".
func (t *tokens) beginLine() string {
	line := t.text[t.end:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n+1]
	}
	rest := strings.TrimLeft(line, " \t>")
	bare := strings.TrimSpace(rest)
	t.start = t.end
	if isFence(bare) {
		t.inFence = !t.inFence
		t.end += len(line)
		return strings.TrimSpace(strings.TrimLeft(bare, "`~"))
	}
	switch {
	case t.inFence:
		return ""
	case isTableRule(bare):
		t.end += len(line)
		return ""
	case isRule(bare):
		t.end += len(line)
		return "---"
	}
	token := ""
	if len(rest) > 1 && strings.IndexByte("-*+", rest[0]) >= 0 && isBlank(rest[1]) {
		rest = strings.TrimLeft(rest[1:], " \t")
		if box := strings.ToLower(rest[:min(4, len(rest))]); box == "[ ] " || box == "[x] " {
			token, rest = box[:3], rest[3:]
		}
	} else if level := len(rest) - len(strings.TrimLeft(rest, "#")); level > 0 && level < 7 && len(rest) > level && isBlank(rest[level]) {
		token, rest = rest[:level], rest[level:]
	}
	t.end += len(line) - len(rest)
	return token
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isTableRule reports whether a line is the one below the header of a table.
func isTableRule(line string) bool {
	return strings.Contains(line, "-") && strings.ContainsAny(line, "|:") && strings.Trim(line, "|:- \t") == ""
}

// isRule reports whether a line is a thematic break (CommonMark, section 4.1).
func isRule(line string) bool {
	for _, mark := range []string{"-", "*", "_"} {
		if strings.Count(line, mark) >= 3 && strings.Trim(line, mark+" \t") == "" {
			return true
		}
	}
	return false
}

// isItemNumber reports whether a token can be the number of a list item: up to
// nine digits at the start of a line (CommonMark, section 5.2).
func (t *tokens) isItemNumber(start, end int) bool {
	if start == end || end-start > 9 || strings.Trim(t.text[start:end], "0123456789") != "" {
		return false
	}
	const deepest = 200 // columns of lists in lists
	before := t.text[max(0, start-deepest):start]
	begins := strings.LastIndexByte(before, '\n')
	return (begins >= 0 || start <= deepest) && strings.Trim(before[begins+1:], " \t>*+-") == ""
}

// numbersItem reports whether the last token is the number of a list item,
// because Outline renumbers lists, and skips what follows such a number.
func (t *tokens) numbersItem() bool {
	rest := t.text[t.end:]
	if !t.isItemNumber(t.start, t.end) || rest == "" || rest[0] != '.' && rest[0] != ')' || len(rest) > 1 && !isBlank(rest[1]) && rest[1] != '\n' {
		return false
	}
	t.end++
	return true
}

// plain normalizes hard breaks, character references, escapes, underlined headings,
// and links whose text is their address.
func plain(text string) string {
	if strings.ContainsAny(text, `\<`) {
		text = hardBreaks.Replace(text)
	}
	if strings.ContainsRune(text, '&') {
		text = html.UnescapeString(text)
	}
	return withPlainHeadings(withPlainAddresses(text))
}

// hardBreaks normalizes hard breaks: Outline writes a backslash and n, and reads
// <br>.
var hardBreaks = strings.NewReplacer(`\n`, "\n", "<br>", "\n", "<br/>", "\n", "<br />", "\n")

// withPlainAddresses writes [address](address) and <address> as address.
func withPlainAddresses(text string) string {
	var b strings.Builder
	done, open := 0, -1 // open: where the last [ of the line stands
	for at := 0; ; {
		i := strings.IndexAny(text[at:], "[]<\n")
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		from, name, end := -1, "", 0
		switch text[i] {
		case '[':
			open = i
		case '\n':
			open = -1
		case '<':
			if n := strings.IndexAny(text[at:], "> \n<["); n > 0 && text[at+n] == '>' && strings.ContainsAny(text[at:at+n], ":@") {
				from, name, end = i, text[at:at+n], at+n+1
			}
		case ']':
			if open < 0 || !strings.HasPrefix(text[at:], "(") {
				break
			}
			if n := strings.IndexAny(text[at+1:], ")\n []("); n >= 0 && text[at+1+n] == ')' && isAddressOf(text[at+1:at+1+n], text[open+1:i]) {
				from, name, end = open, text[open+1:i], at+n+2
			}
			open = -1
		}
		if from >= 0 {
			b.WriteString(text[done:from] + name)
			done, at = end, end
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

func isAddressOf(address, name string) bool {
	for _, scheme := range []string{"", "mailto:", "http://", "https://"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok && strings.TrimSuffix(rest, "/") == strings.TrimSuffix(name, "/") {
			return name != ""
		}
	}
	return false
}

// withPlainHeadings writes headings that are underlined with a number sign.
func withPlainHeadings(text string) string {
	if !strings.Contains(text, "\n=") && !strings.Contains(text, "\n-") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	inFence := false
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if isFence(bare) {
			inFence = !inFence
		}
		if i == 0 || inFence || bare == "" || strings.Trim(bare, "=") != "" && strings.Trim(bare, "-") != "" {
			continue
		}
		above := strings.TrimSpace(lines[i-1])
		if above == "" || strings.ContainsAny(above[:1], "#>|-*+`~") || strings.HasPrefix(above, ":::") || isRule(above) {
			continue
		}
		mark := "# "
		if bare[0] == '-' {
			mark = "## "
		}
		lines[i-1], lines[i] = mark+lines[i-1], ""
	}
	return strings.Join(lines, "")
}
