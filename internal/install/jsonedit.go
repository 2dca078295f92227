package install

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// item is a member of an object or an element of a list, with the white space and
// comments before it.
type item struct {
	before *hujson.Extra
	value  *hujson.Value // its AfterExtra is nil if no comma follows
}

func items(holder *hujson.Value) []item {
	var all []item
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		for i := range holder.Members {
			all = append(all, item{&holder.Members[i].Name.BeforeExtra, &holder.Members[i].Value})
		}
	case *hujson.Array:
		for i := range holder.Elements {
			all = append(all, item{&holder.Elements[i].BeforeExtra, &holder.Elements[i]})
		}
	}
	return all
}

// end returns the white space and comments before the closing bracket.
func end(holder *hujson.Value) *hujson.Extra {
	if list, ok := holder.Value.(*hujson.Array); ok {
		return &list.AfterExtra
	}
	return &holder.Value.(*hujson.Object).AfterExtra
}

// insert adds a member to an object, or an element to a list, in the layout of the
// others. What is before the closing bracket stays before the new one.
func (f *jsonFile) insert(holder *hujson.Value, name string, value any) error {
	l, there, rest := f.layout(holder), items(holder), end(holder)
	parsed, err := hujson.Parse([]byte(l.value(value, l.indent)))
	if err != nil {
		return err
	}
	comments := bytes.TrimRight(*rest, " \t\r\n")
	before := string(comments)
	if !l.compact {
		before += l.eol + l.indent
	} else if len(there) > 0 && l.spaced {
		before += " "
	}
	*rest = (*rest)[len(comments):]
	if len(there) == 0 && !l.compact && !bytes.Contains(*rest, []byte("\n")) {
		*rest = hujson.Extra(l.eol + l.outer)
	}
	if n := len(there); n > 0 && there[n-1].value.AfterExtra != nil {
		parsed.AfterExtra = hujson.Extra{} // a comma at the end stays there
	}
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		if l.spaced {
			parsed.BeforeExtra = hujson.Extra(" ")
		}
		key := hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.Literal(quote(name))}
		holder.Members = append(holder.Members, hujson.ObjectMember{Name: key, Value: parsed})
	case *hujson.Array:
		parsed.BeforeExtra = hujson.Extra(before)
		holder.Elements = append(holder.Elements, parsed)
	}
	return nil
}

// replace replaces the value of a member or element.
func (f *jsonFile) replace(holder *hujson.Value, i int, value any) error {
	l := f.layout(holder)
	there := items(holder)[i].value
	parsed, err := hujson.Parse([]byte(l.value(value, indentOf(f.src, there.StartOffset))))
	there.Value = parsed.Value
	return err
}

// remove removes a member or element, and the comma that only it needs. Its
// comments stay.
func remove(holder *hujson.Value, i int) {
	there, next := items(holder), end(holder)
	if i+1 < len(there) {
		next = there[i+1].before
	}
	kept := append(bytes.Clone(*there[i].before), there[i].value.AfterExtra...)
	if i+1 == len(there) && i > 0 { // the one before becomes the last
		if previous := there[i-1].value; there[i].value.AfterExtra == nil {
			kept = append(bytes.Clone(previous.AfterExtra), kept...)
			previous.AfterExtra = nil
		} else {
			previous.AfterExtra = append(hujson.Extra{}, previous.AfterExtra...) // a comma at the end stays there
		}
	}
	switch {
	case len(bytes.TrimSpace(kept)) == 0:
	case bytes.HasPrefix(bytes.TrimLeft(*next, " \t\r"), []byte("\n")):
		*next = append(bytes.TrimRight(kept, " \t\r\n"), *next...)
	case len(*next) == 0 && !strings.Contains(lastLine(bytes.TrimRight(kept, " \t\r\n")), "//"):
		*next = bytes.TrimRight(kept, " \t\r\n")
	default:
		*next = append(kept, *next...)
	}
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		holder.Members = append(holder.Members[:i:i], holder.Members[i+1:]...)
	case *hujson.Array:
		holder.Elements = append(holder.Elements[:i:i], holder.Elements[i+1:]...)
	}
	if len(there) == 1 && len(bytes.TrimSpace(*next)) == 0 {
		*next = nil
	}
}

// layout is how members are written: each on a line, or all on one.
type layout struct {
	eol     string
	indent  string // of the member
	outer   string // of the object or list around it
	unit    string // added by one level
	compact bool   // all on one line
	spaced  bool   // with spaces after colons and commas
}

// layout returns the layout for a new member of a holder.
func (f *jsonFile) layout(holder *hujson.Value) layout {
	l := layout{eol: lineEnd(f.src), unit: "  ", spaced: true}
	root, there := items(&f.root), items(holder)
	if len(root) > 0 && bytes.Contains(*root[0].before, []byte("\n")) {
		outer := indentOf(f.src, f.root.StartOffset)
		if unit := strings.TrimPrefix(lastLine(*root[0].before), outer); unit != "" {
			l.unit = unit
		}
	}
	around := f.src[f.root.StartOffset:f.root.EndOffset]
	if len(there) > 0 {
		around = f.src[holder.StartOffset:holder.EndOffset]
	}
	if len(root) > 0 && !bytes.Contains(around, []byte("\n")) {
		l.compact, l.spaced = true, bytes.Contains(f.src, []byte(`": `))
	}
	l.outer = indentOf(f.src, holder.StartOffset)
	l.indent = l.outer + l.unit
	if n := len(there); n > 0 && bytes.Contains(*there[n-1].before, []byte("\n")) {
		l.indent = indent(lastLine(*there[n-1].before))
	}
	return l
}

// indentOf returns the white space at the beginning of the line that offset is on.
func indentOf(src []byte, offset int) string { return indent(lastLine(src[:offset])) }

func lastLine(text []byte) string { return string(text[bytes.LastIndexByte(text, '\n')+1:]) }

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// value writes a value that begins on a line with the given indentation. A list of
// objects has each on lines of its own, other lists are on one line.
func (l layout) value(value any, indent string) string {
	comma, colon, inner := ",", ":", l.eol+indent+l.unit
	if l.spaced {
		comma, colon = ", ", ": "
	}
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case json.Number:
		return value.String()
	case []string:
		return l.value(plain(value), indent)
	case []any:
		if len(value) == 1 && !l.compact {
			if input, ok := value[0].(Object); ok && input.Field("id") != nil {
				return "[" + inner + l.value(input, indent+l.unit) + l.eol + indent + "]"
			}
		}
		return "[" + strings.Join(mapped(value, func(one any) string { return l.value(one, indent+l.unit) }), comma) + "]"
	case Object:
		fields := mapped(value, func(field Field) string {
			return quote(field.Name) + colon + l.value(field.Value, indent+l.unit)
		})
		if l.compact || len(fields) == 0 {
			return "{" + strings.Join(fields, comma) + "}"
		}
		return "{" + inner + strings.Join(fields, ","+inner) + l.eol + indent + "}"
	}
	return quote(value.(string))
}

// quote writes a text as a JSON string.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
