package prosemirror

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nothing is Markdown of which Outline keeps nothing: a link without text. Next to a
// sign it is punctuation, next to a blank it is text.
const Nothing = "[](x)"

// A Correction is a place where the raw form of a block does not mean the block, and
// what to write there instead. Outline writes a blank before each image, which it
// reads as text, and no empty line after an empty paragraph, which it then reads as a
// line break of the next one. It leaves blanks at the ends of a paragraph, which it
// cuts when it reads them, moves them out of marks, does not escape all signs, and
// writes a mention of a document or a collection as a link. Releases write fences that
// the code between them ends.
type Correction struct {
	Range
	Text string
	Kind CorrectionKind
}

// A CorrectionKind says what is corrected.
type CorrectionKind int

// The kinds of corrections.
const (
	EmptyParagraph CorrectionKind = iota // an insertion at the end of its line
	ImageBlank                           // the deletion of the blank before an image
	InlineSign                           // anything within a line
	MentionLink                          // a mention in the form of one, in place of a link
	ShortFence                           // a longer fence of code
)

// Corrections returns where the raw form of a block, without the lines before it, may
// not mean the block. In their places, the corrections make it mean the block if
// Markdown can.
func (d Dialect) Corrections(block *Node) (raw string, list []Correction) {
	s := serializer{dialect: d, recorder: &recorder{}}
	s.block(block)
	raw = s.String()
	cut := len(raw) - len(strings.TrimLeft(raw, "\n"))
	list = s.recorder.list
	for i := range list {
		list[i].Start -= cut
		list[i].End -= cut
	}
	slices.SortStableFunc(list, func(a, b Correction) int { return cmp.Compare(a.Start, b.Start) })
	return raw[cut:], list
}

// A recorder collects the corrections of what a serializer writes. It does nothing
// if it is nil.
type recorder struct{ list []Correction }

func (r *recorder) add(start, end int, text string, kind CorrectionKind) {
	if r != nil {
		r.list = append(r.list, Correction{Range{start, end}, text, kind})
	}
}

// cell adds the corrections of a table cell, which are those of content from offset
// cut on, with line ends written as <br>.
func (r *recorder) cell(of *recorder, content string, cut, at int) {
	if r == nil {
		return
	}
	moved := func(offset int) int {
		offset = min(max(offset, cut), len(content))
		return at + offset - cut + (len("<br>")-1)*strings.Count(content[cut:offset], "\n")
	}
	for _, c := range of.list {
		if c.Kind != EmptyParagraph {
			r.add(moved(c.Start), moved(c.End), c.Text, c.Kind)
		}
	}
}

// A boundary is what is written between two inline nodes: signs that close marks,
// blanks, and signs that open marks.
type boundary struct {
	start int    // -1 as long as nothing is written
	signs bool   // some of it are signs
	text  string // what means the same
}

// put writes a part of the boundary.
func (w *inlineWriter) put(text string, escaped bool) {
	w.s.text(text, escaped)
	if text == "" || w.s.recorder == nil {
		return
	}
	if w.at.start < 0 {
		w.at.start = w.s.out.Len() - len(text)
	}
	if !escaped {
		w.at.signs = true
		w.at.text += w.nothing() + text
	}
}

// nothing separates signs and blanks, but not within a link, which cannot hold others.
func (w *inlineWriter) nothing() string {
	if slices.ContainsFunc(w.active, func(m Mark) bool { return m.Type == Link }) {
		return ""
	}
	return Nothing
}

// passed adds the correction of the boundary before the node at index, which begins
// with a blank.
func (w *inlineWriter) passed(blank string, index int) {
	if at := w.at; at.start >= 0 && (at.signs || index == 0 || index == len(w.parent.Content)) {
		w.s.recorder.add(at.start, w.s.out.Len(), at.text+w.nothing()+blank, InlineSign)
	}
	w.at = boundary{start: -1}
}

// plain writes an inline node without its marks, and adds its corrections.
func (w *inlineWriter) plain(n *Node, index int) {
	lineStart := w.s.atLineStart() || w.s.closed != nil
	w.s.inlineNode(n)
	end := w.s.out.Len()
	switch r := w.s.recorder; {
	case r == nil:
	case n.Type == Image && !w.s.inList:
		start := end - len(w.s.image(n))
		r.add(start, start+1, "", ImageBlank)
	case n.Type == Mention:
		if markdown := mentionMarkdown(n, w.s.dialect); markdown[0] == '[' {
			r.add(end-len(markdown), end, mentionForm(n, n.Attrs.String("id")), MentionLink)
		}
	case n.IsText() && n.Text != "" && !strings.Contains(n.Text, "\n"):
		text := escapeMarkdown(n.Text, lineStart, w.s.inTable)
		w.recordText(text, end-len(text), index)
	}
}

// unescaped are the signs that Outline does not escape everywhere.
const unescaped = "_=$<>&![]|:"

// recordText adds the corrections of the text of a node as it is written.
func (w *inlineWriter) recordText(text string, start, index int) {
	add := func(from, to int, with string) {
		w.s.recorder.add(start+from, start+to, with, InlineSign)
	}
	ends := func(neighbor int) bool { // the node at index is the first or last of a line
		return neighbor < 0 || neighbor == len(w.parent.Content) || w.parent.Content[neighbor].Type == Break
	}
	i, end := 0, len(text)
	if ends(index - 1) {
		i = len(text) - len(strings.TrimLeftFunc(text, isSpaceRune))
		if i > 0 {
			add(0, i, w.nothing()+text[:i])
		} else if strings.HasPrefix(text, `\`) {
			add(0, 0, w.nothing()) // a task would begin with "undefined"
		} else if opensBlock(text) {
			_, i = utf8.DecodeRuneInString(text)
			escape := ""
			if strings.IndexByte(unescaped, text[0]) >= 0 {
				escape = `\`
			}
			add(0, i, w.nothing()+escape+text[:i])
		}
	}
	if ends(index + 1) {
		if end = len(strings.TrimRightFunc(text[i:], isSpaceRune)) + i; end < len(text) {
			add(end, len(text), text[end:]+w.nothing())
		}
	}
	for i < end {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], `\\n`):
			add(i, i+2, `\\`+w.nothing())
			i += 2
		case c == '\\':
			i += 2
		case strings.IndexByte(unescaped, c) >= 0:
			add(i, i+1, `\`+text[i:i+1])
			i++
		default:
			i++
		}
	}
}

// opensBlock reports whether a line that begins with the text may open another block
// than a paragraph.
func opensBlock(text string) bool {
	n := 0
	for n < len(text) && isAlphanumeric(text[n]) {
		n++
	}
	return n == 0 && text[0] < utf8.RuneSelf && text[0] != '\\' || n > 0 && n < len(text) && (text[n] == '.' || text[n] == ')')
}
