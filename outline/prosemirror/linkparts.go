package prosemirror

import (
	"strconv"
	"strings"
)

// linkDestination reads the destination of a link (CommonMark 6.3) in
// s[start:max].
func linkDestination(s string, start, max int) (dest string, end int, ok bool) {
	pos := start
	if pos < len(s) && s[pos] == '<' {
		for pos++; pos < max; pos++ {
			switch s[pos] {
			case '\n', '<':
				return "", 0, false
			case '>':
				return unescape(s[start+1 : pos]), pos + 1, true
			case '\\':
				if pos+1 < max {
					pos++
				}
			}
		}
		return "", 0, false
	}
	level := 0
	for pos < max {
		c := s[pos]
		if c <= ' ' || c == 0x7F {
			break
		}
		if c == '\\' && pos+1 < max {
			if s[pos+1] == ' ' {
				break
			}
			pos += 2
			continue
		}
		if c == '(' {
			if level++; level > 32 {
				return "", 0, false
			}
		}
		if c == ')' {
			if level == 0 {
				break
			}
			level--
		}
		pos++
	}
	if pos == start || level != 0 {
		return "", 0, false
	}
	return unescape(s[start:min(pos, len(s))]), pos, true
}

// linkTitle reads a link title that ends within s[start:max].
func linkTitle(s string, start, max int) (title string, end int, ok bool) {
	if start >= max {
		return "", 0, false
	}
	closing := s[start]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return "", 0, false
	}
	stop, found := titleEnd(s, start+1, max, closing)
	if !found {
		return "", 0, false
	}
	return unescape(s[start+1 : stop]), stop + 1, true
}

// titleEnd finds the closing sign of a title. Stop is the end of s if the title
// continues, or -1 if it cannot.
func titleEnd(s string, pos, max int, closing byte) (stop int, found bool) {
	for ; pos < max; pos++ {
		switch c := s[pos]; {
		case c == closing:
			return pos, true
		case c == '(' && closing == ')':
			return -1, false
		case c == '\\' && pos+1 < max:
			pos++
		}
	}
	return max, false
}

// normalizeLabel is the form in which labels of references are compared.
func normalizeLabel(label string) string {
	return strings.ToUpper(strings.ToLower(strings.Join(strings.FieldsFunc(label, isSpaceRune), " ")))
}

// size reads a width or height as JavaScript's parseInt does. Anything that is
// not a number is stored as null.
func size(s string) any {
	if s == "" {
		return 0.0
	}
	n, err := strconv.ParseFloat(leadingInteger.get().FindString(trimSpace(s)), 64)
	if err != nil {
		return nil
	}
	return n
}

var leadingInteger = pattern{expression: `^[+-]?[0-9]+`}

// sizeInTitle matches a size such as " =300x200" at the end of a title.
var sizeInTitle = pattern{expression: space + `=([0-9]*)x([0-9]*)$`}

// imageAttrs reads what Outline stores in the title of an image: the editor
// that made it, its position, and its size.
func imageAttrs(t *token, dialect Dialect) Attrs {
	var alt, title, source, layout any
	if t.content != "" {
		alt = t.content
	}
	attrs := make(Attrs, 0, 7)
	attrs = append(attrs, Attr{"src", t.info()})
	rest := t.title()
	if after, ok := strings.CutPrefix(strings.TrimLeftFunc(rest, isSpaceRune), "source="); ok && dialect != Until192 {
		end := strings.IndexFunc(after, isSpaceRune)
		if end < 0 {
			end = len(after)
		}
		if end > 0 {
			source = after[:end]
			rest = strings.TrimLeftFunc(after[end:], isSpaceRune)
		}
	}
	for _, class := range []string{"right-50", "left-50", "full-width"} {
		if strings.Contains(rest, class) {
			layout = class
			rest = strings.Replace(rest, class, "", 1)
		}
	}
	if found := sizeInTitle.get().FindStringSubmatch(rest); found != nil {
		rest = strings.TrimSuffix(rest, found[0])
		for i, name := range []string{"width", "height"} {
			if value := found[i+1]; value != "" {
				attrs = append(attrs, Attr{name, size(value)})
			}
		}
	}
	if rest != "" {
		title = rest
	}
	return append(attrs, Attr{"alt", alt}, Attr{"source", source}, Attr{"layoutClass", layout}, Attr{"title", title})
}

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
