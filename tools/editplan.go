package tools

import (
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// sourceOf returns the tree of a document for planning, or nil if it is not known.
func sourceOf(document outline.Document) *edit.Source {
	if document.Tree == nil {
		return nil
	}
	return &edit.Source{Doc: document.Tree, Markdown: document.Markdown()}
}

// dropUnknownTree removes the tree of a document that holds something that package
// prosemirror does not write as Outline does. What is written is then compared by
// its text.
func dropUnknownTree(document *outline.Document) {
	if document.Tree != nil && document.Markdown().Text != document.Text {
		document.Tree = nil
	}
}
