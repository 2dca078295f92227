package prosemirror

import (
	"strconv"
	"strings"
)

// Serialize writes a document as the Markdown that Outline stores, in which
// findText of a patch is searched: empty paragraphs are a backslash and a
// newline, and all line ends around blocks are included.
func (d Dialect) Serialize(doc *Node) string {
	s := serializer{dialect: d}
	s.blocks(doc)
	return s.String()
}

// A serializer writes blocks. A finished block is closed: the lines that
// separate it from the next are written with the next.
type serializer struct {
	dialect     Dialect
	out         strings.Builder
	last        byte   // the last byte written, 0 at the start
	prefix      string // of each line: of quotes and list items
	closed      *Node  // the block that awaits its separator
	inTable     bool
	inList      bool
	inTightList bool
	commonMark  bool // write line breaks and empty paragraphs as CommonMark
	comment     bool // write mentions as @Name, and what unknown nodes contain
	recorder    *recorder
}

func (s *serializer) String() string { return s.out.String() }

// append writes text unchanged.
func (s *serializer) append(text string) {
	if text != "" {
		s.out.WriteString(text)
		s.last = text[len(text)-1]
	}
}

func (s *serializer) atLineStart() bool { return s.last == 0 || s.last == '\n' }

func (s *serializer) ensureNewLine() {
	if !s.atLineStart() {
		s.append("\n")
	}
}

// separate ends the line of the closed block and writes lines-1 empty lines.
func (s *serializer) separate(lines int) {
	if s.closed == nil {
		return
	}
	s.ensureNewLine()
	prefix := strings.TrimRightFunc(s.prefix, isSpaceRune)
	for range lines - 1 {
		s.append(prefix)
		s.append("\n")
	}
	s.closed = nil
}

// write writes text after the separator and the prefix of the line.
func (s *serializer) write(text string) {
	s.separate(2)
	if s.prefix != "" && s.atLineStart() {
		s.append(s.prefix)
	}
	s.append(text)
}

// wrap writes a block whose lines begin with prefix, except that the first
// begins with first.
func (s *serializer) wrap(prefix, first string, node *Node, content func()) {
	old := s.prefix
	s.write(first)
	s.prefix += prefix
	content()
	s.prefix = old
	s.closed = node
}

// text writes text line by line, escaped or unchanged.
func (s *serializer) text(text string, escaped bool) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		lineStart := s.atLineStart() || s.closed != nil
		s.write("")
		if escaped {
			line = escapeMarkdown(line, lineStart, s.inTable)
		}
		s.append(line)
		if !more {
			return
		}
		s.append("\n")
		text = rest
	}
}

func (s *serializer) blocks(parent *Node) {
	for _, child := range parent.Content {
		s.block(child)
	}
}

func (s *serializer) block(n *Node) {
	switch n.Type {
	case Paragraph:
		if len(n.Content) == 0 && !s.inTable {
			if s.commonMark {
				s.write("\n")
			} else {
				s.write("\\\n")
				at := s.out.Len()
				s.recorder.add(at, at, strings.TrimRightFunc(s.prefix, isSpaceRune)+"\n", EmptyParagraph)
			}
			return
		}
		s.inline(n)
		s.closed = n
	case Heading:
		s.write(strings.Repeat("#", max(0, min(6, int(n.Attrs.Number("level"))))) + " ")
		s.inline(n)
		s.closed = n
	case CodeBlock, CodeFence:
		language, _ := s.dialect.language(n.Attrs.String("language"))
		s.fenced(n, strings.Repeat("`", max(3, longestTicks(n.TextContent())+1)), language)
	case MathBlock:
		s.fenced(n, "$$", "")
	case Rule:
		s.write("\n" + n.Attrs.String("markup"))
		s.closed = n
	case Blockquote:
		s.wrap("> ", "> ", n, func() { s.blocks(n) })
	case BulletList:
		s.list(n, "  ", func(int) string { return "* " })
	case CheckboxList:
		s.list(n, "  ", func(int) string { return "- " })
	case OrderedList:
		s.orderedList(n)
	case ListItem, CheckboxItem:
		s.listItem(n)
	case Notice:
		style := n.Attrs.String("style")
		if style == "" {
			style = "info"
		}
		s.write("\n:::" + style + "\n")
		s.blocks(n)
		s.ensureNewLine()
		s.write(":::")
		s.closed = n
	case Toggle:
		fence := strings.Repeat("+", 3+height(n)) + "\n"
		s.write(fence)
		s.blocks(n)
		s.write(fence)
	case Table:
		s.table(n)
		s.closed = n
	case Attachment:
		s.file(scriptString(n, "title")+" "+scriptString(n, "size"), scriptString(n, "href"))
	case Video:
		s.file(scriptString(n, "title")+" "+scriptString(n, "width")+"x"+scriptString(n, "height"), scriptString(n, "src"))
	case Embed:
		s.embed(n)
	default:
		if s.comment && n.isUnknown() {
			s.blocks(n)
			return
		}
		s.inlineNode(n)
	}
}

