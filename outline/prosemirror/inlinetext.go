package prosemirror

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

// newline reads a line end: a soft break, or a hard one after two blanks
// (CommonMark 6.7 and 6.8).
func (p *inlineParser) newline(silent bool) bool {
	if !silent {
		text := strings.TrimRight(p.src[p.pendingFrom:p.pendingTo], " ")
		kind := softBreakToken
		if p.pendingTo-p.pendingFrom-len(text) >= 2 {
			kind = hardBreakToken
		}
		p.pendingTo = p.pendingFrom + len(text)
		p.push(kind, "")
	}
	p.pos++
	p.skipBlanks()
	return true
}

func (p *inlineParser) skipBlanks() {
	for p.pos < p.max && isBlank(p.src[p.pos]) {
		p.pos++
	}
}

// escape reads a backslash escape or a hard break (CommonMark 2.4 and 6.7). A
// backslash before a letter stays; the two are one token all the same, which is
// how Outline finds its breaks, written \n.
func (p *inlineParser) escape(silent bool) bool {
	if p.pos+1 >= p.max {
		return false
	}
	next := p.src[p.pos+1]
	if next == '\n' {
		if !silent {
			p.push(hardBreakToken, "")
		}
		p.pos += 2
		p.skipBlanks()
		return true
	}
	end := p.pos + 1 + runeLength(p.src[p.pos+1:])
	if !silent {
		from := p.pos
		if isASCIIPunctuation(next) {
			from++
		}
		p.push(specialToken, p.src[from:end])
	}
	p.pos = end
	return true
}

// entity reads an entity or a numeric reference (CommonMark 2.5).
func (p *inlineParser) entity(silent bool) bool {
	if p.pos+1 >= p.max {
		return false
	}
	text, length := entity(p.src[p.pos:], true)
	if length == 0 {
		return false
	}
	if !silent {
		p.push(specialToken, text)
	}
	p.pos += length
	return true
}

// codeSpan reads a code span (CommonMark 6.1). It remembers runs of backticks
// without a match, so that a text full of them takes linear time.
func (p *inlineParser) codeSpan(silent bool) bool {
	start := p.pos
	pos := start
	for pos < p.max && p.src[pos] == '`' {
		pos++
	}
	length := pos - start
	if p.ticksScanned && p.ticks[length] <= start {
		if !silent {
			p.addPending(start, pos)
		}
		p.pos = pos
		return true
	}
	for from := pos; ; {
		at := strings.IndexByte(p.src[from:], '`')
		if at < 0 {
			break
		}
		at += from
		from = at + 1
		for from < p.max && p.src[from] == '`' {
			from++
		}
		if from-at == length {
			if !silent {
				code := strings.ReplaceAll(p.src[pos:at], "\n", " ")
				if n := len(code); n > 2 && code[0] == ' ' && code[n-1] == ' ' && !strings.ContainsAny(code, "\r\u2028\u2029") {
					code = code[1 : n-1]
				}
				p.push(codeInlineToken, code)
			}
			p.pos = from
			return true
		}
		if p.ticks == nil {
			p.ticks = map[int]int{}
		}
		p.ticks[from-at] = at
	}
	p.ticksScanned = true
	if !silent {
		p.addPending(start, pos)
	}
	p.pos = pos
	return true
}

// math reads $…$. Following Outline's rules, the opening sign must not precede
// a blank, and the closing sign must not follow a blank or precede a digit.
func (p *inlineParser) math(silent bool) bool {
	start := p.pos + 1
	asText := func(end int) bool {
		if !silent {
			p.addPending(p.pos, end)
		}
		p.pos = end
		return true
	}
	if start <= p.max && start < len(p.src) && isBlank(p.src[start]) {
		return asText(start)
	}
	match := start
	for {
		at := strings.IndexByte(p.src[match:], '$')
		if at < 0 {
			return asText(start)
		}
		match += at
		slashes := match - 1
		for slashes >= 0 && p.src[slashes] == '\\' {
			slashes--
		}
		if (match-slashes)%2 == 1 {
			break
		}
		match++
	}
	if match == start {
		return asText(start + 1)
	}
	if isBlank(p.src[match-1]) || match+1 <= p.max && match+1 < len(p.src) && isDigit(p.src[match+1]) {
		return asText(start)
	}
	if !silent {
		p.push(mathInlineToken, p.src[start:match])
	}
	p.pos = match + 1
	return true
}

