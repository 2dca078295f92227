package prosemirror

import "strings"

// An inlineParser splits the text of a paragraph, heading or table cell into
// inline tokens by the rules of CommonMark, section 6, and of Outline:
// underline, strikethrough, highlight, placeholders and math.
type inlineParser struct {
	src        string
	references map[string]reference
	dialect    dialect
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
		return p.dialect == documentDialect && p.math(silent)
	case '`':
		return p.codeSpan(silent)
	case '~':
		return !silent && p.doubleMarks(c)
	case '=':
		return !silent && p.dialect == documentDialect && p.doubleMarks(c)
	case '!':
		return !silent && p.dialect == documentDialect && p.doubleMarks(c) || p.image(silent)
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
