package prosemirror

import (
	"reflect"
	"strings"
)

// Range is a range of bytes, without its end.
type Range struct{ Start, End int }

// Markdown is a document as Markdown in both forms that Outline shows, with
// the place of each top-level block.
type Markdown struct {
	Raw    string  // as Serialize writes it; findText is searched here
	Text   string  // as the API shows it in text
	Blocks []Block // one for each child of the document

	Dialect Dialect

	shown shownForm // how Text was made from Raw
}

// Block is the place of a top-level block. A block includes the separator
// before it: the newlines between it and the block above are part of Raw.
type Block struct {
	Raw  Range
	Text Range // within Markdown.Text; empty if nothing of the block is shown
}

// ToMarkdown writes a document in both forms, with the places of its blocks.
func (d Dialect) ToMarkdown(doc *Node) Markdown {
	s := serializer{dialect: d}
	m := Markdown{Blocks: make([]Block, len(doc.Content)), Dialect: d}
	for i, child := range doc.Content {
		start := s.out.Len()
		s.block(child)
		m.Blocks[i].Raw = Range{start, s.out.Len()}
	}
	m.Raw = s.String()
	m.Text, m.shown = shownText(m.Raw)
	at := 0
	for i := range m.Blocks {
		raw := m.Blocks[i].Raw
		m.Blocks[i].Text = Range{m.textOffset(raw.Start, &at), m.textOffset(raw.End, &at)}
	}
	return m
}

// ToText writes a document as the API shows it in text: lines that represent
// empty paragraphs are blank, and white space at both ends is removed.
func ToText(doc *Node) string { return Main.ToText(doc) }

// ToText is like the function, for another version of Outline.
func (d Dialect) ToText(doc *Node) string {
	text, _ := shownText(d.Serialize(doc))
	return text
}

// A blockPatch is a patch whose match is within one top-level block.
type blockPatch struct {
	source  string // the raw Markdown of the block, its separator included
	patched string // the same with the match replaced
	match   Range  // within source
	text    string // the new text
	dialect Dialect
}

// apply returns the patched block, or nil if it has to be parsed again.
func (e *blockPatch) apply(block *Node) (*Node, error) {
	if block.IsTextblock() {
		return e.inline(block)
	}
	return e.container(block), nil
}

// container parses the patched Markdown of a container and merges it with the
// old node. Anything after the first block of the same type is lost.
func (e *blockPatch) container(old *Node) *Node {
	updated := firstOfType(e.dialect.Parse(strings.TrimLeft(e.patched, "\n")), old.Type)
	if updated == nil {
		return nil
	}
	// What the unchanged Markdown gives tells attributes that the patch
	// changed from those that Markdown cannot express.
	unchanged := firstOfType(e.dialect.Parse(strings.TrimLeft(e.source, "\n")), old.Type)
	return merge(old, updated, unchanged)
}

func firstOfType(doc *Node, nodeType string) *Node {
	for _, child := range doc.Content {
		if child.Type == nodeType {
			return child
		}
	}
	return nil
}

// merge keeps the old children that the patch did not change, and takes the
// updated ones for the rest. Containers with a different number or different
// types of children are replaced as a whole.
func merge(old, updated, unchanged *Node) *Node {
	if old.IsTextblock() || old.IsLeaf() || len(old.Content) != len(updated.Content) {
		return updated
	}
	merged := make([]*Node, 0, len(old.Content))
	for i, before := range old.Content {
		after := updated.Content[i]
		var same *Node
		if unchanged != nil && i < len(unchanged.Content) {
			same = unchanged.Content[i]
		}
		if before.Type != after.Type {
			return updated
		}
		sameText := before.TextContent() == after.TextContent()
		switch {
		case sameText && !sameMarkup(before, after):
			// The attributes changed. The old content stays, even if its
			// marks changed as well.
			kept := *before
			kept.Attrs = mergeAttrs(before, after, same)
			merged = append(merged, &kept)
		case sameText && (same == nil || Equal(after, same)):
			merged = append(merged, before)
		case !before.IsTextblock() && !before.IsLeaf():
			merged = append(merged, merge(before, after, same))
		default:
			merged = append(merged, after)
		}
	}
	out := *old
	out.Attrs = mergeAttrs(old, updated, unchanged)
	out.Content = merged
	return &out
}

