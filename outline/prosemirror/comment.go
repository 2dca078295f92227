package prosemirror

import "cmp"

// CommentText writes a comment as the API shows documents in text, but for
// mentions: of people and groups it shows the names, @Name, and of pages outside
// Outline it makes links. Of nodes that it does not know, it writes the content.
func CommentText(comment *Node) string {
	if comment.Type != Doc {
		comment = &Node{Type: Doc, Content: []*Node{comment}}
	}
	s := serializer{comment: true}
	s.out.Grow(estimate(comment))
	s.blocks(comment)
	text, _ := shownText(s.String())
	return text
}

// commentMention writes a mention in a comment.
func (s *serializer) commentMention(n *Node) {
	label := n.Attrs.String("label")
	switch n.Attrs.String("type") {
	case "document", "collection":
		s.write(mentionMarkdown(n))
	case "issue", "pull_request", "url":
		href := n.Attrs.String("href")
		s.write("[" + escapeMarkdown(cmp.Or(label, href), false, s.inTable) + "](" + href + ")")
	default:
		s.text("@"+label, true)
	}
}

// isUnknown reports a node of a type that this package has no rules for.
func (n *Node) isUnknown() bool {
	switch n.Type {
	case Doc, Text, Break, Image, Emoji, Mention, MathInline, TableRow, TableHeader, TableCell, ListItem, CheckboxItem:
		return false
	}
	return !IsBlock(n.Type)
}
