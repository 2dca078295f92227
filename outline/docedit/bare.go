package docedit

import (
	"slices"

	"outline-mcp/outline/prosemirror"
)

// alike reports whether two nodes are the same apart from what Markdown cannot
// express and Outline may drop: comment marks, highlight colors and column
// widths. It also ignores the ids of mentions, because those of new mentions
// are random.
func alike(a, b *prosemirror.Node) bool {
	return prosemirror.Equal(a, b) || a != nil && b != nil && prosemirror.Equal(bare(a), bare(b))
}

func allAlike(a, b []*prosemirror.Node) bool { return slices.EqualFunc(a, b, alike) }

// bare returns a tree without what alike ignores.
func bare(n *prosemirror.Node) *prosemirror.Node {
	return rewritten(n, func(n *prosemirror.Node) *prosemirror.Node {
		switch n.Type {
		case prosemirror.TableCell, prosemirror.TableHeader:
			return withAttr(n, "colwidth", nil)
		case prosemirror.Mention:
			return withAttr(n, "id", "")
		}
		return n
	}, true)
}

// rewritten returns a tree with each node rewritten and, if requested, without
// comments and highlight colors. It then joins text nodes with the same marks.
func rewritten(n *prosemirror.Node, rewrite func(*prosemirror.Node) *prosemirror.Node, marks bool) *prosemirror.Node {
	out := rewrite(n)
	if marks && len(out.Marks) > 0 {
		if bare := bareMarks(out.Marks); len(bare) != len(out.Marks) || &bare[0] != &out.Marks[0] {
			c := *out
			c.Marks = bare
			out = &c
		}
	}
	var content []*prosemirror.Node // nil as long as nothing changes
	for i, child := range n.Content {
		c := rewritten(child, rewrite, marks)
		if content == nil && c == child {
			continue
		}
		if content == nil {
			content = append(make([]*prosemirror.Node, 0, len(n.Content)), n.Content[:i]...)
		}
		if last := len(content) - 1; last >= 0 && c.IsText() && content[last].IsText() &&
			slices.EqualFunc(c.Marks, content[last].Marks, prosemirror.Mark.Is) {
			joined := *c
			joined.Text = content[last].Text + c.Text
			content[last] = &joined
		} else {
			content = append(content, c)
		}
	}
	if content != nil {
		out = out.With(content)
	}
	return out
}

// bareMarks drops comments and the colors of highlights.
func bareMarks(marks []prosemirror.Mark) []prosemirror.Mark {
	changes := func(m prosemirror.Mark) bool {
		return m.Type == prosemirror.Comment || m.Type == prosemirror.Highlight && color(m) != ""
	}
	if !slices.ContainsFunc(marks, changes) {
		return marks
	}
	var out []prosemirror.Mark
	for _, m := range marks {
		if m.Type == prosemirror.Highlight {
			m.Attrs = setAttr(m.Attrs, "color", nil)
		}
		if m.Type != prosemirror.Comment {
			out = append(out, m)
		}
	}
	return out
}

// color returns the color of a highlight, or "" for the default.
func color(m prosemirror.Mark) string { return m.Attrs.String("color") }

func withAttr(n *prosemirror.Node, name string, value any) *prosemirror.Node {
	if old, ok := n.Attrs.Get(name); !ok || old == nil {
		return n
	}
	c := *n
	c.Attrs = setAttr(n.Attrs, name, value)
	return &c
}

func setAttr(attrs prosemirror.Attrs, name string, value any) prosemirror.Attrs {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		if attrs[i].Name == name {
			attrs[i].Value = value
		}
	}
	return attrs
}
