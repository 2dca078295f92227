package docedit

import (
	"slices"

	"outline-mcp/outline/prosemirror"
)

// IsZero reports whether nothing is lost.
func (l Loss) IsZero() bool {
	return len(l.CommentAnchors) == 0 && l.HighlightColors == 0 && l.ColumnWidths == 0
}

// less reports whether losing l is better than losing other. Comments count
// most: nobody can see where an anchor was.
func (l Loss) less(other Loss) bool {
	if len(l.CommentAnchors) != len(other.CommentAnchors) {
		return len(l.CommentAnchors) < len(other.CommentAnchors)
	}
	return l.HighlightColors+l.ColumnWidths < other.HighlightColors+other.ColumnWidths
}

// lost is what goes from text that stays when blocks become others.
func lost(before, after []*prosemirror.Node) Loss {
	start, endBefore, endAfter := changed(before, after, func(a, b *prosemirror.Node) bool { return a == b })
	before, after = before[start:endBefore], after[start:endAfter]
	old := read(before)
	if !old.rich {
		return Loss{}
	}
	now := read(after)
	l := Loss{ColumnWidths: lostWidths(old.tables, now.tables)}
	lastColored := -2
	for _, pair := range stays(old.text, now.text) {
		i := pair[0]
		was, is := old.traits[i], traits{}
		if pair[1] >= 0 {
			is = now.traits[pair[1]]
		}
		for _, id := range was.comments {
			if !slices.Contains(is.comments, id) && !slices.Contains(l.CommentAnchors, id) {
				l.CommentAnchors = append(l.CommentAnchors, id)
			}
		}
		if was.color != "" && is.color != was.color {
			if lastColored != i-1 || old.traits[i-1].color != was.color {
				l.HighlightColors++
			}
			lastColored = i
		}
	}
	return l
}

// stays pairs the characters of the old text that stay with their places in
// the new text. A place of -1 means that the texts are too long to tell.
func stays(old, now []rune) [][2]int {
	pairs := common(old, now)
	if len(pairs) < len(old) && len(old)*len(now) > maxCompared {
		known := make([]bool, len(old))
		for _, pair := range pairs {
			known[pair[0]] = true
		}
		for i := range old {
			if !known[i] {
				pairs = append(pairs, [2]int{i, -1})
			}
		}
		slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	}
	return pairs
}

// A reading is the text of blocks, character by character, with what Markdown
// cannot carry.
type reading struct {
	text   []rune
	traits []traits // of each character
	tables []columns
	rich   bool // there is something to lose
}

type traits struct {
	comments []string
	color    string
}

// columns counts the columns of a table, and those with a width.
type columns struct{ all, sized int }

func read(blocks []*prosemirror.Node) *reading {
	r := &reading{}
	for _, block := range blocks {
		r.read(block)
	}
	return r
}

func (r *reading) read(n *prosemirror.Node) {
	switch {
	case n.IsText():
		r.add(n, []rune(n.Text)...)
		return
	case n.Type == prosemirror.Table:
		c := columnsOf(n)
		r.tables = append(r.tables, c)
		r.rich = r.rich || c.sized > 0
	case len(n.Content) == 0:
		r.add(n, '\uFFFC')
		return
	}
	if len(n.Marks) > 0 { // inline math
		r.add(n, '\uFFFC')
	}
	for _, child := range n.Content {
		r.read(child)
	}
	r.add(n, '\n')
}

func (r *reading) add(n *prosemirror.Node, text ...rune) {
	var t traits
	for _, m := range n.Marks {
		switch m.Type {
		case prosemirror.Comment:
			t.comments = append(t.comments, m.Attrs.String("id"))
		case prosemirror.Highlight:
			t.color = color(m)
		}
	}
	r.rich = r.rich || len(t.comments) > 0 || t.color != ""
	for _, c := range text {
		r.text = append(r.text, c)
		r.traits = append(r.traits, t)
	}
}

func columnsOf(table *prosemirror.Node) columns {
	var c columns
	for _, row := range table.Content {
		sized := 0
		for _, cell := range row.Content {
			if width, _ := cell.Attrs.Get("colwidth"); width != nil {
				sized++
			}
		}
		c.all, c.sized = max(c.all, len(row.Content)), max(c.sized, sized)
	}
	return c
}

func lostWidths(before, after []columns) int {
	count := 0
	for i := range min(len(before), len(after)) {
		count += max(0, min(before[i].sized, after[i].all)-after[i].sized)
	}
	return count
}
