package fakeoutline

import (
	"strings"

	"outline-mcp/internal/fakeoutline/api"
	"outline-mcp/outline/prosemirror"
)

// documentContent is what the tree of a document contains.
type documentContent struct {
	Plain   string            // without marks, each paragraph, heading and code block on its own line
	Tasks   taskCounts        // in task lists
	Links   []string          // the URL IDs of linked documents, and the UUIDs of those that mentions lead to
	Anchors map[string]string // the passages that comments are attached to, by the comment's ID
}

// taskCounts counts the task list items of a document.
type taskCounts struct {
	Completed int `json:"completed"`
	Total     int `json:"total"`
}

// readContent returns the content of a document.
func readContent(doc *prosemirror.Node) documentContent {
	c := documentContent{Plain: prosemirror.PlainText(doc)}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.CheckboxItem {
			c.Tasks.Total++
			if checked, _ := n.Attrs.Get("checked"); checked == true {
				c.Tasks.Completed++
			}
		}
		if n.Type == prosemirror.Mention && n.Attrs.String("type") == "document" {
			c.Links = append(c.Links, n.Attrs.String("modelId"))
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
	return api.URLID(slug)
}
