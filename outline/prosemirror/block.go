package prosemirror

import (
	"strings"
)

// maxNesting is how deep blocks, and links in brackets, may be nested before
// the parser takes the rest as text. It is markdown-it's default.
const maxNesting = 100

// A blockParser splits a document into block tokens by the rules of
// CommonMark, section 3, in the order and with the peculiarities of
// markdown-it: the tables of GFM, Outline's callouts, toggles and math.
type blockParser struct {
	src        string
	lines      []line
	tokens     []token
	references map[string]reference
	dialect    Dialect
	filled     int // cells of short rows

	drops   *drops
	sources *[]paragraphSource // of the paragraphs; nil if they are not needed
	ending  []Unclosed         // blocks without their ends
	sparse  bool               // leave out the empty cells that Outline adds to short rows

	start      int // the line at which the block begins that is being parsed
	at         int // the line after the block just parsed
	lineMax    int
	indent     int // columns that belong to enclosing list items
	listIndent int // of the enclosing list, -1 outside lists
	parent     parentKind
	level      int32
}

// A line is one source line. Block quotes and lists move its offsets while
// their content is parsed.
type line struct {
	begin, end int // byte offsets, the newline excluded
	shift      int // bytes of indentation
	columns    int // the same in columns, tabs expanded; -1: continues a quoted paragraph
	base       int // columns before begin, for tabs inside quotes
}

type parentKind uint8

const (
	inRoot parentKind = iota
	inQuote
	inList
	inParagraph
	inReference
	inTable
	inContainer
)

type reference struct{ href, title string }

func newBlockParser(src string, references map[string]reference) *blockParser {
	src, _ = parsed(src, MaxMarks)
	p := &blockParser{src: src, references: references, listIndent: -1}
	p.lines = make([]line, 0, strings.Count(src, "\n")+2)
	start, columns, pos, blocks, blank := 0, 0, 0, 0, true
	for pos < len(src) {
		switch src[pos] {
		case '\t':
			columns += 4 - columns%4
			pos++
			continue
		case ' ':
			columns++
			pos++
			continue
		}
		end := strings.IndexByte(src[pos:], '\n')
		if end < 0 {
			end = len(src)
		} else {
			end += pos
		}
		if blank && pos < end { // a paragraph, of three tokens, or more of something else
			blocks++
		}
		blank = pos == end
		p.lines = append(p.lines, line{begin: start, end: end, shift: pos - start, columns: columns})
		start, columns, pos = end+1, 0, end+1
	}
	p.lines = append(p.lines, line{begin: len(src), end: len(src)})
	p.lineMax = len(p.lines) - 1
	p.tokens = make([]token, 0, 3*blocks+8)
	return p
}

// parse tokenizes the lines from start up to end.
func (p *blockParser) parse(start, end int) {
	for at := start; at < end; {
		for at < p.lineMax && p.isEmpty(at) {
			at++
		}
		p.at = at
		if at >= end || p.lines[at].columns < p.indent {
			return
		}
		if p.level >= maxNesting {
			if p.drops != nil {
				p.drops.add(int32(at), "block nested more than 100 deep", p.cut(at, end, 0, false))
			}
			p.at = end
			return
		}
		p.block(at, end)
		at = p.at
		if at < end && p.isEmpty(at) {
			at++
			p.at = at
		}
	}
}

// block parses the block at a line with the first rule that accepts it. A rule
// returns false if the block is not of its kind; if silent, it only reports
// whether such a block begins there.
func (p *blockParser) block(at, end int) {
	p.start = at
	if p.dialect == comment {
		_ = p.indentedCode(at, end) || p.fence(at, end, false) || p.list(at, end, false) || p.reference(at) || p.paragraph(at, end)
		return
	}
	_ = p.table(at, end, false) ||
		p.indentedCode(at, end) ||
		p.container(at, end, false) ||
		p.fence(at, end, false) ||
		p.quote(at, end, false) ||
		p.math(at, end, false) ||
		p.rule(at, end, false) ||
		p.list(at, end, false) ||
		p.reference(at) ||
		p.heading(at, end, false) ||
		p.setextHeading(at, end) ||
		p.paragraph(at, end)
}

