package prosemirror

import (
	"slices"
	"sort"
	"strings"
)

// A Passage is the part of a document to which a comment is attached: the first
// occurrence of Text that stands between Prefix and Suffix.
type Passage struct{ Prefix, Text, Suffix string }

// CommentMark returns the mark of a comment by a user, with the attributes that
// Outline gives it.
func CommentMark(id, userID string, resolved bool) Mark {
	return Mark{Type: Comment, Attrs: Attrs{
		{Name: "id", Value: id}, {Name: "draft", Value: false}, {Name: "userId", Value: userID}, {Name: "resolved", Value: resolved},
	}}
}

// Attach puts the mark of a comment on a passage of a document. It reports
// whether the document contains the passage. As recorded, the passage is
// searched in the plain text, may reach over several blocks, which a newline
// separates, and may be given with its Markdown.
func Attach(doc *Node, passage Passage, mark Mark) (*Node, bool) {
	places := passage.Places(PlainText(doc))
	if len(places) == 0 {
		return nil, false
	}
	start, end := places[0].Start, places[0].End
	var inside []Mark
	first := true
	r := plainReader{rewrite: func(n *Node, index, at int) []*Node {
		if index == 0 {
			first = true
		}
		from, to := max(start, at), min(end, at+len(n.Text))
		if !n.IsText() || from >= to {
			return []*Node{n}
		}
		if first {
			inside, first = commentMarks(n.Marks), false
		}
		return splitText(n, from-at, to-at, withComment(n.Marks, inside, mark))
	}}
	return r.block(doc), true
}

// Places returns where in the plain text of a document the passage stands, in order
// and without overlaps. A passage that is not there as it is given may be so without
// its Markdown.
func (p Passage) Places(plain string) []Range {
	places := p.find(plain)
	if len(places) == 0 {
		p.Text = PlainText(Parse(p.Text))
		places = p.find(plain)
	}
	return places
}

func (p Passage) find(plain string) []Range {
	var places []Range
	for at := 0; p.Text != ""; {
		next := strings.Index(plain[at:], p.Prefix+p.Text+p.Suffix)
		if next < 0 {
			break
		}
		start := at + next + len(p.Prefix)
		places = append(places, Range{start, start + len(p.Text)})
		at = start + len(p.Text)
	}
	return places
}

// splitText returns a text node in up to three parts, the one between two offsets
// with other marks.
func splitText(n *Node, from, to int, marks []Mark) []*Node {
	parts := make([]*Node, 0, 3)
	for _, part := range []struct {
		text  string
		marks []Mark
	}{{n.Text[:from], n.Marks}, {n.Text[from:to], marks}, {n.Text[to:], n.Marks}} {
		if part.text != "" {
			parts = append(parts, &Node{Type: n.Type, Attrs: n.Attrs, Text: part.text, Marks: part.marks})
		}
	}
	return parts
}

// commentMarks returns the comment marks of a set, which come first.
func commentMarks(marks []Mark) []Mark {
	end := slices.IndexFunc(marks, func(m Mark) bool { return m.Type != Comment })
	if end < 0 {
		end = len(marks)
	}
	return marks[:end]
}

// withComment adds the mark of a comment to a set. As recorded, comments on the
// same text come in the order in which they begin in the block, and then in
// that of their creation: the new mark goes behind those that are on the text
// where it begins.
func withComment(marks, atStart []Mark, mark Mark) []Mark {
	at := 0
	for i, m := range commentMarks(marks) {
		if found := slices.IndexFunc(atStart, m.Is); found >= 0 {
			at, atStart = i+1, atStart[found+1:] // both are in the same order
		}
	}
	return slices.Insert(slices.Clone(marks), at, mark)
}

// A shownForm says how the text of the API was made from a raw form.
type shownForm struct {
	empty []emptyLine
	cut   int // bytes of white space cut from the start
}

// An emptyLine is a line with only a backslash, an empty paragraph, with the
// line end before it. It is shown as two newlines.
type emptyLine struct {
	raw   Range
	shown int // where the two newlines are before white space is cut from the start
}

// shownText makes the text of the API from a raw form.
func shownText(raw string) (text string, form shownForm) {
	added := 0
	for i := 0; i < len(raw); {
		slash := strings.IndexByte(raw[i:], '\\')
		if slash < 0 {
			break
		}
		slash += i
		start, end := slash, slash+1
		if lineStart := slash > i && raw[slash-1] == '\n'; slash > 0 {
			if !lineStart {
				i = slash + 1
				continue
			}
			start--
		}
		if end < len(raw) {
			if raw[end] != '\n' {
				i = end
				continue
			}
			end++
		}
		form.empty = append(form.empty, emptyLine{Range{start, end}, start + added})
		added += 2 - (end - start)
		i = end
	}
	shown := raw
	if len(form.empty) > 0 {
		var out strings.Builder
		out.Grow(len(raw) + added)
		copied := 0
		for _, e := range form.empty {
			out.WriteString(raw[copied:e.raw.Start])
			out.WriteString("\n\n")
			copied = e.raw.End
		}
		out.WriteString(raw[copied:])
		shown = out.String()
	}
	text = strings.TrimLeftFunc(shown, isSpaceRune)
	form.cut = len(shown) - len(text)
	return strings.TrimRightFunc(text, isSpaceRune), form
}

// textOffset maps an offset of Raw to Text. From is the first empty line that
// may be at the offset; the next call with a greater offset starts there.
func (md *Markdown) textOffset(raw int, from *int) int {
	empty := md.shown.empty
	for *from < len(empty) && empty[*from].raw.End <= raw {
		*from++
	}
	at := raw
	switch {
	case *from < len(empty) && empty[*from].raw.Start < raw:
		at = empty[*from].shown + min(2, raw-empty[*from].raw.Start)
	case *from > 0:
		last := empty[*from-1]
		at = last.shown + 2 + raw - last.raw.End
	}
	return max(0, min(at-md.shown.cut, len(md.Text)))
}

// RawOffset maps an offset of Text to Raw, where the same text follows. The two
// differ after empty paragraphs, whose line contains a backslash in Raw and
// nothing in Text, and by the white space removed from the start. At such a
// line in Text, the backslash follows in Raw.
func (md *Markdown) RawOffset(text int) int {
	text = max(0, min(text, len(md.Text)))
	shown := text + md.shown.cut
	empty := md.shown.empty
	n := sort.Search(len(empty), func(i int) bool { return empty[i].shown > shown }) - 1
	if n < 0 {
		return shown
	}
	e := empty[n]
	if within := shown - e.shown; within < 2 {
		return e.raw.Start + within
	}
	return e.raw.End + shown - (e.shown + 2)
}

// RawRange maps a range of Text to the part of Raw that is shown as it. An
// empty range stays empty.
func (md *Markdown) RawRange(start, end int) Range {
	return Range{md.RawOffset(start), md.RawOffset(max(start, end))}
}
