package edit

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"

	"outline-mcp/outline/prosemirror"
)

// This file keeps the signs of marks, such as **, from becoming text when words that have the
// marks are deleted.

// A markReader tells signs of marks from text.
type markReader struct {
	text   string
	leaves func() []prosemirror.LeafBlock // of a text with the same lines up to a place
}

func newMarkReader(text string) markReader {
	return markReader{text, sync.OnceValue(func() []prosemirror.LeafBlock { return prosemirror.LeafBlocks(text) })}
}

// markSigns are the characters of which the signs of marks consist.
const markSigns = "*_~=`$"

// deleted returns a change that deletes words with the signs of marks that no other words
// have. Where a blank comes to the end of other marks, it puts the blank outside, because
// Outline would take their signs for text. It leaves the changes before it alone.
func (r markReader) deleted(c Change, others []Change) Change {
	before, behind := r.signs(c.Match)
	leading, trailing := r.blanks(c.Match)
	beside := before != "" && behind+trailing != "" || behind != "" && leading != ""
	removed := r.text[c.Start:c.End]
	// What is not shown, as an address, has no marks.
	if !beside || strings.TrimSpace(c.New) != "" || r.inCode(c.Start) || r.shown(c.Match, removed) == r.shown(c.Match, "") {
		return c
	}
	first := 0
	if len(others) > 0 {
		first = others[len(others)-1].End
	}
	if whole := r.withMarks(c); whole.Start >= first {
		c = whole
	}
	if whole := r.withBlanks(c); whole.Start >= first {
		c = whole
	}
	return c
}

// withMarks widens a deletion to the marks that are on nothing else.
func (r markReader) withMarks(c Change) Change {
	removed := r.text[c.Start:c.End]
	for {
		before, behind := r.signs(c.Match)
		if before == "" || behind == "" || strings.TrimSpace(removed) != removed {
			return c
		}
		n := len(before) - len(strings.TrimRight(before, behind[:1]))
		whole := c
		whole.Start, whole.End = c.Start-n, c.End+n
		// Signs of marks are no part of what is shown.
		if n == 0 || n != len(behind)-len(strings.TrimLeft(behind, behind[:1])) || r.shown(c.Match, removed) != r.shown(whole.Match, removed) {
			return c
		}
		c = whole
	}
}

// withBlanks moves the blanks beside a deletion out of the marks that they would begin or end.
func (r markReader) withBlanks(c Change) Change {
	before, behind := r.signs(c.Match)
	leading, trailing := r.blanks(c.Match)
	was := countSigns(r.shown(c.Match, r.text[c.Start:c.End]))
	if countSigns(r.shown(c.Match, c.New)) <= was || strings.Contains(before+behind, "$") { // a formula is not prose
		return c
	}
	// Of signs of several kinds, the outer ones may be those of another mark.
	for ; before != "" && trailing != ""; before = strings.TrimLeft(before, before[:1]) {
		out := c
		out.Start, out.End, out.New = c.Start-len(before), c.End+len(trailing), c.New+trailing+before
		if countSigns(r.shown(out.Match, out.New)) == was {
			return out
		}
	}
	for ; behind != "" && leading != ""; behind = strings.TrimRight(behind, behind[len(behind)-1:]) {
		out := c
		out.Start, out.End, out.New = c.Start-len(leading), c.End+len(behind), behind+leading+c.New
		if countSigns(r.shown(out.Match, out.New)) == was {
			return out
		}
	}
	return c
}

// signs returns the signs right before and right behind a passage.
func (r markReader) signs(m Match) (before, behind string) {
	start, rest := r.text[:m.Start], r.text[m.End:]
	return start[len(strings.TrimRight(start, markSigns)):], rest[:len(rest)-len(strings.TrimLeft(rest, markSigns))]
}

// blanks returns the blanks of its line right before and right behind a passage.
func (r markReader) blanks(m Match) (before, behind string) {
	blank := func(c rune) bool { return c != '\n' && unicode.IsSpace(c) }
	start, rest := r.text[:m.Start], r.text[m.End:]
	return start[len(strings.TrimRightFunc(start, blank)):], rest[:len(rest)-len(strings.TrimLeftFunc(rest, blank))]
}

func countSigns(shown string) (n int) {
	for _, sign := range markSigns {
		n += strings.Count(shown, string(sign))
	}
	return n
}

// aroundMarks is how many bytes of a line before and behind a passage are looked at.
const aroundMarks = 1000

// shown returns what the line of a passage shows with another text in its place.
func (r markReader) shown(m Match, text string) string {
	start := runeStart(r.text, max(lineStart(r.text, m.Start), m.Start-aroundMarks))
	end := runeEnd(r.text, min(indexFrom(r.text, '\n', m.End), m.End+aroundMarks))
	line := strings.TrimLeft(r.text[start:m.Start]+text+r.text[m.End:end], " \t")
	return prosemirror.PlainText(&prosemirror.Node{Type: prosemirror.Doc, Content: parse(line)})
}

// inCode reports whether a place is in a block of code or of mathematics.
func (r markReader) inCode(at int) bool {
	line, leaves := strings.Count(r.text[:at], "\n"), r.leaves()
	i := sort.Search(len(leaves), func(i int) bool { return leaves[i].Line > line }) - 1
	return i >= 0 && slices.Contains([]string{prosemirror.CodeBlock, prosemirror.CodeFence, prosemirror.MathBlock}, leaves[i].Node.Type)
}
