package prosemirror

import (
	"strings"
	"unicode/utf8"
)

// A delimiter is one sign of emphasis, or a pair of the doubled signs, that
// may open or close a mark.
type delimiter struct {
	marker      byte
	length      int // of the run it belongs to; 0 for doubled signs
	token       int
	end         int // index of the closing delimiter, -1
	open, close bool
}

// flanking reports how many marker bytes are at the position, and whether they
// may open and close a mark (CommonMark 6.2).
func (p *inlineParser) flanking(splitWord bool) (count int, open, close bool) {
	marker := p.src[p.pos]
	before, after := ' ', ' '
	if p.pos > 0 {
		before, _ = utf8.DecodeLastRuneInString(p.src[:p.pos])
	}
	end := p.pos
	for end < p.max && p.src[end] == marker {
		end++
	}
	if end < p.max {
		after, _ = utf8.DecodeRuneInString(p.src[end:])
	}
	punctBefore, punctAfter := isPunctuation(before), isPunctuation(after)
	spaceBefore, spaceAfter := isInlineSpace(before), isInlineSpace(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	open = left && (splitWord || !right || punctBefore)
	close = right && (splitWord || !left || punctAfter)
	return end - p.pos, open, close
}

// emphasisMarks reads a run of * or _.
func (p *inlineParser) emphasisMarks(marker byte) bool {
	count, open, close := p.flanking(marker == '*')
	for i := range count {
		p.push(textToken, p.src[p.pos+i:p.pos+i+1])
		p.runs[p.run] = append(p.runs[p.run], delimiter{
			marker: marker, length: count, token: len(p.tokens) - 1, end: -1, open: open, close: close,
		})
	}
	p.pos += count
	return true
}

// A doubleStyle is a mark written with doubled signs.
type doubleStyle struct {
	marker byte
	kind   tokenKind
}

var doubleStyles = []doubleStyle{{'~', strikeOpen}, {'=', highlightOpen}, {'!', placeholderOpen}}

// doubleMarks reads a run of ~, = or ! signs, of which two form a mark.
func (p *inlineParser) doubleMarks(marker byte) bool {
	count, open, close := p.flanking(true)
	if count < 2 {
		return false
	}
	end := p.pos + count
	if count%2 == 1 {
		p.push(textToken, p.src[p.pos:p.pos+1])
		p.pos++
	}
	for ; p.pos < end; p.pos += 2 {
		p.push(textToken, p.src[p.pos:p.pos+2])
		if marker != '~' && !open && !close {
			continue
		}
		p.runs[p.run] = append(p.runs[p.run], delimiter{
			marker: marker, token: len(p.tokens) - 1, end: -1, open: open, close: close,
		})
	}
	return true
}

const markers = "*_~=!"

// matchDelimiters finds the opening delimiter of each closing one (CommonMark,
// appendix: process emphasis). Lower bounds, and jumps over runs known to
// contain no opener, keep the time linear.
func matchDelimiters(list []delimiter) {
	if len(list) == 0 {
		return
	}
	var bottoms [len(markers)][6]int // lowest index to look at, plus one
	jumps := make([]int, len(list))
	header, lastToken := 0, -2
	for c := range list {
		closer := &list[c]
		if list[header].marker != closer.marker || lastToken != closer.token-1 {
			header = c
		}
		lastToken = closer.token
		if !closer.close {
			continue
		}
		class := closer.length % 3
		if closer.open {
			class += 3
		}
		bottom := &bottoms[strings.IndexByte(markers, closer.marker)][class]
		o := header - jumps[header] - 1
		lowest := o
		for ; o > *bottom-1; o -= jumps[o] + 1 {
			opener := &list[o]
			if opener.marker != closer.marker || !opener.open || opener.end >= 0 {
				continue
			}
			if (opener.close || closer.open) && (opener.length+closer.length)%3 == 0 &&
				(opener.length%3 != 0 || closer.length%3 != 0) {
				continue
			}
			jump := 0
			if o > 0 && !list[o-1].open {
				jump = jumps[o-1] + 1
			}
			jumps[c] = c - o + jump
			jumps[o] = jump
			closer.open = false
			opener.end = c
			opener.close = false
			lowest = -1
			lastToken = -2
			break
		}
		if lowest != -1 {
			*bottom = lowest + 1
		}
	}
}

// applyDouble turns matched pairs of doubled signs into marks.
func (p *inlineParser) applyDouble(list []delimiter, style doubleStyle) {
	var lone []int
	for i := range list {
		d := &list[i]
		if d.marker != style.marker || d.end < 0 {
			continue
		}
		end := list[d.end].token
		p.tokens[d.token] = token{kind: style.kind}
		p.tokens[end] = token{kind: style.kind + closeMark}
		if before := &p.tokens[end-1]; before.kind == textToken && before.content == string(style.marker) {
			lone = append(lone, end-1)
		}
	}
	// The odd sign of a closing run precedes its pairs; it belongs after them.
	for i := len(lone) - 1; i >= 0; i-- {
		from := lone[i]
		to := from + 1
		for to < len(p.tokens) && p.tokens[to].kind == style.kind+closeMark {
			to++
		}
		to--
		p.tokens[from], p.tokens[to] = p.tokens[to], p.tokens[from]
	}
}

// applyEmphasis turns matched * and _ into emphasis, two that are next to each
// other into strong. Outline reads a strong __ as underline.
func (p *inlineParser) applyEmphasis(list []delimiter) {
	for i := len(list) - 1; i >= 0; i-- {
		start := &list[i]
		if start.marker != '*' && start.marker != '_' || start.end < 0 {
			continue
		}
		end := &list[start.end]
		kind := emOpen
		if i > 0 && list[i-1].end == start.end+1 &&
			list[i-1].marker == start.marker && list[i-1].token == start.token-1 &&
			list[start.end+1].token == end.token+1 {
			kind = strongOpen
			if start.marker == '_' {
				kind = underlineOpen
			}
		}
		p.tokens[start.token] = token{kind: kind}
		p.tokens[end.token] = token{kind: kind + closeMark}
		if kind != emOpen {
			p.tokens[list[i-1].token].content = ""
			p.tokens[list[start.end+1].token].content = ""
			i--
		}
	}
}

func runeLength(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}
