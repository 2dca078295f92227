// Package text reads plain text, tasks, links and comment anchors from the tree of
// a document, attaches comments to passages, and parses the Markdown of comments.
package text

import (
	"slices"
	"strings"

	"outline-mcp/internal/workspace/ident"
	"outline-mcp/outline/prosemirror"
)

// Content is what the tree of a document contains.
type Content struct {
	Plain   string            // without marks, each paragraph, heading and code block on its own line
	Tasks   Tasks             // in task lists
	Links   []string          // the URL IDs of linked documents
	Anchors map[string]string // the passages that comments are attached to, by the comment's ID
}

// Tasks counts the task list items of a document.
type Tasks struct {
	Completed int `json:"completed"`
	Total     int `json:"total"`
}

// Read returns the content of a document.
func Read(doc *prosemirror.Node) Content {
	c := Content{Plain: plain(doc)}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.CheckboxItem {
			c.Tasks.Total++
			if checked, _ := n.Attrs.Get("checked"); checked == true {
				c.Tasks.Completed++
			}
		}
		for _, mark := range n.Marks {
			switch mark.Type {
			case prosemirror.Link:
				if id := linkedURLID(mark.Attrs.String("href")); id != "" {
					c.Links = append(c.Links, id)
				}
			case prosemirror.Comment:
				if c.Anchors == nil {
					c.Anchors = make(map[string]string)
				}
				c.Anchors[mark.Attrs.String("id")] += n.TextContent()
			}
		}
		return true
	})
	return c
}

// linkedURLID returns the URL ID of the document that a link leads to, or "" if
// it leads elsewhere.
func linkedURLID(destination string) string {
	_, slug, ok := strings.Cut(destination, "/doc/")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(slug, "/?#"); end >= 0 {
		slug = slug[:end]
	}
	return ident.URLID(slug)
}

// plain returns the plain text of a document, or of a single paragraph.
func plain(n *prosemirror.Node) string {
	var r reader
	r.block(n)
	return r.out.String()
}

// A reader writes the plain text of blocks.
type reader struct {
	out   strings.Builder
	began bool // a line has begun

	// rewrite returns what takes the place of an inline node whose text begins
	// at an offset of the plain text. It is called for the nodes of a block in
	// order. Nil changes nothing.
	rewrite func(n *prosemirror.Node, index, start int) []*prosemirror.Node
}

// block writes a block and returns what it becomes.
func (r *reader) block(n *prosemirror.Node) *prosemirror.Node {
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
	var content []*prosemirror.Node
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
func (r *reader) line() {
	if r.began {
		r.out.WriteByte('\n')
	}
	r.began = true
}

// inline writes the content of a textblock.
func (r *reader) inline(n *prosemirror.Node) *prosemirror.Node {
	var content []*prosemirror.Node
	for i, child := range n.Content {
		start := r.out.Len()
		r.out.WriteString(inlineText(child))
		if r.rewrite != nil {
			content = append(content, r.rewrite(child, i, start)...)
		}
	}
	if r.rewrite == nil || slices.Equal(content, n.Content) {
		return n
	}
	return n.With(content)
}

// inlineText returns the text that an inline node stands for.
func inlineText(n *prosemirror.Node) string {
	switch n.Type {
	case prosemirror.Image:
		return n.Attrs.String("alt")
	case prosemirror.Emoji:
		return ":" + n.Attrs.String("data-name") + ":"
	}
	return n.TextContent()
}
