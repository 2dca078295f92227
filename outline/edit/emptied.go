package edit

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"outline-mcp/outline/prosemirror"
)

// This file keeps the signs of marks, such as **, from becoming text when words that have the
// marks are deleted.

// A markReader tells signs of marks from text.
type markReader struct {
	text   string
	leaves func() []prosemirror.LeafBlock
}

func newMarkReader(text string) markReader {
	return markReader{text, sync.OnceValue(func() []prosemirror.LeafBlock { return prosemirror.LeafBlocks(text) })}
}

// markSigns are the characters of which the signs of marks consist.
const markSigns = "*_~=`$"

// deleted returns a change that deletes words as one that leaves no marks without words, and
// no blanks at the ends of marks, where Outline would take the signs for text.
func (r markReader) deleted(c Change) Change {
	removed := r.text[c.Start:c.End]
	if strings.TrimSpace(c.New) != "" || strings.TrimSpace(removed) == "" {
		return c
	}
	before, behind := r.signs(c.Match)
	for before != "" && behind != "" {
		sign := behind[:1]
		n := min(len(before)-len(strings.TrimRight(before, sign)), len(behind)-len(strings.TrimLeft(behind, sign)))
		whole := Change{Match{c.Start - n, c.End + n, c.Tolerant}, c.New, c.Edits}
		// Signs of marks are no part of what is shown.
		if n == 0 || r.shown(c.Match, removed) != r.shown(whole.Match, removed) || r.inCode(c.Start) {
			break
		}
		c, before, behind = whole, before[:len(before)-n], behind[n:]
	}
	start, rest := r.text[:c.Start], r.text[c.End:]
	leading, trailing := start[len(strings.TrimRight(start, " ")):], rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	was := countSigns(r.shown(c.Match, r.text[c.Start:c.End]))
	if countSigns(r.shown(c.Match, c.New)) <= was || r.inCode(c.Start) {
		return c
	}
	// Of signs of several kinds, the outer ones may be those of another mark.
	for ; before != "" && trailing != ""; before = strings.TrimLeft(before, before[:1]) {
		out := Change{Match{c.Start - len(before), c.End + len(trailing), c.Tolerant}, c.New + trailing + before, c.Edits}
		if countSigns(r.shown(out.Match, out.New)) == was {
			return out
		}
	}
	for ; behind != "" && leading != ""; behind = strings.TrimRight(behind, behind[len(behind)-1:]) {
		out := Change{Match{c.Start - len(leading), c.End + len(behind), c.Tolerant}, behind + leading + c.New, c.Edits}
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

func countSigns(shown string) (n int) {
	for _, sign := range markSigns {
		n += strings.Count(shown, string(sign))
	}
	return n
}

// shown returns what the line of a passage shows with another text in its place.
func (r markReader) shown(m Match, text string) string {
	line := r.text[lineStart(r.text, m.Start):m.Start] + text + r.text[m.End:indexFrom(r.text, '\n', m.End)]
	return prosemirror.PlainText(&prosemirror.Node{Type: prosemirror.Doc, Content: parse(line)})
}

// inCode reports whether a place is in a block of code or of mathematics.
func (r markReader) inCode(at int) bool {
	line, leaves := strings.Count(r.text[:at], "\n"), r.leaves()
	i := sort.Search(len(leaves), func(i int) bool { return leaves[i].Line > line }) - 1
	return i >= 0 && slices.Contains([]string{prosemirror.CodeBlock, prosemirror.CodeFence, prosemirror.MathBlock}, leaves[i].Node.Type)
}
