package edit

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// spliceText returns the blocks of a region with new text in one of their text nodes,
// where only plain words change, or get marks.
func (r *region) spliceText() ([]*prosemirror.Node, bool) {
	raw := serialize(r.blocks())
	for _, around := range []int{0, 1, 8, 24} {
		e := r.edit.widenBy(r.oldRaw, around)
		find := r.oldRaw[e.start:e.end]
		within := inline(e.text)
		if !plain(find) || within == nil {
			return nil, false
		}
		at := textNodes(r.blocks(), find)
		if len(at) != 1 || strings.Count(raw, find) != 1 || strings.Count(at[0].Text, find) != 1 || len(at[0].Marks) > 0 && !plain(e.text) {
			continue
		}
		before, behind, _ := strings.Cut(at[0].Text, find)
		within[0].Text = before + within[0].Text
		within[len(within)-1].Text += behind
		within = slices.DeleteFunc(within, func(n *prosemirror.Node) bool { return n.Text == "" })
		if len(at[0].Marks) > 0 && len(within) > 0 {
			within[0].Marks = at[0].Marks
		}
		blocks := slices.Clone(r.blocks())
		for i, block := range blocks {
			blocks[i] = replaceText(block, at[0], within)
		}
		// The words are literal if they are written as they are.
		return blocks, len(within) > 0 && serialize(blocks) == strings.Replace(raw, find, e.text, 1)
	}
	return nil, false
}

// inline returns the text nodes that text means among words, the first and the last
// without marks, or nil if it means other nodes.
func inline(text string) (nodes []*prosemirror.Node) {
	blocks := parse("x " + text + " x")
	if len(blocks) != 1 || blocks[0].Type != prosemirror.Paragraph {
		return nil
	}
	for _, n := range blocks[0].Content {
		if !n.IsText() {
			return nil
		}
		c := *n
		nodes = append(nodes, &c)
	}
	first, last := nodes[0], nodes[len(nodes)-1]
	if len(first.Marks)+len(last.Marks) > 0 || !strings.HasPrefix(first.Text, "x ") || !strings.HasSuffix(last.Text, " x") {
		return nil
	}
	first.Text = first.Text[len("x "):]
	last.Text = strings.TrimSuffix(last.Text, " x")
	return nodes
}

// plain reports whether text is literal anywhere in a paragraph.
func plain(text string) bool {
	trimmed := strings.TrimSpace(text)
	nodes := inline(trimmed)
	return trimmed == "" || len(nodes) == 1 && nodes[0].Text == trimmed
}

// textNodes returns the text nodes that contain text.
func textNodes(nodes []*prosemirror.Node, text string) []*prosemirror.Node {
	var out []*prosemirror.Node
	prosemirror.Walk(&prosemirror.Node{Content: nodes}, func(n *prosemirror.Node) bool {
		if n.IsText() && strings.Contains(n.Text, text) {
			out = append(out, n)
		}
		return true
	})
	return out
}

// replaceText returns a tree with other text nodes in place of one.
func replaceText(n, at *prosemirror.Node, with []*prosemirror.Node) *prosemirror.Node {
	content := make([]*prosemirror.Node, 0, len(n.Content))
	for _, child := range n.Content {
		if child == at {
			content = append(content, with...)
		} else {
			content = append(content, replaceText(child, at, with))
		}
	}
	return n.With(content)
}
