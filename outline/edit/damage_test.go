package edit_test

import (
	"math/rand/v2"
	"slices"

	"outline-mcp/outline/prosemirror"
)

// damaged returns a document with something else in one random place, and what
// that is, or nil where there is nothing to change.
func damaged(r *rand.Rand, doc *prosemirror.Node) (wrong *prosemirror.Node, how string) {
	if r.IntN(4) == 0 {
		at := r.IntN(len(doc.Content))
		if len(doc.Content) > 1 && r.IntN(2) == 0 {
			return doc.With(slices.Delete(slices.Clone(doc.Content), at, at+1)), "a document without one of its blocks"
		}
		return doc.With(slices.Insert(slices.Clone(doc.Content), at, doc.Content[at])), "a document with a block twice"
	}
	var texts []*prosemirror.Node
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if n.IsText() {
			texts = append(texts, n)
		}
		return true
	})
	if len(texts) == 0 {
		return nil, ""
	}
	at := texts[r.IntN(len(texts))]
	other := *at
	_, commented := at.Mark(prosemirror.Comment)
	switch {
	case len(at.Marks) > 0 && !commented && r.IntN(2) == 0:
		other.Marks, how = nil, "text without its marks"
	case len(at.Marks) == 0 && r.IntN(2) == 0:
		other.Marks, how = []prosemirror.Mark{{Type: prosemirror.Strong}}, "text with one more mark"
	default:
		other.Text, how = at.Text+"!", "text with one more character"
	}
	return replaced(doc, at, &other), how
}

// replaced returns a tree with another node in the place of one.
func replaced(n, at, other *prosemirror.Node) *prosemirror.Node {
	if n == at {
		return other
	}
	for i, child := range n.Content {
		if c := replaced(child, at, other); c != child {
			content := slices.Clone(n.Content)
			content[i] = c
			return n.With(content)
		}
	}
	return n
}
