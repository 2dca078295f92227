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

// deleted returns a change that deletes words as one that leaves no marks without words, and
// no blanks at the ends of marks, where Outline would take the signs for text.
func (r markReader) deleted(c Change) Change {
	if strings.TrimSpace(c.New) != "" || strings.TrimSpace(r.text[c.Start:c.End]) == "" {
		return c
	}
	for {
		before, behind := r.signs(c.Match)
		n := min(len(before), len(behind))
		whole := Change{Match{c.Start - n, c.End + n, c.Tolerant}, c.New, c.Edits}
		// Signs of marks are no part of what is shown.
		if n == 0 || before[:1] != behind[:1] || r.shown(c.Match, r.text[c.Start:c.End]) != r.shown(whole.Match, r.text[c.Start:c.End]) || r.inCode(c.Start) {
			break
		}
		c = whole
	}
	before, behind := r.signs(c.Match)
	rest := r.text[c.End:]
	blanksBehind := len(rest) - len(strings.TrimLeft(rest, " "))
	blanksBefore := c.Start - len(strings.TrimRight(r.text[:c.Start], " "))
	whole := c
	switch {
	case before != "" && blanksBehind > 0:
		whole.Start, whole.End, whole.New = c.Start-len(before), c.End+blanksBehind, c.New+rest[:blanksBehind]+before
	case behind != "" && blanksBefore > 0:
		whole.Start, whole.End, whole.New = c.Start-blanksBefore, c.End+len(behind), behind+r.text[c.Start-blanksBefore:c.Start]+c.New
	default:
		return c
	}
	sign := (before + behind)[:1]
	was := strings.Count(r.shown(c.Match, r.text[c.Start:c.End]), sign)
	if strings.Count(r.shown(c.Match, c.New), sign) > was && strings.Count(r.shown(whole.Match, whole.New), sign) == was && !r.inCode(c.Start) {
		return whole
	}
	return c
}

// signs returns the signs of one kind right before and right behind a passage.
func (r markReader) signs(m Match) (before, behind string) {
	const signs = "*_~=`$"
	if m.Start > 0 && strings.IndexByte(signs, r.text[m.Start-1]) >= 0 {
		before = r.text[len(strings.TrimRight(r.text[:m.Start], r.text[m.Start-1:m.Start])):m.Start]
	}
	if rest := r.text[m.End:]; rest != "" && strings.IndexByte(signs, rest[0]) >= 0 {
		behind = rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
	}
	return before, behind
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
