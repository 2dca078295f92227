package text

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// A Passage is the part of a document to which a comment is attached: the first
// occurrence of Text that stands between Prefix and Suffix.
type Passage struct{ Prefix, Text, Suffix string }

// CommentMark returns the mark of a comment by a user, with the attributes that
// Outline gives it.
func CommentMark(id, userID string, resolved bool) prosemirror.Mark {
	return prosemirror.Mark{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{
		{Name: "id", Value: id}, {Name: "draft", Value: false}, {Name: "userId", Value: userID}, {Name: "resolved", Value: resolved},
	}}
}

// Attach puts the mark of a comment on a passage of a document. It reports
// whether the document contains the passage. As recorded, the passage is
// searched in the plain text, may reach over several blocks, which a newline
// separates, and may be given with its Markdown.
func Attach(doc *prosemirror.Node, passage Passage, mark prosemirror.Mark) (*prosemirror.Node, bool) {
	text := plain(doc)
	start, end := passage.find(text)
	if start < 0 {
		passage.Text = plain(prosemirror.Parse(passage.Text))
		if start, end = passage.find(text); start < 0 {
			return nil, false
		}
	}
	var inside []prosemirror.Mark
	first := true
	r := reader{rewrite: func(n *prosemirror.Node, index, at int) []*prosemirror.Node {
		if index == 0 {
			first = true
		}
		from, to := max(start, at), min(end, at+len(n.Text))
		if !n.IsText() || from >= to {
			return []*prosemirror.Node{n}
		}
		if first {
			inside, first = comments(n.Marks), false
		}
		return split(n, from-at, to-at, addComment(n.Marks, inside, mark))
	}}
	return r.block(doc), true
}

// find returns the place of a passage in a plain text, -1 if it is not there.
func (p Passage) find(text string) (start, end int) {
	at := strings.Index(text, p.Prefix+p.Text+p.Suffix)
	if at < 0 || p.Text == "" {
		return -1, -1
	}
	start = at + len(p.Prefix)
	return start, start + len(p.Text)
}

// split returns a text node in up to three parts, the one between two offsets
// with other marks.
func split(n *prosemirror.Node, from, to int, marks []prosemirror.Mark) []*prosemirror.Node {
	parts := make([]*prosemirror.Node, 0, 3)
	for _, part := range []struct {
		text  string
		marks []prosemirror.Mark
	}{{n.Text[:from], n.Marks}, {n.Text[from:to], marks}, {n.Text[to:], n.Marks}} {
		if part.text != "" {
			parts = append(parts, &prosemirror.Node{Type: n.Type, Attrs: n.Attrs, Text: part.text, Marks: part.marks})
		}
	}
	return parts
}

// comments returns the comment marks of a set, which come first.
func comments(marks []prosemirror.Mark) []prosemirror.Mark {
	end := slices.IndexFunc(marks, func(m prosemirror.Mark) bool { return m.Type != prosemirror.Comment })
	if end < 0 {
		end = len(marks)
	}
	return marks[:end]
}

// addComment adds the mark of a comment to a set. As recorded, comments on the
// same text come in the order in which they begin in the block, and then in
// that of their creation: the new mark goes behind those that are on the text
// where it begins.
func addComment(marks, atStart []prosemirror.Mark, mark prosemirror.Mark) []prosemirror.Mark {
	at := 0
	for i, m := range comments(marks) {
		if found := slices.IndexFunc(atStart, m.Is); found >= 0 {
			at, atStart = i+1, atStart[found+1:] // both are in the same order
		}
	}
	return slices.Insert(slices.Clone(marks), at, mark)
}
