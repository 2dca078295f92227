package fakeoutline

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// parseComment returns the data of a comment with a text.
func parseComment(markdown string) json.RawMessage {
	return prosemirror.ParseComment(markdown).AppendJSON(nil)
}

// The nodes and marks of comments, as recorded.
var (
	commentBlocks = []string{
		prosemirror.Paragraph, prosemirror.BulletList, prosemirror.OrderedList, prosemirror.CheckboxList, prosemirror.CodeBlock, prosemirror.CodeFence,
	}
	commentItems   = []string{prosemirror.ListItem, prosemirror.CheckboxItem}
	commentInlines = []string{prosemirror.Text, prosemirror.Break, prosemirror.Mention, prosemirror.Emoji, prosemirror.Image}
	commentMarks   = []string{
		prosemirror.Strong, prosemirror.Emphasis, prosemirror.Underline, prosemirror.Strikethrough, prosemirror.Code, prosemirror.Link,
	}
)

// maxNesting is the maximum depth of the nodes of a comment.
const maxNesting = 50

// isComment reports whether data is a non-blank comment, as its document or, which
// Outline accepts as well, as a single block.
func isComment(data json.RawMessage) bool {
	root, err := prosemirror.Decode(data)
	if err != nil || !hasContent(root) {
		return false
	}
	if root.Type != prosemirror.Doc {
		root = &prosemirror.Node{Type: prosemirror.Doc, Content: []*prosemirror.Node{root}}
	}
	return conforms(root, commentBlocks, 0)
}

// conforms reports whether a node contains only what comments allow in it.
func conforms(n *prosemirror.Node, allowed []string, depth int) bool {
	if depth > maxNesting {
		return false
	}
	for _, child := range n.Content {
		inside := commentBlocks
		switch {
		case !slices.Contains(allowed, child.Type):
			return false
		case child.Type == prosemirror.Paragraph:
			inside = commentInlines
		case child.Type == prosemirror.CodeBlock, child.Type == prosemirror.CodeFence:
			inside = []string{prosemirror.Text}
		case slices.Contains(commentInlines, child.Type):
			inside = nil
		case strings.HasSuffix(child.Type, "_list"):
			inside = commentItems
		}
		known := func(m prosemirror.Mark) bool { return slices.Contains(commentMarks, m.Type) }
		if child.IsText() != (child.Text != "") || !conforms(child, inside, depth+1) ||
			slices.ContainsFunc(child.Marks, func(m prosemirror.Mark) bool { return !known(m) }) {
			return false
		}
	}
	return true
}

// hasContent reports whether a node contains more than white space.
func hasContent(n *prosemirror.Node) bool {
	return strings.TrimSpace(n.Text) != "" || n.Type == prosemirror.Mention || n.Type == prosemirror.Emoji || n.Type == prosemirror.Image ||
		slices.ContainsFunc(n.Content, hasContent)
}

// commentLength returns the length of a comment's data in code points, or 0 if
// it is not valid.
func commentLength(data json.RawMessage) int {
	root, err := prosemirror.Decode(data)
	if err != nil {
		return 0
	}
	length := 0
	prosemirror.Walk(root, func(n *prosemirror.Node) bool {
		length += utf8.RuneCountInString(n.Text) + utf8.RuneCountInString(n.Attrs.String("label"))
		return true
	})
	return length
}
