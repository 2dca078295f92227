package prosemirror

import (
	"slices"
	"strings"
)

// PlainText returns the text of a document, or of a single block, in which Outline
// looks for the passage of a comment: without marks, each paragraph, heading and code
// block on a line of its own.
func PlainText(n *Node) string {
	var r plainReader
	r.block(n)
	return r.out.String()
}

// A plainReader writes the plain text of blocks.
type plainReader struct {
	out   strings.Builder
	began bool // a line has begun

	// rewrite returns what takes the place of an inline node whose text begins
	// at an offset of the plain text. It is called for the nodes of a block in
	// order. Nil changes nothing.
	rewrite func(n *Node, index, start int) []*Node
}

// block writes a block and returns what it becomes.
func (r *plainReader) block(n *Node) *Node {
	switch {
	case n.IsTextblock():
		r.line()
		return r.inline(n)
	case n.IsLeaf():
		if text := n.TextContent(); text != "" {
			r.line()
			r.out.WriteString(text)
		}
		return n
	}
	var content []*Node
	for i, child := range n.Content {
		became := r.block(child)
		if became != child && content == nil {
			content = append(content, n.Content...)
		}
		if content != nil {
			content[i] = became
		}
	}
	if content == nil {
		return n
	}
	return n.With(content)
}

// line begins a line.
func (r *plainReader) line() {
	if r.began {
		r.out.WriteByte('\n')
	}
	r.began = true
}

// inline writes the content of a textblock.
func (r *plainReader) inline(n *Node) *Node {
	var content []*Node
	for i, child := range n.Content {
		start := r.out.Len()
		r.out.WriteString(plainInline(child))
		if r.rewrite != nil {
			content = append(content, r.rewrite(child, i, start)...)
		}
	}
	if r.rewrite == nil || slices.Equal(content, n.Content) {
		return n
	}
	return n.With(content)
}

// plainInline returns the text that an inline node stands for.
func plainInline(n *Node) string {
	switch n.Type {
	case Image:
		return n.Attrs.String("alt")
	case Emoji:
		return ":" + n.Attrs.String("data-name") + ":"
	}
	return n.TextContent()
}
