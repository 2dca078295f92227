package prosemirror

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (d *decoder) space() {
	for d.pos < len(d.src) {
		switch d.src[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// take reads the byte c, if it is next.
func (d *decoder) take(c byte) bool {
	d.space()
	if d.pos < len(d.src) && d.src[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

// object calls field for each member of an object, positioned at its value.
func (d *decoder) object(field func(name []byte)) {
	if !d.take('{') {
		d.fail("expected an object")
		return
	}
	if d.take('}') {
		return
	}
	for d.err == nil {
		name := d.key()
		if !d.take(':') {
			d.fail("expected a colon")
			return
		}
		field(name)
		if d.take('}') {
			return
		}
		if !d.take(',') {
			d.fail("expected a comma or the end of an object")
		}
	}
}

func (d *decoder) array(element func()) {
	if !d.take('[') {
		d.fail("expected an array")
		return
	}
	if d.take(']') {
		return
	}
	for d.err == nil {
		element()
		if d.take(']') {
			return
		}
		if !d.take(',') {
			d.fail("expected a comma or the end of an array")
		}
	}
}

// extent returns the source of the object or array that is next, nil if it is
// longer than the limit.
func (d *decoder) extent(limit int) []byte {
	level := 0
	for i := d.pos; i < len(d.src) && i < d.pos+limit; i++ {
		switch d.src[i] {
		case '{', '[':
			level++
		case '}', ']':
			if level--; level == 0 {
				return d.src[d.pos : i+1]
			}
		case '"':
			for i++; i < len(d.src) && d.src[i] != '"'; i++ {
				if d.src[i] == '\\' {
					i++
				}
			}
		}
	}
	return nil
}

func (d *decoder) value(depth int) any {
	if depth > maxDepth {
		d.fail("nested too deep")
		return nil
	}
	d.space()
	if d.pos >= len(d.src) {
		d.fail("unexpected end")
		return nil
	}
	switch c := d.src[d.pos]; {
	case c == '"':
		return d.text()
	case c == '{':
		object := map[string]any{}
		d.object(func(name []byte) { key := d.intern(name); object[key] = d.value(depth + 1) })
		return object
	case c == '[':
		list := []any{}
		d.array(func() { list = append(list, d.value(depth+1)) })
		return list
	case d.word("null"):
		return nil
	case d.word("true"):
		return true
	case d.word("false"):
		return false
	}
	start := d.pos
	for d.pos < len(d.src) && strings.IndexByte("+-.eE0123456789", d.src[d.pos]) >= 0 {
		d.pos++
	}
	number, err := strconv.ParseFloat(string(d.src[start:d.pos]), 64)
	if err != nil {
		d.fail("expected a value")
	}
	return number
}

func (d *decoder) word(word string) bool {
	if end := d.pos + len(word); end <= len(d.src) && string(d.src[d.pos:end]) == word {
		d.pos = end
		return true
	}
	return false
}

func (d *decoder) null() bool {
	d.space()
	return d.word("null")
}

// key reads the name of a member.
func (d *decoder) key() []byte {
	raw, escaped := d.quoted()
	if escaped {
		return []byte(d.unquote(raw))
	}
	return raw
}

// typeName reads the type of a node or a mark.
func (d *decoder) typeName() string {
	raw := d.key()
	switch string(raw) {
	case Text:
		return Text
	case Paragraph:
		return Paragraph
	case ListItem:
		return ListItem
	case TableCell:
		return TableCell
	}
	return d.intern(raw)
}

// intern returns a string that occurs often.
func (d *decoder) intern(raw []byte) string {
	if known, ok := d.names[string(raw)]; ok {
		return known
	}
	name := strings.ToValidUTF8(string(raw), string(utf8.RuneError))
	d.names[name] = name
	return name
}

// text reads a string.
func (d *decoder) text() string {
	raw, escaped := d.quoted()
	if escaped && (!simpleEscapes(raw) || !utf8.Valid(raw)) {
		return d.unquote(raw)
	}
	if !escaped && (len(raw) > 512 || !utf8.Valid(raw)) {
		return strings.ToValidUTF8(string(raw), string(utf8.RuneError))
	}
	if d.texts.Cap()-d.texts.Len() < len(raw) {
		d.texts = strings.Builder{}
		d.texts.Grow(max(8192, len(raw)))
	}
	start := d.texts.Len()
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 {
			break
		}
		d.texts.Write(raw[:at])
		c := raw[at+1]
		if c == 'n' {
			c = '\n'
		}
		d.texts.WriteByte(c)
		raw = raw[at+2:]
	}
	d.texts.Write(raw)
	return d.texts.String()[start:]
}

// simpleEscapes reports whether a string has no escapes but those of line ends,
// quotation marks and backslashes.
func simpleEscapes(raw []byte) bool {
	for at := 0; at < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		if at++; at == len(raw) || raw[at] != 'n' && raw[at] != '"' && raw[at] != '\\' {
			return false
		}
	}
	return true
}

// quoted reads a string without its quotes.
func (d *decoder) quoted() (raw []byte, escaped bool) {
	if !d.take('"') {
		d.fail("expected a string")
		return nil, false
	}
	start := d.pos
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.pos++
			return d.src[start : d.pos-1], escaped
		case c == '\\':
			escaped = true
			d.pos += 2
		case c < ' ':
			d.fail("control character in a string")
			return nil, false
		default:
			d.pos++
		}
	}
	d.fail("unexpected end of a string")
	return nil, false
}

// unquote resolves the escapes of a string.
func (d *decoder) unquote(raw []byte) string {
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		d.fail("invalid string")
	}
	return s
}
