package written

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Unescape returns a text on a single line, whose line breaks are written as two
// characters, \n, with real ones, and reports whether it is such a text. It is if it then
// reads as Markdown: with blank lines, or lines that begin with the sign of a block. One
// without is left alone, because \n is how Outline writes a break within a paragraph, and
// so is one that has a line of the stored document. What is in code spans, formulas and
// paths stays as it is.
func Unescape(text, stored string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.Contains(trimmed, `\n`) || strings.ContainsAny(trimmed, "\r\n") || len(trimmed) < shortestEscaped {
		return text, false
	}
	for line := range strings.Lines(stored) {
		if _, escaped := Unescape(line, ""); escaped {
			return text, false
		}
	}
	if converted, blocks := lineBreaks(trimmed); blocks > 0 {
		return converted, true
	}
	return text, false
}

// Unfence returns what a Markdown code block holds that is the whole of a text, and reports
// whether it is such a text: it was meant to be read as Markdown, and not to be shown as
// code. A text that replaces one with such a block is left alone.
func Unfence(text, stored string) (string, bool) {
	m := wholeFence().FindStringSubmatch(text)
	if m == nil || m[1] != m[4] || strings.Contains(stored, m[1]+m[2]) {
		return text, false
	}
	inCode, blocks := false, 0
	for line := range strings.Lines(m[3]) {
		language, fence := strings.CutPrefix(line, m[1])
		switch {
		case fence && !inCode && strings.TrimSpace(language) == "":
			return text, false // the end of the block
		case fence:
			inCode = !inCode
		case blockStart().MatchString(line):
			blocks++
		}
	}
	if inCode || blocks == 0 {
		return text, false
	}
	return m[3], true
}

// LineBreaks returns a text that is known to be written so with real line breaks.
func LineBreaks(text string) string {
	converted, _ := lineBreaks(text)
	return converted
}

// lineBreaks is LineBreaks. It also returns how many of the line breaks begin a block.
func lineBreaks(trimmed string) (converted string, blocks int) {
	literal := literals().FindAllStringIndex(trimmed, -1)
	quoted := quotations().FindAllStringIndex(trimmed, -1)
	var out strings.Builder
	for at := 0; at < len(trimmed); {
		if len(literal) > 0 && at == literal[0][0] {
			out.WriteString(trimmed[at:literal[0][1]])
			at, literal = literal[0][1], literal[1:]
			continue
		}
		for len(quoted) > 0 && quoted[0][1] <= at {
			quoted = quoted[1:]
		}
		rest := trimmed[at:]
		switch n := breakAt(rest); {
		case n > 0:
			after := rest[n:]
			for strings.HasPrefix(after, " ") || strings.HasPrefix(after, `\t`) {
				after = strings.TrimPrefix(strings.TrimPrefix(after, " "), `\t`)
			}
			switch {
			case within(quoted, at), at > 0 && trimmed[at-1] == ' ' && !strings.HasSuffix(trimmed[:at], "  "):
			case blockStart().MatchString(after), breakAt(after) > 0 && startsLine(after[breakAt(after):]),
				strings.HasPrefix(trimmed, "#") && blockStart().MatchString(trimmed) && startsLine(after):
				blocks++
			}
			out.WriteByte('\n')
			at += n
		case strings.HasPrefix(rest, `\\n`), strings.HasPrefix(rest, `\\t`):
			out.WriteString(rest[1:3])
			at += 3
		case strings.HasPrefix(rest, `\t`) && (len(rest) == 2 || !isWord(rest[2]) || strings.HasSuffix(out.String(), "\n")):
			out.WriteByte('\t')
			at += 2
		default:
			out.WriteByte(rest[0])
			at++
		}
	}
	return out.String(), blocks
}

// shortestEscaped is the minimum length of a text whose line breaks are unescaped.
const shortestEscaped = 10

// breakAt returns the length of the escaped line break that a text begins with, or 0.
func breakAt(text string) int {
	switch {
	case strings.HasPrefix(text, `\r\n`):
		return 4
	case strings.HasPrefix(text, `\n`):
		return 2
	}
	return 0
}

// startsLine reports whether a line may begin with a text.
func startsLine(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || text != "" && strings.ContainsRune("*_[!`\"(“«„<@", first) || blockStart().MatchString(text)
}

// within reports whether a place is in the first of the spans, which end behind it.
func within(spans [][]int, at int) bool { return len(spans) > 0 && spans[0][0] <= at }

func isWord(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

// blockStart matches the sign that a block begins with.
var blockStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:#{1,6} |[-*+] \\S|\\d{1,3}[.)] |> ?\\S|\\|[^|]|```|~~~|:::|\\+\\+\\+|---)")
})

// wholeFence matches a text that is one Markdown code block.
var wholeFence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?s)\\A\\s*(```+|~~~+)( ?(?:markdown|md))[ \t]*\r?\n(.*\n)(```+|~~~+)\\s*\\z")
})

// literals matches what stays as it is: code spans, formulas, commands of formulas, and
// paths of Windows.
var literals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\x60[^\\x60]+\\x60|\\x60{3,}|\\x60\\x60.+?\\x60\\x60|\\$[^$]*\\\\(?:nabla|nu|neq?|neg|not(?:in)?|ni|theta|tau|text[a-z]*|times|tan|to|top|tilde|tfrac)\\b[^$]*\\$" +
		`|\b[A-Za-z]:\\[a-z][\w.\\-]*`)
})

// quotations matches short texts in quotation marks, as in code.
var quotations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]{0,200}"|(?:^|[\s(=])'[^']{0,60}'`) })
