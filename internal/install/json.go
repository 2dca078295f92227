package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFile is a parsed file of JSON, with comments and trailing commas, whose root
// is an object.
type jsonFile struct {
	src  []byte
	root hujson.Value
}

// parseJSON parses a file, which must contain an object. A blank file counts as an
// empty object.
func parseJSON(src []byte) (*jsonFile, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	root, err := hujson.Parse(append(bytes.Clone(src), '\n')) // which a comment at the end needs
	if err != nil {
		return nil, brokenJSON(src, err)
	}
	if root.Value.Kind() != '{' {
		return nil, errors.New("line 1: the file does not contain a JSON object")
	}
	return &jsonFile{src, root}, nil
}

// find returns what is at a place: the holder, nil if there is none, and the index
// in it, or -1. What occurs twice is an error, because programs differ in which
// one they use.
func (f *jsonFile) find(at place) (*hujson.Value, int, error) {
	i, err := f.index(&f.root, at.holder)
	if i < 0 || err != nil {
		return nil, -1, err
	}
	holder := items(&f.root)[i].value
	switch kind := holder.Value.Kind(); {
	case at.list && kind != '[':
		return nil, 0, fmt.Errorf("line %d: %q is not a list", lineOf(f.src, holder.StartOffset), at.holder)
	case !at.list && kind != '{':
		return nil, 0, fmt.Errorf("line %d: %q is not an object, so it cannot contain a server", lineOf(f.src, holder.StartOffset), at.holder)
	}
	i, err = f.index(holder, at.name)
	return holder, i, err
}

// index returns the index of the item with a name, or -1.
func (f *jsonFile) index(holder *hujson.Value, name string) (int, error) {
	found := -1
	for i, item := range items(holder) {
		if item.name != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line %d: %q occurs twice; remove one", lineOf(f.src, item.value.StartOffset), name)
		}
		found = i
	}
	return found, nil
}

// item is a member of an object or an element of a list, with the white space and
// comments before it.
type item struct {
	name   string // or the ID of an element
	before *hujson.Extra
	value  *hujson.Value // its AfterExtra is nil if no comma follows
}

func items(holder *hujson.Value) []item {
	var all []item
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		for i := range holder.Members {
			member := &holder.Members[i]
			all = append(all, item{member.Name.Value.(hujson.Literal).String(), &member.Name.BeforeExtra, &member.Value})
		}
	case *hujson.Array:
		for i := range holder.Elements {
			element, id := &holder.Elements[i], ""
			if found := element.Find("/id"); found != nil && found.Value.Kind() == '"' {
				id = found.Value.(hujson.Literal).String()
			}
			all = append(all, item{id, &element.BeforeExtra, element})
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

// orderedJSON returns a value in which the fields of Objects are in the order of the
// file.
func orderedJSON(value hujson.ValueTrimmed) any {
	switch value := value.(type) {
	case *hujson.Object:
		object := Object{}
		for _, member := range value.Members {
			name := member.Name.Value.(hujson.Literal).String()
			object = append(object.without(name), Field{name, orderedJSON(member.Value.Value)}) // of two with one name, programs use the last
		}
		return object
	case *hujson.Array:
		return mapped(value.Elements, func(element hujson.ArrayElement) any { return orderedJSON(element.Value) })
	}
	switch literal := value.(hujson.Literal); literal.Kind() {
	case '"':
		return literal.String()
	case '0':
		return json.Number(literal) // 1.0 and 1 differ
	case 'n':
		return nil
	default:
		return literal.Bool()
	}
}

// isStandardJSON reports whether a file is JSON as defined by RFC 8259: without
// comments and trailing commas.
func isStandardJSON(src []byte) bool { return len(bytes.TrimSpace(src)) == 0 || json.Valid(src) }

// editJSON returns a file with a value at a place, or without one if that is nil.
func editJSON(src []byte, at place, value Object) ([]byte, error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	holder, i, err := f.find(at)
	switch {
	case err != nil:
		return nil, err
	case value != nil:
		err = f.set(at, holder, i, value)
	case i >= 0:
		remove(holder, i)
		if len(items(holder)) == 0 && len(*end(holder)) == 0 {
			i, _ := f.index(&f.root, at.holder)
			remove(&f.root, i)
		}
	}
	return bytes.TrimSuffix(f.root.Pack(), []byte("\n")), err
}

// set patches the file with a value, in the layout of its neighbours. If the value
// is new, what is before the closing bracket stays before it.
func (f *jsonFile) set(at place, holder *hujson.Value, i int, value any) error {
	pointer := "/" + at.holder
	switch {
	case holder == nil && at.list:
		holder, value = &f.root, []any{value}
	case holder == nil:
		holder, value = &f.root, Object{{at.name, value}}
	case at.list && i < 0:
		pointer += "/-"
	case at.list:
		pointer += fmt.Sprintf("/%d", i)
	default:
		pointer += "/" + at.name // names are letters, digits, - and _
	}
	l, there, rest := f.layout(holder), items(holder), *end(holder)
	operation, indent := "add", l.indent
	if i >= 0 {
		operation, indent = "replace", indentOf(f.src, there[i].value.StartOffset)
	} else {
		*end(holder) = nil
	}
	patch := fmt.Sprintf(`[{"op": %q, "path": %q, "value": %s}]`, operation, pointer, l.value(value, indent))
	if err := f.root.Patch([]byte(patch)); err != nil || i >= 0 {
		return err
	}
	comments := bytes.TrimRight(rest, " \t\r\n")
	before := string(comments)
	if !l.compact {
		before += l.eol + l.indent
	} else if len(there) > 0 && l.spaced {
		before += " "
	}
	rest = rest[len(comments):]
	if len(there) == 0 && !l.compact && !bytes.Contains(rest, []byte("\n")) {
		rest = hujson.Extra(l.eol + l.outer)
	}
	*end(holder) = rest
	added := items(holder)[len(there)]
	if l.spaced && holder.Value.Kind() == '{' {
		added.value.BeforeExtra = hujson.Extra(" ")
	}
	*added.before = hujson.Extra(before)
	if n := len(there); n > 0 && there[n-1].value.AfterExtra != nil {
		added.value.AfterExtra = hujson.Extra{} // a comma at the end stays there
	}
	return nil
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
