package prosemirror

import (
	"slices"
	"strings"
	"unicode"
)

// A Section is a heading of a text with everything that belongs to it: the
// lines up to the next heading of the same or a higher level, including
// subsections. Lines count from 1 and end with "\n" or "\r\n".
type Section struct {
	Level     int    // of the heading, 1 to 6
	Heading   string // the text of the heading as a reader sees it: no marks, no link targets, white space collapsed
	FirstLine int    // the line on which the heading starts
	LastLine  int    // the last line that is not blank; FirstLine if only the heading is there
	Slugged   string // what Outline makes the anchor of the heading from: its text without images and emoji

	// Outside is how many of its last lines are not in the callout or toggle that the
	// heading is in, or are in the one whose heading ends the section. Torn reports that
	// they have more than the fences of callouts and toggles.
	Outside int
	Torn    bool
}

// Sections returns the sections of a text in the order of their headings. The
// headings are those of the document that [Parse] makes of the text, without those
// in table cells, and with those in blocks that Outline drops.
//
// Two sections are either apart or one lies inside the other. The section of a
// heading inside a block quote or a list item ends with that quote or item,
// and such a heading does not end a section that began outside. A notice or a
// toggle ends no section.
func Sections(markdown string) []Section {
	p := readBlocks(markdown)
	r := sectionReader{filled: filledLines(p.src), fences: map[int]bool{}}
	headings := p.headings()
	for i := range p.tokens {
		switch t := &p.tokens[i]; t.kind {
		case quoteOpen, listItemOpen:
			r.outer = append(r.outer, r.first)
			r.first = len(r.open)
		case quoteClose, listItemClose:
			r.end(1, int(t.line))
			last := len(r.outer) - 1
			r.first, r.outer = r.outer[last], r.outer[:last]
		case noticeOpen, toggleOpen:
			r.fences[int(t.line)+1] = true
			r.inside = append(r.inside, int(t.line))
		case noticeClose, toggleClose:
			r.fences[int(t.line)+1] = true
			r.leave(int(t.line))
		case headingOpen:
			if len(headings) > 0 && headings[0].FirstLine == int(t.line)+1 {
				r.begin(headings[0])
				headings = headings[1:]
			}
		}
	}
	r.end(1, len(r.filled)-1)
	return r.sections
}

// readBlocks parses the blocks of a text for reading. A carriage return alone ends
// no line, as for readers of the text.
func readBlocks(markdown string) *blockParser {
	markdown = strings.ReplaceAll(strings.ReplaceAll(markdown, "\r\n", "\n"), "\r", " ")
	source, _ := numberLetters(markdown)
	p := newBlockParser(normalizeLines(source), map[string]reference{})
	p.sparse = true
	p.parse(0, p.lineMax)
	return p
}

// headings returns the headings of the blocks as sections without their ends.
func (p *blockParser) headings() []Section {
	var list []token
	for i := range p.tokens {
		if p.tokens[i].kind == headingOpen {
			list = append(list, p.tokens[i:i+3]...)
		}
	}
	headings := make([]Section, 0, len(list)/3)
	list = rewrite(list, p.references, Main, 0, nil)
	var b builder
	for i := range list {
		if list[i].kind != headingOpen {
			continue
		}
		b.stack = append(b.stack[:0], frame{nodeType: Heading})
		b.inline(list[i+1].children)
		b.finishText()
		content := b.stack[0].content
		text := strings.Join(strings.Fields(PlainText(&Node{Type: Heading, Content: content})), " ")
		slugged := text
		if slices.ContainsFunc(content, func(n *Node) bool { return n.Type == Image || n.Type == Emoji }) {
			slugged = (&Node{Type: Heading, Content: content}).TextContent()
		}
		headings = append(headings, Section{Level: int(list[i].number), Heading: text, Slugged: slugged, FirstLine: int(list[i].line) + 1})
	}
	return headings
}

// A sectionReader finds where sections end.
type sectionReader struct {
	sections []Section
	filled   []int         // for each number of lines, the last of these lines that is not blank
	open     []openSection // those that have not ended, of rising levels within a container
	first    int           // of open, the first that began in the container
	outer    []int         // the same for the containers around it
	inside   []int         // the callouts and toggles around, by the number of lines before each
	fences   map[int]bool  // the lines on which callouts and toggles begin and end
}

// An openSection is a section that has not ended.
type openSection struct {
	index int
	depth int // the number of callouts and toggles around its heading
	left  int // the number of lines before the end of the innermost of these, 0 before that
}

func (r *sectionReader) begin(s Section) {
	r.end(s.Level, s.FirstLine-1)
	r.open = append(r.open, openSection{index: len(r.sections), depth: len(r.inside)})
	r.sections = append(r.sections, s)
}

// leave ends a callout or toggle after a number of lines.
func (r *sectionReader) leave(lines int) {
	for i := range r.open {
		if s := &r.open[i]; s.depth == len(r.inside) && s.left == 0 {
			s.left = lines
		}
	}
	r.inside = r.inside[:len(r.inside)-1]
}

// end ends the sections of the container, down to a level, after a number of
// lines.
func (r *sectionReader) end(level, lines int) {
	for last := len(r.open) - 1; last >= r.first; last-- {
		open := r.open[last]
		s := &r.sections[open.index]
		if s.Level < level {
			break
		}
		s.LastLine = r.filled[min(lines, len(r.filled)-1)]
		beside := s.LastLine
		switch {
		case open.left > 0:
			beside = min(open.left, beside)
		case open.depth < len(r.inside):
			beside = r.inside[open.depth]
		}
		inside := r.filled[beside]
		s.Outside = s.LastLine - inside
		for at := s.LastLine; at > inside; at = r.filled[at-1] {
			s.Torn = s.Torn || !r.fences[at]
		}
		r.open = r.open[:last]
	}
}

// filledLines returns for each number of lines the last of them that is not
// blank.
func filledLines(text string) []int {
	filled := make([]int, 1, strings.Count(text, "\n")+2)
	for line := range strings.Lines(text) {
		last := filled[len(filled)-1]
		if strings.TrimSpace(line) != "" {
			last = len(filled)
		}
		filled = append(filled, last)
	}
	return filled
}

// Words returns the number of words that a reader of a text would count in the
// document that [Parse] makes of it. White space and long dashes separate
// words, and a word has a letter or a digit. In Chinese and Japanese, each
// character is a word. Code counts, and so do the names of files.
func Words(markdown string) int {
	p := readBlocks(markdown)
	var c wordCounter
	for _, block := range rewrite(p.tokens, p.references, Main, 0, nil) {
		c.inWord = false
		if block.kind != inlineToken {
			c.count(block.content)
			continue
		}
		for _, t := range block.children {
			switch t.kind {
			case softBreakToken, hardBreakToken, breakToken:
				c.inWord = false
			default:
				c.count(t.content)
			}
		}
	}
	return c.words
}

// A wordCounter counts the words of a text that comes in pieces.
type wordCounter struct {
	words  int
	inWord bool
}

func (c *wordCounter) count(text string) {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || r == '—' || r == '…':
			c.inWord = false
		case r >= 0x80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			c.words++
			c.inWord = false
		case !c.inWord && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			c.words++
			c.inWord = true
		}
	}
}
