package prosemirror

import "strings"

// container parses a callout between ::: lines, of which any words after the signs are the
// style, or a toggle between +++ lines.
func (p *blockParser) container(start, end int, silent bool) bool {
	text, kind := p.text(start), noticeOpen
	if strings.HasPrefix(text, "+++") {
		kind = toggleOpen
	} else if !strings.HasPrefix(text, ":::") {
		return false
	}
	if silent {
		return true
	}
	length := len(text) - len(strings.TrimLeft(text, text[:1]))
	next, closed := p.closing(start, end, text[0], length)
	oldParent, oldMax := p.parent, p.lineMax
	p.parent = inContainer
	p.lineMax = next
	p.open(kind).detail = &detail{info: text[length:]}
	p.parse(start+1, next)
	p.close(kind + closeBlock)
	p.parent, p.lineMax = oldParent, oldMax
	p.at = next
	if closed {
		p.at++
	}
	return true
}

// quote parses a block quote (CommonMark 5.1). While its content is parsed, the
// offsets of its lines point after the > signs.
func (p *blockParser) quote(start, end int, silent bool) bool {
	l := &p.lines[start]
	if p.isCode(start) || p.byteAt(l.begin+l.shift) != '>' {
		return false
	}
	if silent {
		return true
	}
	oldParent, oldMax, oldIndent := p.parent, p.lineMax, p.indent
	p.parent = inQuote
	type savedLine struct {
		at int
		line
	}
	var saved []savedLine // the lines as they were; in deep quotes few change
	save := func(at int) { saved = append(saved, savedLine{at, p.lines[at]}) }
	lastEmpty := false
	next := start
	for ; next < end; next++ {
		l := &p.lines[next]
		outdented := l.columns < p.indent
		pos := l.begin + l.shift
		if pos >= l.end {
			break
		}
		if p.src[pos] == '>' && !outdented {
			save(next)
			lastEmpty = p.enterQuote(l, pos+1)
			continue
		}
		if lastEmpty {
			break
		}
		if p.interrupts(next, end, inQuote) {
			p.lineMax = next
			if p.indent != 0 {
				save(next)
				l.columns -= p.indent
			}
			break
		}
		if l.columns != -1 {
			save(next)
			l.columns = -1
		}
	}
	p.indent = 0
	p.open(quoteOpen)
	p.parse(start, next)
	p.close(quoteClose)
	p.lineMax, p.parent, p.indent = oldMax, oldParent, oldIndent
	for _, l := range saved {
		p.lines[l.at] = l.line
	}
	return true
}

// enterQuote moves the offsets of a line after its > sign, which ends at pos,
// and reports whether nothing follows.
func (p *blockParser) enterQuote(l *line, pos int) (empty bool) {
	initial := l.columns + 1
	blank, splitTab := 0, 0
	switch p.byteAt(pos) {
	case ' ':
		pos++
		initial++
		blank = 1
	case '\t':
		blank = 1
		if (l.base+initial)%4 == 3 {
			pos++
			initial++
		} else {
			splitTab = 1
		}
	}
	begin, columns := pos, initial
	for ; pos < l.end && isBlank(p.src[pos]); pos++ {
		if p.src[pos] == '\t' {
			columns += 4 - (columns+l.base+splitTab)%4
		} else {
			columns++
		}
	}
	l.base = l.columns + 1 + blank
	l.columns = columns - initial
	l.begin = begin
	l.shift = pos - begin
	return pos >= l.end
}

// list parses a bullet or ordered list (CommonMark 5.2 and 5.3). Outline does
// not distinguish loose lists, so tightness is not determined.
func (p *blockParser) list(start, end int, silent bool) bool {
	l := &p.lines[start]
	if p.isCode(start) ||
		p.listIndent >= 0 && l.columns-p.listIndent >= 4 && l.columns < p.indent {
		return false
	}
	after, number := p.listMarker(start)
	if after < 0 {
		return false
	}
	if silent {
		// In the middle of a paragraph, only a list that starts with 1 and an
		// item that is not empty can begin a list.
		if p.parent == inParagraph && l.columns >= p.indent {
			return (number < 0 || number == 1) && strings.Trim(p.src[after:max(after, l.end)], " \t") != ""
		}
		return true
	}
	kind := bulletListOpen
	if number >= 0 {
		kind = orderedListOpen
	}
	marker := p.src[after-1]
	p.open(kind).number = int32(max(number, 0))
	oldParent := p.parent
	p.parent = inList
	next := start
	for next < end {
		p.start = next
		p.listItem(next, end, after)
		next = p.at
		if next >= end || p.lines[next].columns < p.indent || p.isCode(next) || p.interrupts(next, end, inList) {
			break
		}
		var n int
		after, n = p.listMarker(next)
		if after < 0 || n < 0 != (number < 0) || p.src[after-1] != marker {
			break
		}
	}
	p.close(kind + closeBlock)
	p.at = next
	p.parent = oldParent
	return true
}

// listItem parses the item at a line, whose marker ends at after.
func (p *blockParser) listItem(at, end, after int) {
	l := &p.lines[at]
	initial := l.columns + after - (l.begin + l.shift)
	columns, pos := initial, after
	for ; pos < l.end && isBlank(p.src[pos]); pos++ {
		if p.src[pos] == '\t' {
			columns += 4 - (columns+l.base)%4
		} else {
			columns++
		}
	}
	width := columns - initial
	if pos >= l.end || width > 4 {
		width = 1
	}
	p.open(listItemOpen)
	oldShift, oldColumns, oldListIndent := l.shift, l.columns, p.listIndent
	p.listIndent = p.indent
	p.indent = initial + width
	l.shift = pos - l.begin
	l.columns = columns
	if pos >= l.end && p.isEmpty(at+1) {
		p.at = min(at+2, end) // an empty item ends at the blank line
	} else {
		p.at = at
		p.parse(at, end)
	}
	p.indent = p.listIndent
	p.listIndent = oldListIndent
	p.lines[at].shift, p.lines[at].columns = oldShift, oldColumns
	p.close(listItemClose)
}

// listMarker returns the position after the list marker of a line, or -1 if
// there is none, and the number of an ordered item, or -1 for a bullet.
func (p *blockParser) listMarker(at int) (after, number int) {
	l := &p.lines[at]
	pos := l.begin + l.shift
	if pos >= l.end {
		return -1, -1
	}
	number = -1
	switch c := p.src[pos]; {
	case c == '*' || c == '-' || c == '+':
		pos++
	case isDigit(c):
		begin := pos
		number = 0
		for pos < l.end && isDigit(p.src[pos]) {
			if pos-begin >= 9 {
				return -1, -1
			}
			number = number*10 + int(p.src[pos]-'0')
			pos++
		}
		if pos >= l.end || p.src[pos] != '.' && p.src[pos] != ')' {
			return -1, -1
		}
		pos++
	default:
		return -1, -1
	}
	if pos < l.end && !isBlank(p.src[pos]) {
		return -1, -1
	}
	return pos, number
}
