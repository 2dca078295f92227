package prosemirror

// Range is a range of bytes, without its end.
type Range struct{ Start, End int }

// Markdown is a document as Markdown in both forms that Outline shows, with
// the place of each top-level block.
type Markdown struct {
	Raw    string  // as Serialize writes it; findText is searched here
	Text   string  // as the API shows it in text
	Blocks []Block // one for each child of the document

	shown  shownForm    // how Text was made from Raw
	states []writeState // of the serializer after each block
}

// Block is the place of a top-level block. A block includes the separator
// before it: the newlines between it and the block above are part of Raw.
type Block struct {
	Raw  Range
	Text Range // within Markdown.Text; empty if nothing of the block is shown
}

// ToMarkdown writes a document in both forms, with the places of its blocks.
func ToMarkdown(doc *Node) Markdown {
	var none Markdown
	return none.Update(&Node{}, doc)
}

// Update writes a changed document in both forms. The blocks at its start and
// its end that it shares with doc, whose Markdown is md, are copied.
func (md *Markdown) Update(doc, changed *Node) Markdown {
	s := serializer{}
	m := Markdown{
		Blocks: make([]Block, 0, len(changed.Content)),
		states: make([]writeState, 0, len(changed.Content)),
	}
	first, last := shared(doc.Content, changed.Content)
	length := len(md.Raw)
	for _, child := range changed.Content[first : len(changed.Content)-last] {
		length += estimate(child)
	}
	s.out.Grow(length)
	m.copy(&s, md, 0, first)
	for i := first; i < len(changed.Content); i++ {
		before := i - len(changed.Content) + len(doc.Content) // the place of the same block in doc
		if i >= len(changed.Content)-last && before > 0 && s.state().writesLike(md.states[before-1]) {
			m.copy(&s, md, before, len(doc.Content))
			break
		}
		start := s.out.Len()
		s.block(changed.Content[i])
		m.Blocks = append(m.Blocks, Block{Raw: Range{start, s.out.Len()}})
		m.states = append(m.states, s.state())
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

// shared returns how many nodes two lists share at the start, and how many of
// the others at the end.
func shared(a, b []*Node) (first, last int) {
	shorter := min(len(a), len(b))
	for first < shorter && a[first] == b[first] {
		first++
	}
	for last < shorter-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	return first, last
}

// copy takes blocks from the Markdown of another document.
func (md *Markdown) copy(s *serializer, from *Markdown, first, end int) {
	if first == end {
		return
	}
	start := from.Blocks[first].Raw.Start
	moved := s.out.Len() - start
	s.append(from.Raw[start:from.Blocks[end-1].Raw.End])
	for i := first; i < end; i++ {
		raw := from.Blocks[i].Raw
		md.Blocks = append(md.Blocks, Block{Raw: Range{raw.Start + moved, raw.End + moved}})
	}
	md.states = append(md.states, from.states[first:end]...)
	s.closed, s.last = from.states[end-1].closed, from.states[end-1].last
}

// A writeState is what of a top-level block affects the next one.
type writeState struct {
	closed *Node
	last   byte
}

func (s *serializer) state() writeState { return writeState{s.closed, s.last} }

// writesLike reports whether the next block is written in the same way in both
// states.
func (a writeState) writesLike(b writeState) bool {
	if (a.closed == nil) != (b.closed == nil) || a.closed != nil && a.closed.Type != b.closed.Type {
		return false
	}
	return (a.last == 0) == (b.last == 0) && (a.last == '\n') == (b.last == '\n')
}

// ToText writes a document as the API shows it in text: lines that represent
// empty paragraphs are blank, and white space at both ends is removed.
func ToText(doc *Node) string {
	text, _ := shownText(Serialize(doc))
	return text
}
