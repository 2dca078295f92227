package edit

import (
	"index/suffixarray"
	"slices"
	"strings"
	"unicode"

	"outline-mcp/outline/prosemirror"
)

// IsZero reports whether nothing is lost.
func (l Loss) IsZero() bool {
	return len(l.CommentAnchors) == 0 && l.HighlightColors == 0 && l.ColumnWidths == 0
}

// Less reports whether losing l is better than losing other. Comments count
// most, because nobody can see where a lost anchor was.
func (l Loss) Less(other Loss) bool {
	if len(l.CommentAnchors) != len(other.CommentAnchors) {
		return len(l.CommentAnchors) < len(other.CommentAnchors)
	}
	return l.HighlightColors+l.ColumnWidths < other.HighlightColors+other.ColumnWidths
}

// Plus returns the loss of two requests one after the other.
func (l Loss) Plus(other Loss) Loss {
	return Loss{
		CommentAnchors:  slices.Concat(l.CommentAnchors, other.CommentAnchors),
		HighlightColors: l.HighlightColors + other.HighlightColors,
		ColumnWidths:    l.ColumnWidths + other.ColumnWidths,
	}
}

// covers reports whether l contains everything in other.
func (l Loss) covers(other Loss) bool {
	return !slices.ContainsFunc(other.CommentAnchors, func(id string) bool { return !slices.Contains(l.CommentAnchors, id) }) &&
		l.HighlightColors >= other.HighlightColors && l.ColumnWidths >= other.ColumnWidths
}

// Lost returns what is lost from text that stays when one state of a document
// becomes another, as when its whole text is replaced.
func Lost(before, after *prosemirror.Node) Loss { return lost(before.Content, after.Content) }

// lost returns what is lost from text that stays when blocks become others.
func lost(before, after []*prosemirror.Node) Loss {
	start, endBefore, endAfter := changed(before, after, equal)
	old := read(before[start:endBefore])
	if len(old.spans) == 0 && !old.sized {
		return Loss{}
	}
	c := compare(old, read(after[start:endAfter]))
	l := Loss{ColumnWidths: lostWidths(c.old.tables, c.now.tables)}
	for _, s := range old.spans {
		switch {
		case !c.loses(s):
		case s.comment != "":
			l.CommentAnchors = append(l.CommentAnchors, s.comment)
		default:
			l.HighlightColors++
		}
	}
	return l
}

// A comparison is between two texts that differ in old.text[start:end] and
// now.text[start:endNow].
type comparison struct {
	old, now           *reading
	start, end, endNow int

	// The text between the common ends now, with whole words, and what is on it.
	text             *suffixarray.Index
	comments, colors map[string]bool

	// The number of characters at the end of the deletion that also precede it,
	// so that it is undecidable which of them stay.
	repeated int
}

func compare(old, now *reading) *comparison {
	c := &comparison{old: old, now: now}
	c.start, c.end, c.endNow = changed(old.text, now.text, equal)
	from, to := c.start, c.endNow
	for from > 0 && isWord(now.text[from-1]) {
		from--
	}
	for to < len(now.text) && isWord(now.text[to]) {
		to++
	}
	if len(old.spans) == 0 {
		return c
	}
	c.text = suffixarray.New([]byte(string(now.text[from:to])))
	for c.start == c.endNow && c.repeated < min(c.start, c.end-c.start) && old.text[c.end-1-c.repeated] == old.text[c.start-1-c.repeated] {
		c.repeated++
	}
	c.comments, c.colors = map[string]bool{}, map[string]bool{}
	for i := from; i < to; i++ {
		t := now.traitsAt(i)
		for _, id := range t.comments {
			c.comments[id] = true
		}
		if t.color != "" {
			c.colors[t.color] = true
		}
	}
	return c
}

// loses reports whether a span is gone from text that stays, and less than half of it is
// left.
func (c *comparison) loses(s *span) bool {
	all, lost, kept := 0, 0, 0
	for n := 0; n < len(s.at); {
		i, length := int(s.at[n]), 1
		gone := false
		switch {
		case unicode.IsSpace(c.old.text[i]):
			length = 0
		case i < c.start:
			gone = !s.on(c.now.traitsAt(i))
		case i >= c.end:
			gone = !s.on(c.now.traitsAt(i - c.end + c.endNow))
		case c.end-i <= c.repeated:
			gone = !s.on(c.now.traitsAt(i - c.end + c.start))
		default:
			// The words of a replaced text that the new text also contains stay.
			for n+length < len(s.at) && int(s.at[n+length]) == i+length && i+length < c.end &&
				isWord(c.old.text[i+length-1]) && isWord(c.old.text[i+length]) {
				length++
			}
			word := []byte(string(c.old.text[i : i+length]))
			there := c.comments[s.comment] || c.colors[s.color]
			gone = !there && len(c.text.Lookup(word, 1)) > 0
			if !there && !gone {
				kept -= length // it is deleted
			}
		}
		all += length
		if gone {
			lost += length
		} else {
			kept += length
		}
		n += max(1, length)
	}
	return lost > 0 && (2*lost >= all || 2*kept < all)
}