// customEmoji reads :UUID:, an emoji of the workspace.
func (p *inlineParser) customEmoji(silent bool) bool {
	const length = 36
	end := p.pos + 1 + length
	if end >= p.max || p.src[end] != ':' || !isUUID(p.src[p.pos+1:end]) {
		return false
	}
	if !silent {
		p.push(emojiToken, p.src[p.pos+1:end])
	}
	p.pos = end + 1
	return true
}

func isUUID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && len(s) == 36 && id.Variant() == uuid.RFC4122 && id.Version() >= 1 && id.Version() <= 8
}

// isMixable reports whether marks of the type may be nested in any order, and
// exclude blanks at their ends.
func isMixable(m Mark) bool {
	switch m.Type {
	case Comment, Strong, Emphasis, Underline, Strikethrough, Highlight, Placeholder:
		return true
	}
	return false
}

// sign returns what opens or closes a mark before the node at index.
func (w *inlineWriter) sign(mark Mark, open bool, index int) string {
	switch mark.Type {
	case Strong:
		return "**"
	case Emphasis:
		return "*"
	case Underline:
		return "__"
	case Strikethrough:
		return "~~"
	case Highlight:
		return "=="
	case Placeholder:
		return "!!"
	case Code:
		if open {
			return codeSign(w.parent.Content[index], true)
		}
		return codeSign(w.parent.Content[index-1], false)
	case Link:
		return w.linkSign(mark, open, index)
	}
	return ""
}

func (w *inlineWriter) linkSign(mark Mark, open bool, index int) string {
	href := mark.Attrs.String("href")
	title := mark.Attrs.String("title")
	bare := title == "" && scheme.get().MatchString(href) && w.showsURL(mark, href, open, index)
	switch {
	case bare && open:
		return "<"
	case bare:
		return ">"
	case open:
		return "["
	}
	sign := "](" + escapeMarkdown(href, false, w.s.inTable)
	if title != "" {
		switch {
		case strings.IndexByte(title, '"') < 0:
			sign += ` "` + title + `"`
		case strings.IndexByte(title, '\'') < 0:
			sign += " '" + title + "'"
		default:
			sign += " (" + title + ")"
		}
	}
	return sign + ")"
}

var scheme = pattern{expression: `^[0-9A-Za-z_]+:`}

// showsURL reports whether a link's text is its URL and nothing else.
func (w *inlineWriter) showsURL(mark Mark, href string, open bool, index int) bool {
	nodes := w.parent.Content
	at, next := index, index+1
	if !open {
		at, next = index-1, index-2
		if w.opened[len(w.opened)-1] != at {
			return false
		}
	}
	if n := nodes[at]; !n.IsText() || n.Text != href || !n.Marks[len(n.Marks)-1].Is(mark) {
		return false
	}
	if next < 0 || next >= len(nodes) {
		return true
	}
	return !slices.ContainsFunc(nodes[next].Marks, mark.Is)
}

// codeSign returns one backtick more than the longest run in the text, with a
// blank if the text contains any.
func codeSign(n *Node, open bool) string {
	longest := longestTicks(n.Text)
	if longest == 0 {
		return "`"
	}
	sign := strings.Repeat("`", longest+1)
	if open {
		return sign + " "
	}
	return " " + sign
}

// longestTicks is the length of the longest run of backticks.
func longestTicks(s string) int {
	longest := 0
	for {
		at := strings.IndexByte(s, '`')
		if at < 0 {
			return longest
		}
		s = s[at:]
		rest := strings.TrimLeft(s, "`")
		longest = max(longest, len(s)-len(rest))
		s = rest
	}
}

// enclosingBlanks splits the blanks off both ends of a text. If the text has
// several lines, it uses only the first, and the others are lost.
func enclosingBlanks(text string) (lead, inner, trail string) {
	inner = strings.TrimLeftFunc(text, isSpaceRune)
	lead = text[:len(text)-len(inner)]
	if strings.ContainsAny(inner, "\n\r\u2028\u2029") {
		line := firstLine.get().FindStringSubmatch(inner)
		return lead, line[1], line[2]
	}
	bare := strings.TrimRightFunc(inner, isSpaceRune)
	return lead, bare, inner[len(bare):]
}

var firstLine = pattern{expression: `^(` + sameLine + `*?)(` + space + `*)(?:$|` + lineEnd + `)`}
