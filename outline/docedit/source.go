package docedit

import "outline-mcp/outline/prosemirror"

// Source is one state of a document. It must not be used concurrently.
type Source struct {
	Doc      *prosemirror.Node
	Markdown prosemirror.Markdown

	blankAt map[int][]int // what blanks has found, by block
}

// NewSource writes the Markdown of a document, which is most of the work of
// planning an edit of a long one.
func NewSource(doc *prosemirror.Node) *Source {
	return &Source{Doc: doc, Markdown: prosemirror.ToMarkdown(doc)}
}

// Change replaces Markdown.Text[Start:End] by New. Offsets count bytes of the
// text before any change.
type Change struct {
	Start, End int
	New        string
}
