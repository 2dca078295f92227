package outline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// keepMentions returns the new content of a comment in which the people that the
// comment mentions so far are mentioned still: its text shows them as @Name, which
// would become plain text. Code and links stay as they are. Mentions keep their IDs, so
// that Outline notifies nobody again.
func (c Comment) keepMentions(content *prosemirror.Node) *prosemirror.Node {
	if c.content == nil {
		return content
	}
	var mentions []*prosemirror.Node
	prosemirror.Walk(c.content, func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.Mention && n.Attrs.String("label") != "" {
			mentions = append(mentions, n)
		}
		return true
	})
	// The longest name first: one may begin with another.
	slices.SortStableFunc(mentions, func(a, b *prosemirror.Node) int {
		return len(b.Attrs.String("label")) - len(a.Attrs.String("label"))
	})
	for _, mention := range mentions {
		content, _ = withMention(content, mention)
	}
	return content
}

// withMention puts a mention where a tree first shows it as text, and reports whether
// it does.
func withMention(n, mention *prosemirror.Node) (*prosemirror.Node, bool) {
	if n.Type == prosemirror.CodeBlock || n.Type == prosemirror.CodeFence {
		return n, false
	}
	for i, child := range n.Content {
		parts, found := []*prosemirror.Node{child}, false
		if child.IsText() {
			parts, found = splitAtMention(child, mention)
		} else {
			parts[0], found = withMention(child, mention)
		}
		if found {
			return n.With(slices.Concat(n.Content[:i], parts, n.Content[i+1:])), true
		}
	}
	return n, false
}

func splitAtMention(text, mention *prosemirror.Node) ([]*prosemirror.Node, bool) {
	_, code := text.Mark(prosemirror.Code)
	_, link := text.Mark(prosemirror.Link)
	if code || link {
		return nil, false
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	name := "@" + mention.Attrs.String("label")
	for at, end := 0, 0; ; {
		next := strings.Index(text.Text[end:], name)
		if next < 0 {
			return nil, false
		}
		at, end = end+next, end+next+len(name)
		before, _ := utf8.DecodeLastRuneInString(text.Text[:at])
		after, _ := utf8.DecodeRuneInString(text.Text[end:])
		if word(before) || word(after) {
			continue
		}
		var parts []*prosemirror.Node
		part := func(of *prosemirror.Node, text string, marks []prosemirror.Mark) {
			if text != "" || !of.IsText() {
				parts = append(parts, &prosemirror.Node{Type: of.Type, Attrs: of.Attrs, Marks: marks, Text: text})
			}
		}
		part(text, text.Text[:at], text.Marks)
		part(mention, "", text.Marks)
		part(text, text.Text[end:], text.Marks)
		return parts, true
	}
}
