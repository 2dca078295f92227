package prosemirror

import (
	"strconv"
	"strings"
	"time"
)

// TextContent returns the text that Outline sees in a node, without marks: that
// of its text nodes, the text by which breaks and mentions count, and nothing
// for emoji and images.
func (n *Node) TextContent() string {
	if n.IsText() {
		return n.Text
	}
	if n.IsLeaf() {
		return n.leafText()
	}
	if len(n.Content) == 1 {
		return n.Content[0].TextContent()
	}
	var out strings.Builder
	n.appendText(&out)
	return out.String()
}

func (n *Node) appendText(out *strings.Builder) {
	switch {
	case n.IsText():
		out.WriteString(n.Text)
	case n.IsLeaf():
		out.WriteString(n.leafText())
	default:
		for _, child := range n.Content {
			child.appendText(out)
		}
	}
}

// leafText returns the text that represents a node without content.
func (n *Node) leafText() string {
	switch n.Type {
	case Break:
		return "\n"
	case Mention:
		if n.Attrs.String("type") == "user" {
			return "@" + scriptString(n, "label")
		}
		return mentionLabel(n)
	case Emoji:
		return emojiText(n.Attrs.String("data-name"))
	case Image:
		if alt := n.Attrs.String("alt"); alt != "" {
			return "(image: " + alt + ")"
		}
		return "(image)"
	case Attachment, Video:
		return n.Attrs.String("title")
	case Embed:
		return n.Attrs.String("href")
	}
	return ""
}

// mentionLabel returns the label with which a mention is shown and written. The
// label of a date is generated from the date, in English, without the current
// year.
func mentionLabel(n *Node) string {
	if n.Attrs.String("type") == "date" {
		if label, ok := dateLabel(n.Attrs.String("modelId"), time.Now().Year()); ok {
			return label
		}
		if id, ok := modelID(n); ok {
			return id
		}
	}
	return scriptString(n, "label")
}

func modelID(n *Node) (id string, ok bool) {
	value, _ := n.Attrs.Get("modelId")
	id, ok = value.(string)
	return id, ok
}

func dateLabel(iso string, year int) (label string, ok bool) {
	date, err := time.Parse(time.DateOnly, iso)
	clock := ""
	if err != nil {
		if date, err = time.Parse("2006-01-02T15:04", iso); err != nil {
			return "", false
		}
		clock = date.Format(" at 3:04 PM")
	}
	suffix := "th"
	if day := date.Day(); day < 11 || day > 13 {
		switch day % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	label = date.Format("January 2") + suffix
	if date.Year() != year {
		label += date.Format(", 2006")
	}
	return label + clock, true
}

// Size returns the length of a node in ProseMirror's positions: the UTF-16
// units of text, one for a leaf, and two around the content of any other node.
func (n *Node) Size() int {
	switch {
	case n.IsText():
		return length16(n.Text)
	case n.IsLeaf():
		return 1
	}
	return 2 + sizeOf(n.Content)
}

func sizeOf(content []*Node) int {
	size := 0
	for _, child := range content {
		size += child.Size()
	}
	return size
}

// scriptString returns an attribute as JavaScript converts it to a string.
func scriptString(n *Node, name string) string {
	value, ok := n.Attrs.Get(name)
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return string(appendValue(nil, value)) // as in JSON
	case bool:
		return strconv.FormatBool(value)
	case nil:
		if !ok {
			return "undefined"
		}
		return "null"
	}
	return ""
}
