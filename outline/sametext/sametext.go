// Package sametext compares Markdown texts as Outline stores them.
//
// Outline converts the Markdown that it receives into a document of its editor, and
// converts that back into Markdown, which may differ in form from what was sent.
package sametext

import "strings"

// Equal reports whether two Markdown texts have the same content. It ignores the
// differences in form that Outline makes: bullets, blank lines, escapes, soft line
// breaks, emphasis marks, the padding of tables, the numbers of list items and the
// form of headings, fences and links. Words, all other characters, the level of
// headings and the state of task boxes count.
func Equal(a, b string) bool {
	if a == b {
		return true
	}
	skipped := sameStart(a, b)
	left, right := newTokens(a[skipped:]), newTokens(b[skipped:])
	left.inFence = endsInFence(a[:skipped])
	right.inFence = left.inFence
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

// sameStart returns the length of the common start of two texts, up to an empty
// line, where a new block begins in both.
func sameStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndex(a[:n], "\n\n") + 1
}

// endsInFence reports whether a text ends within a code block.
func endsInFence(text string) bool {
	in := false
	for line := range strings.Lines(text) {
		if isFence(strings.TrimLeft(line, " \t>")) {
			in = !in
		}
	}
	return in
}

// Contains reports whether a text has the content of part, somewhere and in one
// piece. It is false for a part without content.
func Contains(text, part string) bool {
	sought := spelled(part)
	return sought != "\x00" && strings.Contains(spelled(text), sought)
}

// spelled returns the tokens of a text, each between NULs.
func spelled(text string) string {
	var b strings.Builder
	b.WriteByte(0)
	for t := newTokens(text); ; {
		token := t.next()
		if token == "" {
			return b.String()
		}
		b.WriteString(token)
		b.WriteByte(0)
	}
}
