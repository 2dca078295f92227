package prosemirror

// Walk calls visit for each node below doc in document order. If visit returns
// false, the content of the node is skipped.
func Walk(doc *Node, visit func(n *Node) bool) {
	for _, n := range doc.Content {
		if visit(n) {
			Walk(n, visit)
		}
	}
}
