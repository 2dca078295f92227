package prosemirror

import "strings"

// paragraph parses lines up to a blank one or one that begins another block
// (CommonMark 4.8).
func (p *blockParser) paragraph(start, end int) bool {
	old := p.parent
	p.parent = inParagraph
	next := start + 1
	for ; next < end && !p.isEmpty(next); next++ {
		if p.continuesParagraph(next) {
			continue
		}
		if p.interrupts(next, end, inParagraph) {
			break
		}
	}
	content := trimASCII(p.cut(start, next, p.indent, false))
	p.noteSource(start, next, content)
	p.at = next
	p.open(paragraphOpen)
	p.add(inlineToken, content)
	p.close(paragraphClose)
	p.parent = old
	return true
}

// continuesParagraph reports whether a line continues a paragraph whatever it
// contains: it is indented like code, or a lazy line of a quote.
func (p *blockParser) continuesParagraph(at int) bool {
	return p.lines[at].columns-p.indent > 3 || p.lines[at].columns < 0
}

// setextHeading parses a paragraph underlined with = or - (CommonMark 4.3).
func (p *blockParser) setextHeading(start, end int) bool {
	old := p.parent
	p.parent = inParagraph
	defer func() { p.parent = old }()
	level, next := 0, start+1
	for ; next < end && !p.isEmpty(next); next++ {
		if p.lines[next].columns-p.indent > 3 {
			continue
		}
		if p.lines[next].columns >= p.indent {
			text := p.text(next)
			if marker := text[0]; marker == '-' || marker == '=' {
				if strings.Trim(strings.TrimLeft(text, text[:1]), " \t") == "" {
					level = 2
					if marker == '=' {
						level = 1
					}
					break
				}
			}
		}
		if p.lines[next].columns < 0 {
			continue
		}
		if p.interrupts(next, end, inParagraph) {
			break
		}
	}
	if level == 0 {
		return false
	}
	content := trimASCII(p.cut(start, next, p.indent, false))
	p.at = next + 1
	p.open(headingOpen).number = int32(level)
	p.add(inlineToken, content)
	p.close(headingClose)
	return true
}

// heading parses an ATX heading (CommonMark 4.2).
func (p *blockParser) heading(start, _ int, silent bool) bool {
	if p.isCode(start) {
		return false
	}
	text := p.text(start)
	rest := strings.TrimLeft(text, "#")
	level := len(text) - len(rest)
	if level == 0 || level > 6 || rest != "" && !isBlank(rest[0]) {
		return false
	}
	if silent {
		return true
	}
	rest = strings.TrimRight(rest, " \t")
	if tail := strings.TrimRight(rest, "#"); tail != "" && isBlank(tail[len(tail)-1]) {
		rest = tail
	}
	p.at = start + 1
	p.open(headingOpen).number = int32(level)
	p.add(inlineToken, trimASCII(rest))
	p.close(headingClose)
	return true
}

// rule parses a thematic break (CommonMark 4.1). Its signs are kept without the
// blanks between them.
func (p *blockParser) rule(start, _ int, silent bool) bool {
	if p.isCode(start) {
		return false
	}
	text := p.text(start)
	if text == "" || text[0] != '*' && text[0] != '-' && text[0] != '_' {
		return false
	}
	count := 0
	for i := range len(text) {
		if text[i] == text[0] {
			count++
		} else if !isBlank(text[i]) {
			return false
		}
	}
	if count < 3 {
		return false
	}
	if !silent {
		p.at = start + 1
		p.add(ruleToken, strings.Repeat(text[:1], count))
	}
	return true
}

// indentedCode parses lines indented by four columns (CommonMark 4.4). It never
// interrupts another block.
func (p *blockParser) indentedCode(start, end int) bool {
	if !p.isCode(start) {
		return false
	}
	last := start + 1
	for next := last; next < end; next++ {
		if p.isEmpty(next) {
			continue
		}
		if !p.isCode(next) {
			break
		}
		last = next + 1
	}
	p.at = last
	p.add(codeToken, p.cut(start, last, 4+p.indent, false)+"\n")
	return true
}

// fence parses code between ``` or ~~~ (CommonMark 4.5).
func (p *blockParser) fence(start, end int, silent bool) bool {
	if p.isCode(start) {
		return false
	}
	text := p.text(start)
	if len(text) < 3 || text[0] != '`' && text[0] != '~' {
		return false
	}
	marker := text[:1]
	info := strings.TrimLeft(text, marker)
	length := len(text) - len(info)
	if length < 3 || marker == "`" && strings.Contains(info, marker) {
		return false
	}
	if silent {
		return true
	}
	next, closed := p.closing(start, end, marker[0], length)
	content := p.cut(start+1, next, p.lines[start].columns, true)
	p.at = next
	if closed {
		p.at++
	}
	code := p.add(fenceToken, content)
	if info != "" {
		code.detail = &detail{info: info}
	}
	return true
}

// closing finds the line that closes a fence or container: at least length
// markers and nothing else. If there is none, it returns the end of the parent.
func (p *blockParser) closing(start, end int, marker byte, length int) (at int, closed bool) {
	for next := start + 1; next < end; next++ {
		l := &p.lines[next]
		if l.begin+l.shift < l.end && l.columns < p.indent {
			return p.unclosed(start, next)
		}
		if p.byteAt(l.begin+l.shift) != marker || p.isCode(next) {
			continue
		}
		text := p.text(next)
		rest := strings.TrimLeft(text, string(rune(marker)))
		if len(text)-len(rest) >= length && strings.Trim(rest, " \t") == "" {
			return next, true
		}
	}
	return p.unclosed(start, max(end, start+1))
}

// An Unclosed is a code block, callout, toggle or formula without its end: it holds the rest
// of the text, or of the block around it.
type Unclosed struct {
	Line  int // from 1
	Empty bool
}

// UnclosedIn returns the blocks of a text without their ends.
func UnclosedIn(markdown string) []Unclosed { return readBlocks(markdown).ending }

// unclosed notes a block that ends with what is around it.
func (p *blockParser) unclosed(start, end int) (at int, closed bool) {
	p.ending = append(p.ending, Unclosed{start + 1, end == start+1})
	return end, false
}

// math parses a block between $$ signs, on one line or several. Outline's rule
// differs from a fence: the closing signs may follow text, and an unclosed
// block includes the line after its parent.
func (p *blockParser) math(start, end int, silent bool) bool {
	text := p.text(start)
	if !strings.HasPrefix(text, "$$") {
		return false
	}
	if silent {
		return true
	}
	first, last, found := text[2:], "", false
	if trimmed := trimSpace(first); strings.HasSuffix(trimmed, "$$") {
		first, found = trimmed[:len(trimmed)-2], true
	}
	next := start
	for !found {
		next++
		if next >= end {
			break
		}
		l := &p.lines[next]
		if l.begin+l.shift < l.end && l.shift < p.indent {
			break
		}
		if text := p.text(next); strings.HasSuffix(trimSpace(text), "$$") {
			last, found = text[:strings.LastIndex(text, "$$")], true
		}
	}
	content := p.cut(start+1, next, p.lines[start].shift, true)
	if trimSpace(first) != "" {
		content = first + "\n" + content
	}
	if trimSpace(last) != "" {
		content += last
	}
	p.at = next + 1
	if !found {
		p.unclosed(start, next)
	}
	if !found && next < p.lineMax {
		p.drops.add(int32(next), "line behind a math block without closing $$", p.text(next))
	}
	p.add(mathBlockToken, content)
	return true
}
