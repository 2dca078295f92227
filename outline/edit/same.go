package edit

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// Verify reports whether the stored tree is what the request should make of the
// document: the blocks outside the request unchanged, including attributes and
// marks, and inside it what the Markdown of the new text means. It ignores what
// Outline generates itself, such as the ids of new mentions, and what Outline
// kept although a loss was expected.
func (r *Request) Verify(stored *prosemirror.Node) bool {
	wanted := r.Result.Content
	if len(stored.Content) != len(wanted) ||
		!slices.EqualFunc(wanted[:r.First], stored.Content[:r.First], prosemirror.Equal) ||
		!slices.EqualFunc(wanted[r.End:], stored.Content[r.End:], prosemirror.Equal) {
		return false
	}
	for i := r.First; i < r.End; i++ {
		if Same(wanted[i], stored.Content[i]) {
			continue
		}
		if r.before == nil || !alike(wanted[i], adopt(wanted[i], stored.Content[i])) || !r.Lost.covers(Lost(r.before, stored)) {
			return false
		}
	}
	return true
}

// Same reports whether a stored tree is what a create, a replace or an append
// has sent: equal apart from what Outline generates or changes on the way in,
// such as the ids of mentions, and images that it stores as attachments.
func Same(wanted, stored *prosemirror.Node) bool {
	return prosemirror.Equal(wanted, stored) || prosemirror.Equal(wanted, adopt(wanted, stored))
}

// adopt returns the stored tree with permitted differences replaced by what was
// intended.
func adopt(wanted, stored *prosemirror.Node) *prosemirror.Node {
	if wanted == stored || wanted.Type != stored.Type {
		return stored
	}
	switch stored.Type {
	case prosemirror.Mention:
		return withAttr(stored, "id", wanted.Attrs.String("id"))
	case prosemirror.Image:
		if src := wanted.Attrs.String("src"); keptAsAttachment(src, stored.Attrs.String("src")) {
			return withAttr(stored, "src", src)
		}
	case prosemirror.Text:
		// A create turns an address that could be embedded into a link.
		link, ok := stored.Mark(prosemirror.Link)
		if ok && len(stored.Marks) == 1 && len(wanted.Marks) == 0 && link.Attrs.String("href") == stored.Text {
			bare := *stored
			bare.Marks = nil
			return &bare
		}
	}
	if len(wanted.Content) != len(stored.Content) {
		return stored
	}
	var content []*prosemirror.Node
	for i, child := range stored.Content {
		c := adopt(wanted.Content[i], child)
		if c != child && content == nil {
			content = slices.Clone(stored.Content)
		}
		if content != nil {
			content[i] = c
		}
	}
	if content == nil {
		return stored
	}
	return stored.With(content)
}

// keptAsAttachment reports whether an image was embedded or on another site,
// and is an attachment now.
func keptAsAttachment(wanted, stored string) bool {
	return (strings.HasPrefix(wanted, "data:") || strings.HasPrefix(wanted, "http")) &&
		strings.HasPrefix(stored, "/api/attachments.redirect?id=")
}

// Difference is a run of top-level blocks that is not stored as intended, as
// raw Markdown. Either side may be empty.
type Difference struct{ Wanted, Stored string }

// Differences returns where a stored tree is not the same as the intended one,
// or nothing if [Same] holds.
func Differences(wanted, stored *prosemirror.Node) []Difference {
	start, endWanted, endStored := changed(wanted.Content, stored.Content, Same)
	want, got := wanted.Content[start:endWanted], stored.Content[start:endStored]
	if len(want) != len(got) {
		return []Difference{{serialize(want), serialize(got)}}
	}
	var out []Difference
	from := -1 // where the run of differences begins
	for i := range len(want) + 1 {
		differs := i < len(want) && !Same(want[i], got[i])
		switch {
		case differs && from < 0:
			from = i
		case !differs && from >= 0:
			out = append(out, Difference{serialize(want[from:i]), serialize(got[from:i])})
			from = -1
		}
	}
	return out
}

// alike reports whether two nodes are the same apart from what Markdown cannot
// express and Outline may drop: comment marks, highlight colors and column
// widths. It also ignores the ids of mentions, because those of new mentions
// are random.
func alike(a, b *prosemirror.Node) bool {
	return prosemirror.Equal(a, b) || a != nil && b != nil && prosemirror.Equal(bare(a), bare(b))
}

func allAlike(a, b []*prosemirror.Node) bool { return slices.EqualFunc(a, b, alike) }

// bare returns a tree without what alike ignores. It joins text nodes that have the
// same marks then.
func bare(n *prosemirror.Node) *prosemirror.Node {
	out := n
	switch n.Type {
	case prosemirror.TableCell, prosemirror.TableHeader:
		out = withAttr(n, "colwidth", nil)
	case prosemirror.Mention:
		out = withAttr(n, "id", "")
	}
	if marks := bareMarks(n.Marks); len(marks) != len(n.Marks) || len(marks) > 0 && &marks[0] != &n.Marks[0] {
		c := *out
		c.Marks = marks
		out = &c
	}
	var content []*prosemirror.Node // nil as long as nothing changes
	for i, child := range n.Content {
		c := bare(child)
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
