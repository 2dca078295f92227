package edit

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// A target is the document that an edit should produce: blocks that replace the
// top-level blocks first to last of the document before.
type target struct {
	before      []*prosemirror.Node
	first, last int
	blocks      []*prosemirror.Node
	region      *region
	edit        rawEdit // that aims at it
}

// maxJoined bounds the number of neighbors that join what the edit changes,
// such as the lists on both sides of a deleted paragraph.
const maxJoined = 8

// target finds out what an edit should produce: what the Markdown of the blocks
// means after the edit, and everything else as it was.
func (s *Source) target(e rawEdit) (target, error) {
	given := e
	first, last := e.blocks(s.Markdown.Blocks)
	for _, other := range e.slides(s.Markdown.Raw)[1:] {
		if from, to := other.blocks(s.Markdown.Blocks); to-from < last-first {
			e, first, last = other, from, to
		}
	}
	if first == last {
		s.keepLiteral(e, first)
	}
	for range maxJoined {
		r := s.region(e, first, last)
		left, right := r.joins()
		// A block that the new text leaves open includes what follows, even lines
		// of the region.
		_, behind, _ := strings.Cut(s.Markdown.Raw[e.end:s.Markdown.Blocks[last].Raw.End], "\n")
		if (right || strings.TrimSpace(behind) != "") && opens(r.newRaw) {
			return target{}, unclosedBlock(e.text, r.new)
		}
		if !left && !right {
			if problem := r.drops(); problem != nil {
				return target{}, problem
			}
			blocks, problem := r.keep()
			if problem != nil {
				return target{}, problem
			}
			if len(blocks) == 0 && last-first+1 == len(s.Doc.Content) {
				blocks = prosemirror.Parse("").Content
			}
			return target{s.Doc.Content, first, last, blocks, r, given}, nil
		}
		if left {
			first--
		}
		if right {
			last++
		}
	}
	return target{}, &RefusedError{
		Reason:  "the new text joins many blocks around it",
		Instead: "Replace the whole document.",
	}
}

// isBefore reports whether the target equals the document before.
func (t *target) isBefore() bool { return slices.Equal(t.blocks, t.before[t.first:t.last+1]) }

// is reports whether a document is the target, apart from what may be lost.
func (t *target) is(doc *prosemirror.Node) bool {
	return allAlike(doc.Content, splice(t.before, t.first, t.last+1, t.blocks))
}

// A region is the blocks that an edit concerns, with their Markdown before and
// after.
type region struct {
	source      *Source
	first, last int
	edit        rawEdit // within oldRaw
	oldRaw      string  // with the separator before the first block, corrected
	newRaw      string
	old         []*prosemirror.Node // what oldRaw means; not always the blocks it was written from
	new         []*prosemirror.Node // what newRaw means
}

func (s *Source) region(e rawEdit, first, last int) *region {
	start, end := s.Markdown.Blocks[first].Raw.Start, s.Markdown.Blocks[last].Raw.End
	all, kept := s.corrections(first, last, e)
	before := s.withCorrections(start, e.start, all)
	replaced := s.withCorrections(e.start, e.end, all)
	r := &region{
		source: s, first: first, last: last,
		edit:   rawEdit{len(before), len(before) + len(replaced), e.text},
		oldRaw: s.withCorrections(start, end, all),
		newRaw: s.editWithCorrections(e, start, end, kept),
	}
	r.old, r.new = s.parse(r.oldRaw), s.parse(r.newRaw)
	return r
}

// parse returns what Markdown means within the document, where blanks are not a
// paragraph.
func (s *Source) parse(markdown string) []*prosemirror.Node {
	if strings.TrimSpace(markdown) == "" || s.late() {
		return nil
	}
	return s.Markdown.Dialect.Parse(markdown).Content
}

// parse returns what Markdown means within any document.
func parse(markdown string) []*prosemirror.Node { return new(Source).parse(markdown) }

// blocks returns those of the document before.
func (r *region) blocks() []*prosemirror.Node { return r.source.Doc.Content[r.first : r.last+1] }

// raw returns the corrected raw form of a block next to the region, or "" outside
// the document.
func (r *region) raw(block int) string {
	if block < 0 || block >= len(r.source.Markdown.Blocks) {
		return ""
	}
	at := r.source.Markdown.Blocks[block].Raw
	all, _ := r.source.corrections(block, block, rawEdit{})
	return r.source.withCorrections(at.Start, at.End, all)
}