// fenced writes a block of code or math between fences, which releases write too short.
func (s *serializer) fenced(n *Node, fence, info string) {
	write := func(info string) {
		if s.dialect != Until192 || len(fence) <= 3 {
			s.write(fence + info)
			return
		}
		s.write(fence[:3] + info)
		start := s.out.Len() - len(info) - 3
		s.recorder.add(start, start+3, fence, ShortFence)
	}
	text := n.TextContent()
	if s.inTable {
		text = cellEscaper.Replace(text)
	}
	write(info + "\n")
	s.text(text, false)
	if end := s.out.Len(); text != "" && s.last == '\n' {
		s.recorder.add(end, end, "\n", ShortFence) // or the last empty line would go
	}
	s.ensureNewLine()
	write("")
	s.closed = n
}

// file writes an attachment or a video: a link in its own paragraph.
func (s *serializer) file(label, href string) {
	s.ensureNewLine()
	s.write("[" + label + "](" + href + ")\n\n")
	s.ensureNewLine()
}

func (s *serializer) embed(n *Node) {
	if !s.inTable {
		s.ensureNewLine()
	}
	href := escapeMarkdown(strings.ReplaceAll(n.Attrs.String("href"), "_", "%5F"), false, s.inTable)
	s.write("[" + href + "](" + href + ")")
	if !s.inTable {
		s.write("\n\n")
	}
}

// height returns how deep the content of a node is nested; text does not count.
func height(n *Node) int {
	if n.IsLeaf() {
		return 0
	}
	deepest := 0
	for _, child := range n.Content {
		deepest = max(deepest, height(child))
	}
	return 1 + deepest
}

// list writes the items of a list. In a table they are on one line.
func (s *serializer) list(n *Node, indent string, marker func(index int) string) {
	if s.inTable {
		for i, item := range n.Content {
			if i > 0 {
				s.append(" <br> ")
			}
			s.append(trimSpace(marker(i)) + " ")
			s.block(item)
		}
		return
	}
	if s.closed != nil && s.closed.Type == n.Type {
		s.separate(3)
	} else if s.inTightList {
		s.separate(1)
	}
	oldList, oldTight := s.inList, s.inTightList
	s.inList, s.inTightList = true, true
	for i, item := range n.Content {
		if i > 0 {
			s.separate(1)
		}
		s.wrap(indent, marker(i), n, func() { s.block(item) })
	}
	s.inList, s.inTightList = oldList, oldTight
}

func (s *serializer) orderedList(n *Node) {
	s.write("\n")
	start := 1
	if order, ok := n.Attrs.Get("order"); ok {
		number, _ := order.(float64)
		start = int(number)
	}
	first := byte(0)
	switch n.Attrs.String("listStyle") {
	case "lower-alpha":
		first = 'a'
	case "upper-alpha":
		first = 'A'
	}
	if first != 0 {
		s.list(n, "    ", func(i int) string { return letters(start+i, first) + ". " })
		return
	}
	width := len(strconv.Itoa(start + len(n.Content) - 1))
	s.list(n, strings.Repeat(" ", width+2), func(i int) string {
		number := strconv.Itoa(start + i)
		return strings.Repeat(" ", max(0, width-len(number))) + number + ". "
	})
}

// letters counts a, b, … z, aa, ab.
func letters(n int, first byte) string {
	out := ""
	for n--; ; n = n/26 - 1 {
		out = string(first+byte((n%26+26)%26)) + out
		if n < 26 {
			return out
		}
	}
}

func (s *serializer) listItem(n *Node) {
	if n.Type == CheckboxItem {
		mark := "[ ] "
		if checked, _ := n.Attrs.Get("checked"); checked == true {
			mark = "[x] "
		}
		s.append(mark)
	}
	if !s.inTable {
		s.blocks(n)
		return
	}
	for i, child := range n.Content {
		if i > 0 {
			s.append(" ")
		}
		s.inline(child)
	}
}
