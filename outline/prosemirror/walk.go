package prosemirror

import "iter"

// Place is where a node is in a document.
type Place struct {
	Block int   // index of the top-level block that holds the node
	Path  []int // index at each level, from the document down
	Pos   int   // ProseMirror's position of the node: 0 at the start of the document
}

// Walk calls visit for each node below doc in document order. When visit
// returns false, the content of the node is left out. The path is valid until
// visit returns.
func Walk(doc *Node, visit func(n *Node, at Place) bool) {
	w := walker{visit: visit}
	w.walk(doc.Content, 0)
}

type walker struct {
	visit func(*Node, Place) bool
	path  []int
}

func (w *walker) walk(content []*Node, pos int) {
	depth := len(w.path)
	for i, n := range content {
		w.path = append(w.path[:depth], i)
		if w.visit(n, Place{Block: w.path[0], Path: w.path, Pos: pos}) && len(n.Content) > 0 {
			w.walk(n.Content, pos+1)
		}
		pos += n.Size()
	}
	w.path = w.path[:depth]
}

// Textblocks are the paragraphs, headings, code and math blocks of a document,
// at all depths, in document order. A place is valid for one round.
func Textblocks(doc *Node) iter.Seq2[Place, *Node] {
	return func(yield func(Place, *Node) bool) {
		done := false
		Walk(doc, func(n *Node, at Place) bool {
			if n.IsTextblock() && !done {
				done = !yield(at, n)
			}
			return !done && !n.IsTextblock()
		})
	}
}
