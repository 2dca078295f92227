package outline

import (
	"html"
	"strings"
	"unicode"
)

// SameText reports whether two Markdown texts say the same, whatever Outline
// made of their form. It keeps what it is sent as its editor's document and
// makes Markdown of that anew, so that bullets, blank lines, escapes, soft line
// breaks, the padding of tables, numbers of list items and the form of links
// may come back different. What counts is the sequence of the words: letters,
// digits, and every symbol outside ASCII but quotation marks.
func SameText(a, b string) bool {
	if a == b {
		return true
	}
	left, right := &words{text: plain(a)}, &words{text: plain(b)}
	x, y := left.next(), right.next()
	for {
		switch {
		case x == y && x == "":
			return true
		case x == y:
			x, y = left.next(), right.next()
		case left.numbersItem():
			x = left.next()
		case right.numbersItem():
			y = right.next()
		default:
			return false
		}
	}
}

// words goes through the words of a text.
type words struct {
	text       string
	start, end int // of the word that next returned last
}

// next returns the next word, "" at the end.
func (w *words) next() string {
	start := strings.IndexFunc(w.text[w.end:], isOfWord)
	if start < 0 {
		w.start, w.end = len(w.text), len(w.text)
		return ""
	}
	w.start = w.end + start
	w.end = len(w.text)
	if n := strings.IndexFunc(w.text[w.start:], func(r rune) bool { return !isOfWord(r) }); n >= 0 {
		w.end = w.start + n
	}
	return w.text[w.start:w.end]
}

// numbersItem reports whether the last word is the number of a list item, which
// Outline counts anew: up to nine digits at the start of a line before a dot or
// a parenthesis (CommonMark, section 5.2).
func (w *words) numbersItem() bool {
	rest := w.text[w.end:]
	if w.start == w.end || w.end-w.start > 9 || strings.Trim(w.text[w.start:w.end], "0123456789") != "" ||
		rest == "" || rest[0] != '.' && rest[0] != ')' || len(rest) > 1 && !strings.ContainsRune(" \t\n", rune(rest[1])) {
		return false
	}
	before := w.text[:w.start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Trim(before, " \t>*+-") == ""
}

func isOfWord(r rune) bool {
	switch {
	case r < 0x80:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	case '\u2018' <= r && r <= '\u201F': // quotation marks
		return false
	}
	return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
}

// plain brings into one form what has several: hard breaks, ticked boxes,
// character references, and addresses that are their own link text.
func plain(text string) string {
	if strings.ContainsAny(text, `\<`) || strings.Contains(text, "[X]") {
		text = hardBreaks.Replace(text)
	}
	if strings.ContainsRune(text, '&') {
		text = html.UnescapeString(text)
	}
	var b strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.Index(text[at:], "](")
		if i < 0 {
			break
		}
		i += at
		at = i + 2
		open := strings.LastIndexAny(text[done:i], "[\n")
		length := strings.IndexAny(text[at:], ")\n ")
		if open < 0 || length < 0 || text[done+open] != '[' || text[at+length] != ')' {
			continue
		}
		if name := text[done+open+1 : i]; strings.TrimPrefix(text[at:at+length], "mailto:") == name {
			b.WriteString(text[done:done+open] + name)
			done = at + length + 1
			at = done
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// hardBreaks knows the forms of a hard break: Outline writes a backslash and
// n, and reads <br>.
var hardBreaks = strings.NewReplacer(`\n`, "\n", "<br>", "\n", "<br/>", "\n", "<br />", "\n", "[X]", "[x]")
