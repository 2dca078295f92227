package prosemirror

import "strings"

// reference parses a link reference definition (CommonMark 4.7). It produces no
// token; links refer to it.
func (p *blockParser) reference(start int) bool {
	l := &p.lines[start]
	if p.isCode(start) || p.byteAt(l.begin+l.shift) != '[' {
		return false
	}
	r := definition{p: p, next: start + 1}
	r.source.WriteString(p.src[l.begin+l.shift : min(l.end+1, len(p.src))])
	labelEnd := r.label()
	if labelEnd < 0 || r.byteAt(labelEnd+1) != ':' {
		return false
	}
	pos := r.skipBlank(labelEnd + 2)
	dest, destEnd, ok := linkDestination(r.source.String(), pos, r.source.Len())
	if !ok {
		return false
	}
	href := normalizeURL(dest)
	if !allowedURL(href) {
		return false
	}
	nextAfterDest := r.next
	pos = r.skipBlank(destEnd)
	title, titleEnd, ok := r.title(pos)
	if ok && pos != destEnd {
		pos = titleEnd
	} else {
		title, pos, r.next = "", destEnd, nextAfterDest
	}
	if !r.lineEnds(pos) {
		if title == "" {
			return false
		}
		// What follows the destination may be the next paragraph instead of a
		// title.
		title, r.next = "", nextAfterDest
		if !r.lineEnds(destEnd) {
			return false
		}
	}
	label := normalizeLabel(r.source.String()[1:labelEnd])
	if label == "" {
		return false
	}
	_, defined := p.references[label]
	if p.drops != nil {
		p.drops.defined(int32(start), label, p.cut(start, r.next, 0, false), defined)
	}
	if !defined {
		p.references[label] = reference{href: href, title: title}
	}
	p.at = r.next
	return true
}

// A definition is the text of a link reference definition, which includes
// further lines as its parts continue.
type definition struct {
	p      *blockParser
	source strings.Builder
	next   int // the line after those taken in
}

func (r *definition) byteAt(pos int) byte {
	if pos >= r.source.Len() {
		return 0
	}
	return r.source.String()[pos]
}

// extend includes the next line, if it belongs to the same paragraph.
func (r *definition) extend() bool {
	p := r.p
	if r.next >= p.lineMax || p.isEmpty(r.next) {
		return false
	}
	if !p.continuesParagraph(r.next) {
		old := p.parent
		p.parent = inReference
		interrupted := p.interrupts(r.next, p.lineMax, inReference)
		p.parent = old
		if interrupted {
			return false
		}
	}
	l := &p.lines[r.next]
	r.source.WriteString(p.src[l.begin+l.shift : min(l.end+1, len(p.src))])
	r.next++
	return true
}

// label returns the position of the ] that ends the label, or -1 if there is
// none.
func (r *definition) label() int {
	for pos := 1; pos < r.source.Len(); pos++ {
		switch r.byteAt(pos) {
		case '[':
			return -1
		case ']':
			return pos
		case '\n':
			r.extend()
		case '\\':
			pos++
			if r.byteAt(pos) == '\n' {
				r.extend()
			}
		}
	}
	return -1
}

// skipBlank skips blanks and line ends.
func (r *definition) skipBlank(pos int) int {
	for ; pos < r.source.Len(); pos++ {
		switch c := r.byteAt(pos); {
		case c == '\n':
			r.extend()
		case !isBlank(c):
			return pos
		}
	}
	return pos
}

// lineEnds reports whether only blanks follow up to the end of the line.
func (r *definition) lineEnds(pos int) bool {
	for isBlank(r.byteAt(pos)) {
		pos++
	}
	return pos >= r.source.Len() || r.byteAt(pos) == '\n'
}

// title reads a link title, which may span several lines.
func (r *definition) title(pos int) (title string, end int, ok bool) {
	if pos >= r.source.Len() {
		return "", 0, false
	}
	closing := r.byteAt(pos)
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return "", 0, false
	}
	var parts strings.Builder
	for from := pos + 1; ; {
		source := r.source.String()
		stop, found := titleEnd(source, from, len(source), closing)
		if stop < 0 {
			return "", 0, false
		}
		parts.WriteString(unescape(source[from:stop]))
		if found {
			return parts.String(), stop + 1, true
		}
		from = len(source)
		if !r.extend() {
			return "", 0, false
		}
	}
}