// joins reports with which of its neighbors the new Markdown means something
// different than on its own. Neighbors that already joined before, such as two
// lists of a kind in a row, do not count as long as the types of the blocks at
// the ends stay the same.
func (r *region) joins() (left, right bool) {
	above, below := r.raw(r.first-1), r.raw(r.last+1)
	if above == "" && below == "" {
		return false, false
	}
	parse := r.source.parse
	before, after := parse(above), parse(below)
	if allAlike(parse(above+r.newRaw+below), slices.Concat(before, r.new, after)) {
		return false, false
	}
	if len(r.new) == 0 {
		return above != "", below != ""
	}
	left = !allAlike(parse(above+r.newRaw), slices.Concat(before, r.new))
	right = !allAlike(parse(r.newRaw+below), slices.Concat(r.new, after))
	if !left && !right {
		return above != "", below != ""
	}
	if n := len(r.old); n > 0 {
		if left && r.old[0].Type == r.new[0].Type {
			left = allAlike(parse(above+r.oldRaw), slices.Concat(before, r.old))
		}
		if right && r.old[n-1].Type == r.new[len(r.new)-1].Type {
			right = allAlike(parse(r.oldRaw+below), slices.Concat(r.old, after))
		}
	}
	return left, right
}

// opens reports whether Markdown opens a block that includes whatever follows.
func opens(markdown string) bool {
	const paragraph = "text"
	blocks := parse(markdown + "\n\n" + paragraph)
	return len(blocks) == 0 || !allAlike(blocks[len(blocks)-1:], parse(paragraph))
}

// drops returns the refusal of new Markdown of which Outline would drop words.
func (r *region) drops() error {
	if r.source.late() {
		return r.source.ctx.Err()
	}
	now := r.source.Markdown.Dialect.Dropped(r.newRaw)
	if len(now) == 0 {
		return nil
	}
	before := r.source.Markdown.Dialect.Dropped(r.oldRaw)
	for _, d := range now {
		if at := slices.IndexFunc(before, d.IsLike); at >= 0 {
			before = slices.Delete(before, at, at+1)
			continue
		}
		if d.Construct == "link without text" && "[]("+d.Text+")" == prosemirror.Nothing {
			continue // what this package writes itself
		}
		instead := "Leave it out, or put it somewhere else."
		if prosemirror.IsolateFileLinks(r.newRaw) != r.newRaw {
			instead = "Put the link to the file into a paragraph of its own."
		}
		return &RefusedError{
			Reason:  fmt.Sprintf("Outline would silently drop %q (%s)", d.Text, d.Construct),
			Instead: instead,
		}
	}
	return nil
}

// keep returns the blocks that should replace the region: the existing blocks,
// with what their new Markdown changes.
func (r *region) keep() ([]*prosemirror.Node, error) {
	if blocks, ok := keep(r.blocks(), r.old, r.new); ok && !r.loosens() {
		return blocks, nil
	}
	if blocks, ok := r.spliceText(); ok {
		return blocks, nil
	}
	return nil, notMarkdown(r.blocks(), r.old)
}

// loosens reports whether, beside new words, signs that were marks become text, although the
// edit does not name them.
func (r *region) loosens() bool {
	removed := r.oldRaw[min(r.edit.start, len(r.oldRaw)):min(r.edit.end, len(r.oldRaw))]
	was, now, within := textOf(r.old), textOf(r.new), inline(r.edit.text)
	if within == nil || strings.Contains(removed, "\n") || strings.Contains(now, r.edit.text) {
		return false
	}
	return slices.ContainsFunc([]string{"*", "~", "=", "_"}, func(sign string) bool {
		return strings.Count(now, sign) > strings.Count(was, sign) && !strings.Contains(removed+textOf(within), sign)
	})
}

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

// serialize returns the raw form of blocks on their own.
func serialize(blocks []*prosemirror.Node) string {
	return prosemirror.Main.Serialize(&prosemirror.Node{Type: prosemirror.Doc, Content: blocks})
}

// spliceText returns the blocks of a region with new text in one of their text nodes,
// where only plain words change, or get marks.
func (r *region) spliceText() ([]*prosemirror.Node, bool) {
	raw := serialize(r.blocks())
	for _, around := range []int{0, 1, 8, 24} {
		e := r.edit.widenBy(r.oldRaw, around)
		find := r.oldRaw[e.start:e.end]
		within := inline(e.text)
		if !isPlain(find) || within == nil {
			return nil, false
		}
		at := textNodes(r.blocks(), find)
		if len(at) != 1 || strings.Count(raw, find) != 1 || strings.Count(at[0].Text, find) != 1 || len(at[0].Marks) > 0 && !isPlain(e.text) {
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

// isPlain reports whether text is literal anywhere in a paragraph.
func isPlain(text string) bool {
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
