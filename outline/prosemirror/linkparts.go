package prosemirror

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
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

// unescape resolves backslash escapes and entities.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isASCIIPunctuation(s[i+1]):
			i++
			out.WriteByte(s[i])
		case s[i] == '&':
			text, length := entity(s[i:], false)
			if length == 0 {
				out.WriteByte('&')
				continue
			}
			out.WriteString(text)
			i += length - 1
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// entity decodes the entity or numeric reference at the start of s. Length is 0
// if there is none. Strict accepts a name only as a whole and replaces an
// invalid number with U+FFFD, as in text. URLs and titles keep such a number
// instead, and accept old names that begin longer ones.
func entity(s string, strict bool) (text string, length int) {
	if len(s) > 2 && s[1] == '#' {
		return numericEntity(s, strict)
	}
	end := 1
	for end < len(s) && end <= 32 && isAlphanumeric(s[end]) {
		end++
	}
	if end < 3 || end >= len(s) || s[end] != ';' || !isLetter(s[1]) {
		return "", 0
	}
	source := s[:end+1]
	text = html.UnescapeString(source)
	if text == source || strict && strings.HasSuffix(text, ";") && source != "&semi;" {
		return "", 0
	}
	return text, len(source)
}

// numericReference matches a reference to a code point by its number.
var numericReference = pattern{expression: `^&#(?:[xX]([0-9A-Fa-f]{1,8})|([0-9]{1,8}));`}

func numericEntity(s string, strict bool) (text string, length int) {
	found := numericReference.get().FindStringSubmatch(s)
	if found == nil || strict && len(found[0]) > len("&#1234567;") {
		return "", 0
	}
	digits, base := found[2], 10
	if digits == "" {
		digits, base = found[1], 16
	}
	code, err := strconv.ParseInt(digits, base, 64)
	if err != nil || !isValidCode(code) {
		if !strict {
			return "", 0
		}
		code = utf8.RuneError
	}
	return string(rune(code)), len(found[0])
}

// isValidCode reports whether a numeric reference may represent the code point.
func isValidCode(c int64) bool {
	switch {
	case c >= 0xD800 && c <= 0xDFFF, c >= 0xFDD0 && c <= 0xFDEF, c&0xFFFE == 0xFFFE:
		return false
	case c <= 0x08, c == 0x0B, c >= 0x0E && c <= 0x1F, c >= 0x7F && c <= 0x9F:
		return false
	}
	return c <= utf8.MaxRune
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
func imageAttrs(t *token) Attrs {
	var alt, title, source, layout any
	if t.content != "" {
		alt = t.content
	}
	attrs := make(Attrs, 0, 7)
	attrs = append(attrs, Attr{"src", t.info()})
	rest := t.title()
	if after, ok := strings.CutPrefix(strings.TrimLeftFunc(rest, isSpaceRune), "source="); ok {
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
