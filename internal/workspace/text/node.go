package text

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Node is a node of the ProseMirror document of Outline's editor.
type Node struct {
	Type    string         `json:"type"`
	Attrs   map[string]any `json:"attrs,omitempty"`
	Content []Node         `json:"content,omitempty"`
	Text    string         `json:"text,omitempty"`
	Marks   []Mark         `json:"marks,omitempty"`
}

// A Mark is a mark of a text, such as strong or a link.
type Mark struct {
	Type  string         `json:"type"`
	Attrs map[string]any `json:"attrs,omitempty"`
}

// The nodes and marks of the comment editor.
var (
	commentBlocks  = []string{"paragraph", "bullet_list", "ordered_list", "checkbox_list", "blockquote", "code_block"}
	commentItems   = []string{"list_item", "checkbox_item"}
	commentInlines = []string{"text", "br", "mention", "emoji", "image"}
	commentMarks   = []string{"strong", "em", "underline", "strikethrough", "code_inline", "highlight", "link"}
)

// maxNesting is the maximum depth of the nodes of a comment.
const maxNesting = 50

// IsComment reports whether data is a valid, non-blank document of the comment
// editor.
func IsComment(data json.RawMessage) bool {
	var root Node
	return json.Unmarshal(data, &root) == nil && root.Type == "doc" && len(root.Content) > 0 &&
		root.conforms(commentBlocks, 0) && root.hasContent()
}

// conforms reports whether a node contains only what the editor allows in it.
func (n *Node) conforms(allowed []string, depth int) bool {
	if depth > maxNesting {
		return false
	}
	for i := range n.Content {
		child := &n.Content[i]
		inside := commentBlocks
		switch {
		case !slices.Contains(allowed, child.Type):
			return false
		case slices.Contains(commentInlines, child.Type):
			inside = nil
		case child.Type == "paragraph":
			inside = commentInlines
		case child.Type == "code_block":
			inside = []string{"text"}
		case strings.HasSuffix(child.Type, "_list"):
			inside = commentItems
		}
		known := func(m Mark) bool { return slices.Contains(commentMarks, m.Type) }
		if (child.Type == "text") != (child.Text != "") || !child.conforms(inside, depth+1) ||
			slices.ContainsFunc(child.Marks, func(m Mark) bool { return !known(m) }) {
			return false
		}
	}
	return true
}

// hasContent reports whether a node contains more than white space.
func (n *Node) hasContent() bool {
	return strings.TrimSpace(n.Text) != "" || n.Type == "mention" || n.Type == "emoji" || n.Type == "image" ||
		slices.ContainsFunc(n.Content, func(child Node) bool { return child.hasContent() })
}

// length returns the number of code points in the texts of a node.
func (n *Node) length() int {
	length := utf8.RuneCountInString(n.Text)
	if label, ok := n.Attrs["label"].(string); ok {
		length += utf8.RuneCountInString(label)
	}
	for i := range n.Content {
		length += n.Content[i].length()
	}
	return length
}

// CommentLength returns the length of a comment's data in code points, or 0 if
// it is not valid JSON.
func CommentLength(data json.RawMessage) int {
	var root Node
	if json.Unmarshal(data, &root) != nil {
		return 0
	}
	return root.length()
}
