// Package sametext compares Markdown texts as Outline stores them.
//
// Outline keeps what it is sent as a document of its editor, and writes
// Markdown of that again, which may differ in form from what was sent.
package sametext

import "strings"

// Equal reports whether two Markdown texts say the same, whatever Outline made
// of their form: bullets, blank lines, escapes, soft line
// breaks, emphasis marks, the padding of tables, numbers of list items and the
// form of headings, fences and links may come back different. Words, all other
// signs, the level of headings and ticks in boxes count.
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

// sameStart returns how much two texts have in common at their start, up to an
// empty line: there a new block begins in both.
func sameStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndex(a[:n], "\n\n") + 1
}

// endsInFence reports whether a text ends within a block of code.
func endsInFence(text string) bool {
	in := false
	for line := range strings.Lines(text) {
		if isFence(strings.TrimLeft(line, " \t>")) {
			in = !in
		}
	}
	return in
}

// Contains reports whether a text says, somewhere and in one piece, what part
// says. It is false for a part that says nothing.
func Contains(text, part string) bool {
	sought := spelled(part)
	return sought != "\x00" && strings.Contains(spelled(text), sought)
}

// spelled is a text as the sequence of its tokens, each between NULs.
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
