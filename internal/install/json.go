package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	src = bytes.Clone(src)                                    // which is edited in place
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

// item is a member of an object or an element of a list.
type item struct {
	name  string // or the ID of an element
	start int    // where it begins
	value *hujson.Value
}

func items(holder *hujson.Value) []item {
	var all []item
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		for i := range holder.Members {
			member := &holder.Members[i]
			all = append(all, item{member.Name.Value.(hujson.Literal).String(), member.Name.StartOffset, &member.Value})
		}
	case *hujson.Array:
		for i := range holder.Elements {
			element, id := &holder.Elements[i], ""
			if found := element.Find("/id"); found != nil && found.Value.Kind() == '"' {
				id = found.Value.(hujson.Literal).String()
			}
			all = append(all, item{id, element.StartOffset, element})
		}
	}
	return all
}

// comma returns where the comma after the item with an index is, or -1.
func comma(all []item, i int) int {
	value := all[i].value
	if i == len(all)-1 && value.AfterExtra == nil {
		return -1
	}
	return value.EndOffset + len(value.AfterExtra)
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
	case err != nil || holder == nil && value == nil:
		return f.src, err
	case holder == nil && at.list:
		return f.add(&f.root, at.holder, []any{value}), nil
	case holder == nil:
		return f.add(&f.root, at.holder, Object{{at.name, value}}), nil
	case i < 0 && value != nil:
		return f.add(holder, at.name, value), nil
	case i < 0:
		return f.src, nil
	case value != nil:
		there := items(holder)[i].value
		text := f.layout(holder).value(value, indentOf(f.src, there.StartOffset))
		return slices.Replace(f.src, there.StartOffset, there.EndOffset, []byte(text)...), nil
	}
	rest, err := parseJSON(f.remove(holder, i))
	if err != nil {
		return nil, err
	}
	// An empty holder goes too, unless it has a comment.
	if holder, _, err = rest.find(at); err != nil || holder.EndOffset > holder.StartOffset+2 {
		return rest.src, err
	}
	i, err = rest.index(&rest.root, at.holder)
	return rest.remove(&rest.root, i), err
}

// add returns the file with a new item at the end of a holder, in the layout of its
// neighbours. Comments before the closing bracket stay before the item.
func (f *jsonFile) add(holder *hujson.Value, name string, value any) []byte {
	l, there, end := f.layout(holder), items(holder), holder.EndOffset-1
	text := l.value(value, l.indent)
	if holder.Value.Kind() == '{' {
		text = quote(name) + ": " + text
	}
	start := len(bytes.TrimRight(f.src[:end], " \t\r\n"))
	switch {
	case !l.compact:
		text = l.eol + l.indent + text
	case len(there) > 0:
		text = " " + text
	}
	if len(there) == 0 {
		if l.compact || bytes.Contains(f.src[start:end], []byte("\n")) {
			return slices.Insert(f.src, start, []byte(text)...)
		}
		return slices.Replace(f.src, start, end, []byte(text+l.eol+l.outer)...)
	}
	last := len(there) - 1
	if comma(there, last) >= 0 { // a comma at the end stays there
		return slices.Insert(f.src, start, []byte(text+",")...)
	}
	return slices.Insert(slices.Insert(f.src, start, []byte(text)...), there[last].value.EndOffset, ',')
}

// remove returns the file without an item, the comma that only it needs and, if nothing
// follows on its line, the line. Its comments stay.
func (f *jsonFile) remove(holder *hujson.Value, i int) []byte {
	there, src := items(holder), bytes.Clone(f.src)
	start, end, after := there[i].start, there[i].value.EndOffset, comma(there, i)
	if after >= 0 {
		src = slices.Delete(src, after, after+1)
	}
	blanks := " \t"
	if rest, _, found := bytes.Cut(src[end:], []byte("\n")); found && len(bytes.TrimSpace(rest)) == 0 {
		blanks += "\r\n"
	}
	src = slices.Delete(src, len(bytes.TrimRight(src[:start], blanks)), end)
	if i > 0 && after < 0 { // the one before becomes the last
		before := comma(there, i-1)
		src = slices.Delete(src, before, before+1)
	}
	inside, end := holder.StartOffset+1, holder.EndOffset-1-(len(f.src)-len(src))
	if len(bytes.TrimSpace(src[inside:end])) == 0 {
		src = slices.Delete(src, inside, end)
	}
	return src
}

// layout is how items are written: each on a line, or all on one.
type layout struct {
	eol     string
	indent  string // of the item
	outer   string // of the object or list around it
	unit    string // added by one level
	compact bool   // all on one line
}

// layout returns the layout for a new item of a holder.
func (f *jsonFile) layout(holder *hujson.Value) layout {
	l := layout{eol: lineEnd(f.src), unit: "  ", outer: indentOf(f.src, holder.StartOffset)}
	root, there := items(&f.root), items(holder)
	if len(root) > 0 {
		if unit := strings.TrimPrefix(indentOf(f.src, root[0].start), indentOf(f.src, f.root.StartOffset)); unit != "" {
			l.unit = unit
		}
		around := holder
		if len(there) == 0 {
			around = &f.root
		}
		l.compact = !bytes.Contains(f.src[around.StartOffset:around.EndOffset], []byte("\n"))
	}
	l.indent = l.outer + l.unit
	if n := len(there); n > 0 && strings.TrimSpace(lastLine(f.src[:there[n-1].start])) == "" {
		l.indent = indentOf(f.src, there[n-1].start)
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
	opening, between, closing := l.eol+indent+l.unit, ","+l.eol+indent+l.unit, l.eol+indent
	if l.compact {
		opening, between, closing = "", ", ", ""
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
		text := strings.Join(mapped(value, func(one any) string { return l.value(one, indent+l.unit) }), ", ")
		if len(value) == 1 && objectOf(value[0]).Field("id") != nil {
			text = opening + text + closing
		}
		return "[" + text + "]"
	case Object:
		if len(value) == 0 {
			return "{}"
		}
		fields := mapped(value, func(field Field) string { return quote(field.Name) + ": " + l.value(field.Value, indent+l.unit) })
		return "{" + opening + strings.Join(fields, between) + closing + "}"
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