// Shortened returns the IDs of the comments that stay, but on fewer words.
func Shortened(before, after *prosemirror.Node) (ids []string) {
	start, endBefore, endAfter := changed(before.Content, after.Content, equal)
	was := read(before.Content[start:endBefore])
	if len(was.spans) == 0 {
		return nil
	}
	now := read(after.Content[start:endAfter])
	for _, s := range was.spans {
		there := now.commented[s.comment]
		if s.comment == "" || there == nil {
			continue
		}
		left := map[string]int{}
		for _, word := range strings.FieldsFunc(there.of(now), isNoWord) {
			left[word]++
		}
		for _, word := range strings.FieldsFunc(s.of(was), isNoWord) {
			if left[word]--; left[word] < 0 {
				ids = append(ids, s.comment)
				break
			}
		}
	}
	return ids
}

func isNoWord(r rune) bool { return !isWord(r) }

// of returns the text of a span.
func (s *span) of(r *reading) string {
	var out strings.Builder
	for i, at := range s.at {
		if i > 0 && s.at[i-1] != at-1 {
			out.WriteByte(' ')
		}
		out.WriteRune(r.text[at])
	}
	return out.String()
}

// A reading is the text of blocks, character by character, with what Markdown
// cannot express.
type reading struct {
	text   []rune
	with   []int32  // the index of the traits of each character
	traits []traits // none, and those of each text that has some
	spans  []*span
	tables []columns
	sized  bool // columns of a table have widths

	commented map[string]*span // by the ID of the comment
	colored   *span            // the last one with a color
}

// maxOverlapping is how many comments on the same character are considered.
// Nobody reads that many, but a document may be designed to have thousands on
// all of its text.
const maxOverlapping = 16

type traits struct {
	comments []string
	color    string
}

// A span is the text of a comment, or text highlighted in a color.
type span struct {
	comment, color string
	at             []int32
}

// on reports whether a character belongs to the span.
func (s *span) on(t traits) bool {
	if s.comment != "" {
		return slices.Contains(t.comments, s.comment)
	}
	return t.color == s.color
}

// columns counts the columns of a table, and those with a width.
type columns struct{ all, sized int }

func read(blocks []*prosemirror.Node) *reading {
	r := &reading{traits: []traits{{}}, commented: map[string]*span{}}
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
		r.sized = r.sized || c.sized > 0
	case len(n.Content) == 0 && n.Type != prosemirror.Paragraph:
		r.add(n, '\uFFFC')
		return
	}
	for _, child := range n.Content {
		r.read(child)
	}
	if n.IsTextblock() || len(n.Marks) > 0 {
		r.add(n, '\n')
	}
}

func (r *reading) add(n *prosemirror.Node, text ...rune) {
	var t traits
	for _, m := range n.Marks {
		switch m.Type {
		case prosemirror.Comment:
			id := m.Attrs.String("id")
			if len(t.comments) == maxOverlapping || slices.Contains(t.comments, id) {
				continue
			}
			t.comments = append(t.comments, id)
			if r.commented[id] == nil {
				r.commented[id] = r.span(span{comment: id})
			}
			r.extend(r.commented[id], len(text))
		case prosemirror.Highlight:
			if t.color = color(m); t.color == "" {
				continue
			}
			if s := r.colored; s == nil || s.color != t.color || int(s.at[len(s.at)-1]) != len(r.text)-1 {
				r.colored = r.span(span{color: t.color})
			}
			r.extend(r.colored, len(text))
		}
	}
	with := 0
	if t.comments != nil || t.color != "" {
		with = len(r.traits)
		r.traits = append(r.traits, t)
	}
	r.text = append(r.text, text...)
	for range text {
		r.with = append(r.with, int32(with))
	}
}

// traitsAt returns the traits of a character.
func (r *reading) traitsAt(i int) traits { return r.traits[r.with[i]] }

func (r *reading) span(s span) *span {
	r.spans = append(r.spans, &s)
	return &s
}

// extend includes the next characters in a span.
func (r *reading) extend(s *span, count int) {
	for n := range count {
		s.at = append(s.at, int32(len(r.text)+n))
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