// mergeAttrs keeps the old value of each attribute that the patch did not
// change.
func mergeAttrs(old, updated, unchanged *Node) Attrs {
	if unchanged == nil {
		return updated.Attrs
	}
	if old.Attrs == nil {
		return nil
	}
	merged := make(Attrs, 0, len(old.Attrs))
	take := func(name string) {
		before, hasBefore := old.Attrs.Get(name)
		after, hasAfter := updated.Attrs.Get(name)
		same, hasSame := unchanged.Attrs.Get(name)
		if hasAfter != hasSame || !reflect.DeepEqual(after, same) {
			before, hasBefore = after, hasAfter
		}
		if hasBefore {
			merged = append(merged, Attr{name, before})
		}
	}
	for _, attr := range old.Attrs {
		take(attr.Name)
	}
	for _, attr := range updated.Attrs {
		if _, known := old.Attrs.Get(attr.Name); !known {
			take(attr.Name)
		}
	}
	return merged
}

// A segment is one inline node of a block, with its place in the text in which
// Outline counts and in ProseMirror's positions. The two differ for nodes whose
// text is not as long as the node, which is what goes wrong in Outline.
type segment struct {
	textStart, textEnd int // UTF-16 units
	pos, end           int
	atom               bool
}

// inline splices the new text into a textblock.
func (e *blockPatch) inline(block *Node) (*Node, error) {
	separator := len(e.source) - len(strings.TrimLeft(e.source, "\n"))
	if e.match.Start < separator {
		return nil, nil
	}
	own := e.source[separator:]
	text := block.TextContent()
	// Offsets in Markdown count as offsets in the text if it begins with it.
	start, end := e.match.Start-separator, e.match.End-separator
	from, to := length16(own[:start]), length16(own[:end])
	if !strings.HasPrefix(own, text) {
		find := own[start:end]
		at := strings.Index(text, find)
		if at < 0 {
			return nil, nil
		}
		from = length16(text[:at])
		to = from + length16(find)
	}
	segments := segmentsOf(block)
	for _, s := range segments {
		if s.atom && s.textEnd > from && s.textStart < to {
			return nil, nil
		}
	}
	posFrom, posTo := position(segments, from), position(segments, to)
	if posFrom < 0 || posTo < 0 {
		return nil, nil
	}
	parsed := e.dialect.Parse(e.text)
	if len(parsed.Content) != 1 || !parsed.Content[0].IsTextblock() {
		return nil, nil
	}
	added := parsed.Content[0].Content
	if len(added) == 1 && added[0].IsText() && len(added[0].Marks) == 0 {
		if strings.IndexByte(e.text, 0) >= 0 {
			return nil, ErrServer // the database stores no NUL
		}
		added = []*Node{{Type: Text, Text: e.text}}
	}
	before, ok1 := cut(block.Content, 0, posFrom)
	after, ok2 := cut(block.Content, posTo, sizeOf(block.Content))
	if !ok1 || !ok2 {
		return nil, ErrServer
	}
	return block.With(appendContent(appendContent(before, added), after)), nil
}

func segmentsOf(block *Node) []segment {
	segments := make([]segment, 0, len(block.Content))
	text, pos := 0, 0
	for _, child := range block.Content {
		length, size := 0, child.Size()
		if child.IsText() {
			length = size
		} else {
			length = length16(child.leafText())
		}
		segments = append(segments, segment{
			textStart: text, textEnd: text + length, pos: pos, end: pos + size,
			atom: !child.IsText() && length != size,
		})
		text += length
		pos += size
	}
	return segments
}

// position maps a text offset to a position, or to -1 if there is none.
func position(segments []segment, offset int) int {
	for _, s := range segments {
		if offset >= s.textStart && offset <= s.textEnd {
			return s.pos + offset - s.textStart
		}
	}
	if n := len(segments); n > 0 && offset >= segments[n-1].textEnd {
		return segments[n-1].end
	}
	return -1
}

// cut returns the content between two positions. Ok is false if ProseMirror
// fails: past the end, or within a character.
func cut(content []*Node, from, to int) (part []*Node, ok bool) {
	if size := sizeOf(content); from == 0 && to == size {
		return content, true
	} else if to > from && to > size {
		return nil, false
	}
	if to <= from {
		return nil, true
	}
	pos := 0
	for _, child := range content {
		if pos >= to {
			break
		}
		end := pos + child.Size()
		if end > from {
			if pos < from || end > to {
				if child, ok = cutNode(child, from-pos, to-pos); !ok {
					return nil, false
				}
			}
			part = append(part, child)
		}
		pos = end
	}
	return part, true
}

func cutNode(n *Node, from, to int) (*Node, bool) {
	if n.IsText() {
		start, ok1 := index16(n.Text, max(0, from))
		end, ok2 := len(n.Text), true
		if to < length16(n.Text) {
			end, ok2 = index16(n.Text, to)
		}
		if !ok1 || !ok2 {
			return nil, false
		}
		return n.withText(n.Text[start:end]), true
	}
	from, to = max(0, from-1), min(sizeOf(n.Content), to-1)
	if from == 0 && to == sizeOf(n.Content) {
		return n, true
	}
	content, ok := cut(n.Content, from, to)
	return n.With(content), ok
}
