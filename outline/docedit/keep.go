package docedit

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// keep returns the nodes unchanged except for what a change of their Markdown
// changes: before is what the Markdown meant, after is what it means now. Where
// both say the same, the nodes stay, even if Markdown cannot express them. It
// fails if the change concerns nodes that are not what their Markdown means,
// unless they are deleted completely.
func keep(nodes, before, after []*prosemirror.Node) (kept []*prosemirror.Node, ok bool) {
	if len(nodes) != len(before) {
		return nil, false
	}
	start, end, endAfter := changed(before, after, prosemirror.Equal)
	changedNodes, old, now := nodes[start:end], before[start:end], after[start:endAfter]
	if len(now) == 0 || allAlike(changedNodes, old) {
		return splice(nodes, start, end, now), true
	}
	if len(old) != len(now) {
		return nil, false
	}
	within := make([]*prosemirror.Node, len(now))
	for i := range now {
		if within[i], ok = keepNode(changedNodes[i], old[i], now[i]); !ok {
			return nil, false
		}
	}
	return splice(nodes, start, end, within), true
}

func keepNode(node, before, after *prosemirror.Node) (*prosemirror.Node, bool) {
	switch {
	case prosemirror.Equal(before, after):
		return node, true
	case alike(node, before):
		return after, true
	case node.Type != before.Type || before.Type != after.Type || node.IsText() || len(node.Content) == 0:
		return nil, false
	}
	content, ok := keep(node.Content, before.Content, after.Content)
	if !ok {
		return nil, false
	}
	kept := node.With(content)
	if markup := after.With(nil); !prosemirror.Equal(before.With(nil), markup) {
		if !alike(node.With(nil), before.With(nil)) {
			return nil, false
		}
		kept = after.With(content)
	}
	return kept, true
}

// spliceText returns the blocks of a region with new words in one of their
// text nodes, where nothing but plain words changes.
func (r *region) spliceText() ([]*prosemirror.Node, bool) {
	raw := serialize(r.blocks())
	for _, around := range []int{0, 1, 8, 24} {
		e := r.edit.widenBy(r.oldRaw, around)
		find := r.oldRaw[e.start:e.end]
		if !plain(find) || !plain(e.text) {
			return nil, false
		}
		at := textNodes(r.blocks(), find)
		if len(at) != 1 || strings.Count(raw, find) != 1 || strings.Count(at[0].Text, find) != 1 {
			continue
		}
		text := strings.Replace(at[0].Text, find, e.text, 1)
		blocks := slices.Clone(r.blocks())
		for i, block := range blocks {
			blocks[i] = replaceText(block, at[0], text)
		}
		// The words are literal if they are written as they are.
		return blocks, text != "" && serialize(blocks) == strings.Replace(raw, find, e.text, 1)
	}
	return nil, false
}

// serialize returns the raw form of blocks on their own.
func serialize(blocks []*prosemirror.Node) string {
	return prosemirror.Serialize(&prosemirror.Node{Type: prosemirror.Doc, Content: blocks})
}

// plain reports whether text is literal anywhere in a paragraph.
func plain(text string) bool {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return true
	}
	blocks := parse("x " + trimmed + " x")
	return len(blocks) == 1 && blocks[0].Type == prosemirror.Paragraph && len(blocks[0].Content) == 1 &&
		blocks[0].Content[0].Text == "x "+trimmed+" x" && len(blocks[0].Content[0].Marks) == 0
}

// textNodes returns the text nodes that contain text.
func textNodes(nodes []*prosemirror.Node, text string) []*prosemirror.Node {
	var out []*prosemirror.Node
	for _, n := range nodes {
		if n.IsText() && strings.Contains(n.Text, text) {
			out = append(out, n)
		}
		out = slices.Concat(out, textNodes(n.Content, text))
	}
	return out
}

// replaceText returns a tree with other text in one of its nodes.
func replaceText(n, at *prosemirror.Node, text string) *prosemirror.Node {
	if n == at {
		c := *n
		c.Text = text
		return &c
	}
	for i, child := range n.Content {
		if c := replaceText(child, at, text); c != child {
			return n.With(splice(n.Content, i, i+1, []*prosemirror.Node{c}))
		}
	}
	return n
}
