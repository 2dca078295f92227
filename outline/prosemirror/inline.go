package prosemirror

import (
	"strings"
	"unicode/utf8"
)

// An inlineParser splits the text of a paragraph, heading or table cell into
// inline tokens by the rules of CommonMark, section 6, and of Outline:
// underline, strikethrough, highlight, placeholders and math.
type inlineParser struct {
	src        string
	references map[string]reference
	dialect    Dialect
	tokens     []token
	drops      *drops

	pos, max     int
	pendingFrom  int // src[pendingFrom:pendingTo] is text not yet a token
	pendingTo    int
	level        int
	runs         [][]delimiter // one list per link, the first for the text itself
	run          int           // the list in use
	skipped      []int32       // position after the token at a position; 0 if unknown
	ticks        map[int]int   // where a run of this many backticks was last seen
	ticksScanned bool
}

// isSpecial reports the bytes at which plain text may end.
func isSpecial(c byte) bool { return strings.IndexByte("\n!#$%&*+-:<=>@[\\]^_`{}~", c) >= 0 }

// parse returns the tokens of a text. They are valid until the next call
// unless they are copied.
func (p *inlineParser) parse(src string) []token {
	p.src, p.pos, p.max = src, 0, len(src)
	p.tokens = p.tokens[:0]
	p.pendingFrom, p.pendingTo = 0, 0
	p.level, p.run = 0, 0
	p.ticksScanned = false
	clear(p.ticks)
	p.skipped = nil
	p.runs = p.runs[:0]
	p.addRun()
	p.tokenize()
	for i := range p.runs {
		matchDelimiters(p.runs[i])
	}
	for _, style := range doubleStyles {
		for i := range p.runs {
			p.applyDouble(p.runs[i], style)
		}
	}
	for i := range p.runs {
		p.applyEmphasis(p.runs[i])
	}
	return joinText(p.tokens)
}

// addRun adds a list of delimiters.
func (p *inlineParser) addRun() {
	p.run = len(p.runs)
	p.runs = append(p.runs, nil)
}

func (p *inlineParser) tokenize() {
	end := p.max
	for p.pos < end {
		if p.level < maxNesting && p.next(false) {
			continue
		}
		p.addPending(p.pos, p.pos+1)
		p.pos++
	}
	p.flush()
}

// addPending adds src[from:to] to the pending text, which ends at from unless
// it is empty.
func (p *inlineParser) addPending(from, to int) {
	if p.pendingTo == p.pendingFrom {
		p.pendingFrom = from
	}
	p.pendingTo = to
}

func (p *inlineParser) flush() {
	if p.pendingTo > p.pendingFrom {
		p.tokens = append(p.tokens, token{kind: textToken, content: p.src[p.pendingFrom:p.pendingTo]})
		p.pendingTo = p.pendingFrom
	}
}

// push appends a token after the pending text.
func (p *inlineParser) push(kind tokenKind, content string) *token {
	p.flush()
	p.tokens = append(p.tokens, token{kind: kind, content: content})
	return &p.tokens[len(p.tokens)-1]
}

// next reads one token at the position. If silent, it only moves the position.
// It returns false if the byte there is plain text.
func (p *inlineParser) next(silent bool) bool {
	c := p.src[p.pos]
	if !isSpecial(c) {
		start := p.pos
		for p.pos < p.max && !isSpecial(p.src[p.pos]) {
			p.pos++
		}
		if !silent {
			p.addPending(start, p.pos)
		}
		return true
	}
	switch c {
	case '\n':
		return p.newline(silent)
	case '\\':
		return p.escape(silent)
	case '$':
		return p.dialect != comment && p.math(silent)
	case '`':
		return p.codeSpan(silent)
	case '~':
		return !silent && p.doubleMarks(c)
	case '=':
		return !silent && p.dialect != comment && p.doubleMarks(c)
	case '!':
		return !silent && p.dialect != comment && p.doubleMarks(c) || p.image(silent)
	case '*', '_':
		return !silent && p.emphasisMarks(c)
	case '[':
		return p.link(silent)
	case '<':
		return p.autolink(silent)
	case '&':
		return p.entity(silent)
	case ':':
		return p.customEmoji(silent)
	}
	return false
}

// skip moves the position past the token there.
func (p *inlineParser) skip() {
	pos := p.pos
	if p.skipped == nil {
		p.skipped = make([]int32, len(p.src)+1)
	}
	if after := p.skipped[pos]; after != 0 {
		p.pos = int(after)
		return
	}
	if p.level < maxNesting {
		p.level++
		ok := p.next(true)
		p.level--
		if !ok {
			p.pos++
		}
	} else {
		p.pos = p.max + 1
	}
	p.skipped[pos] = int32(p.pos)
}

// joinText joins neighboring text tokens, which remain from delimiters that
// stayed text.
func joinText(tokens []token) []token {
	joined := tokens[:0]
	for i := 0; i < len(tokens); {
		end := i + 1
		for tokens[i].kind == textToken && end < len(tokens) && tokens[end].kind == textToken {
			end++
		}
		t := tokens[end-1]
		if end > i+1 {
			var text strings.Builder
			for _, part := range tokens[i:end] {
				text.WriteString(part.content)
			}
			t.content = text.String()
		}
		joined = append(joined, t)
		i = end
	}
	return joined
}

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

// Flanking reports whether the signs of emphasis at a place of a text may open and close it.
func Flanking(text string, at int) (open, close bool) {
	_, open, close = (&inlineParser{src: text, pos: at, max: len(text)}).flanking(text[at] != '_')
	return open, close
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
