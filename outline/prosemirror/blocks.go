package prosemirror

// Range is a range of bytes, its end excluded.
type Range struct{ Start, End int }

// Markdown is a document as Markdown in both forms that Outline shows, with
// the place of each top-level block.
type Markdown struct {
	Raw    string  // as Serialize writes it; findText is searched here
	Text   string  // as the API shows it in text
	Blocks []Block // one for each child of the document

	shown shownForm // how Text was made of Raw
}

// Block is the place of a top-level block. A block owns the separator before
// it: the newlines between it and the block above are part of Raw.
type Block struct {
	Raw  Range
	Text Range // within Markdown.Text; empty when nothing of the block shows
}

// ToMarkdown writes a document in both forms, with the places of its blocks.
func ToMarkdown(doc *Node) Markdown {
	s := serializer{}
	s.out.Grow(estimate(doc))
	m := Markdown{Blocks: make([]Block, len(doc.Content))}
	for i, child := range doc.Content {
		m.Blocks[i].Raw.Start = s.out.Len()
		s.block(child)
		m.Blocks[i].Raw.End = s.out.Len()
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

// ToText writes a document as the API shows it in text: lines that stand for
// empty paragraphs are blank, and blanks at both ends are cut.
func ToText(doc *Node) string {
	text, _ := shownText(Serialize(doc))
	return text
}