// interrupts reports whether a block that begins at the line ends an open block
// of the given kind without a blank line between them.
func (p *blockParser) interrupts(at, end int, open parentKind) bool {
	if p.dialect == comment {
		return p.fence(at, end, true) || open != inList && p.list(at, end, true)
	}
	if (open == inParagraph || open == inReference) && p.table(at, end, true) {
		return true
	}
	l := &p.lines[at]
	if pos := l.begin + l.shift; pos < len(p.src) {
		switch c := p.src[pos]; c {
		case ':', '+', '`', '~', '>', '$', '*', '-', '_', '#':
		default:
			if !isDigit(c) {
				return false
			}
		}
	}
	if p.container(at, end, true) || p.fence(at, end, true) || p.quote(at, end, true) || p.math(at, end, true) || p.rule(at, end, true) {
		return true
	}
	return open != inList && (p.list(at, end, true) || p.heading(at, end, true))
}

func (p *blockParser) isEmpty(at int) bool {
	if at < 0 || at >= len(p.lines) {
		return false
	}
	l := &p.lines[at]
	return l.begin+l.shift >= l.end
}

// isCode reports a line indented so far that no other block may begin there.
func (p *blockParser) isCode(at int) bool { return p.lines[at].columns-p.indent >= 4 }

// byteAt returns the byte at a position of the source, or 0 past its end.
func (p *blockParser) byteAt(pos int) byte {
	if pos < 0 || pos >= len(p.src) {
		return 0
	}
	return p.src[pos]
}

// text returns a line without its indentation.
func (p *blockParser) text(at int) string {
	l := &p.lines[at]
	return p.src[min(l.begin+l.shift, l.end):l.end]
}

// open appends an opening token; what follows is one level deeper.
func (p *blockParser) open(kind tokenKind) *token {
	p.tokens = append(p.tokens, token{kind: kind, level: p.level, line: int32(p.start)})
	p.level++
	return &p.tokens[len(p.tokens)-1]
}

func (p *blockParser) close(kind tokenKind) {
	p.level--
	p.tokens = append(p.tokens, token{kind: kind, level: p.level, line: int32(p.at)})
}

func (p *blockParser) add(kind tokenKind, content string) *token {
	p.tokens = append(p.tokens, token{kind: kind, level: p.level, line: int32(p.start), content: content})
	return &p.tokens[len(p.tokens)-1]
}

// cut returns the lines from begin up to end without the given columns of
// indentation. Each is followed by a newline, the last one only if last is set.
func (p *blockParser) cut(begin, end, indent int, last bool) string {
	if begin >= end {
		return ""
	}
	if begin+1 == end && !last {
		if rest, pad := p.cutLine(begin, indent); pad == 0 {
			return p.src[rest:max(rest, p.lines[begin].end)]
		}
	}
	if indent == 0 && p.contiguous(begin, end) {
		stop := p.lines[end-1].end
		if last {
			stop = min(stop+1, len(p.src))
		}
		return p.src[p.lines[begin].begin:stop]
	}
	var out strings.Builder
	for at := begin; at < end; at++ {
		rest, pad := p.cutLine(at, indent)
		for range pad {
			out.WriteByte(' ')
		}
		stop := p.lines[at].end
		if at+1 < end || last {
			stop = min(stop+1, len(p.src))
		}
		out.WriteString(p.src[rest:max(rest, stop)])
	}
	return out.String()
}

func (p *blockParser) contiguous(begin, end int) bool {
	for at := begin + 1; at < end; at++ {
		if p.lines[at].begin != p.lines[at-1].end+1 {
			return false
		}
	}
	return true
}

// cutLine returns where the text of a line begins after the columns of
// indentation, and how many blanks represent the rest of a tab that was cut in
// two.
func (p *blockParser) cutLine(at, indent int) (rest, pad int) {
	l := &p.lines[at]
	rest = l.begin
	columns := 0
	for stop := min(l.end+1, len(p.src)); rest < stop && columns < indent; rest++ {
		switch c := p.src[rest]; {
		case c == '\t':
			columns += 4 - (columns+l.base)%4
		case c == ' ' || rest-l.begin < l.shift:
			columns++
		default:
			return rest, 0
		}
	}
	return rest, max(0, columns-indent)
}

// ToCommonMark writes a document as documents.export does, without the title:
// line breaks are two blanks and a newline, and empty paragraphs are blank
// lines, without the backslash that lets Outline read them back.
func ToCommonMark(doc *Node) string {
	s := serializer{commonMark: true}
	s.blocks(doc)
	return strings.TrimFunc(s.String(), isSpaceRune)
}
