package prosemirror

// Walk calls visit for each node below doc in document order. When visit
// returns false, the content of the node is left out.
func Walk(doc *Node, visit func(n *Node) bool) {
	for _, n := range doc.Content {
		if visit(n) {
			Walk(n, visit)
		}
	}
}
