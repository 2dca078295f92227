package prosemirror

import "strings"

// Range is a range of bytes, its end excluded.
type Range struct{ Start, End int }

// Markdown is a document as Markdown in both forms that Outline shows, with
// the place of each top-level block.
type Markdown struct {
	Raw    string  // as Serialize writes it; findText is searched here
	Text   string  // as the API shows it in text
	Blocks []Block // one for each child of the document
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
	var at func(int) int
	m.Text, at = shownText(m.Raw)
	for i := range m.Blocks {
		raw := m.Blocks[i].Raw
		m.Blocks[i].Text = Range{at(raw.Start), at(raw.End)}
	}
	return m
}

// ToText writes a document as the API shows it in text: lines that stand for
// empty paragraphs are blank, and blanks at both ends are cut.
func ToText(doc *Node) string {
	text, _ := shownText(Serialize(doc))
	return text
}

// shownText makes the shown form of a raw one. The function maps offsets in
// the raw form to the shown one; it must be called with growing offsets.
func shownText(raw string) (text string, at func(offset int) int) {
	type edit struct{ start, end int } // raw[start:end] became two newlines
	var edits []edit
	for i := 0; i < len(raw); {
		slash := strings.IndexByte(raw[i:], '\\')
		if slash < 0 {
			break
		}
		slash += i
		start, end := slash, slash+1
		if lineStart := slash > i && raw[slash-1] == '\n'; slash > 0 {
			if !lineStart {
				i = slash + 1
				continue
			}
			start--
		}
		if end < len(raw) {
			if raw[end] != '\n' {
				i = end
				continue
			}
			end++
		}
		edits = append(edits, edit{start, end})
		i = end
	}
	shown := raw
	if len(edits) > 0 {
		var out strings.Builder
		out.Grow(len(raw) + len(edits))
		copied := 0
		for _, e := range edits {
			out.WriteString(raw[copied:e.start])
			out.WriteString("\n\n")
			copied = e.end
		}
		out.WriteString(raw[copied:])
		shown = out.String()
	}
	text = strings.TrimLeftFunc(shown, isSpaceRune)
	cut := len(shown) - len(text)
	text = strings.TrimRightFunc(text, isSpaceRune)
	next, moved := 0, 0
	return text, func(offset int) int {
		for next < len(edits) && edits[next].end <= offset {
			moved += 2 - (edits[next].end - edits[next].start)
			next++
		}
		if next < len(edits) && edits[next].start < offset {
			offset = edits[next].start + min(2, offset-edits[next].start)
		}
		return max(0, min(offset+moved-cut, len(text)))
	}
}
