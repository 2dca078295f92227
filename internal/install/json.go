package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	holder := &items(&f.root)[i].value
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

// item is a member of an object, or an element of a list as if its ID were the name
// of a member.
type item struct {
	name  string
	start int // where the name begins
	value hujson.Value
}

// items returns what is in an object or a list.
func items(holder *hujson.Value) (all []item) {
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		for _, member := range holder.Members {
			all = append(all, item{nameOf(member), member.Name.StartOffset, member.Value})
		}
	case *hujson.Array:
		for _, element := range holder.Elements {
			id := ""
			if found := element.Find("/id"); found != nil && found.Value.Kind() == '"' {
				id = found.Value.(hujson.Literal).String()
			}
			all = append(all, item{id, element.StartOffset, element})
		}
	}
	return all
}

// hasComma reports whether a comma follows an item that is the last one.
func (i item) hasComma() bool { return i.value.AfterExtra != nil }

// comma returns where the comma after an item is.
func (i item) comma() int { return i.value.EndOffset + len(i.value.AfterExtra) }

func nameOf(member hujson.ObjectMember) string { return member.Name.Value.(hujson.Literal).String() }

// orderedJSON returns a value in which the fields of Objects are in the order of the
// file.
func orderedJSON(value hujson.ValueTrimmed) any {
	switch value := value.(type) {
	case *hujson.Object:
		object := Object{}
		for _, member := range value.Members {
			name := nameOf(member)
			object = append(object.without(name), Field{name, orderedJSON(member.Value.Value), member.Name.StartOffset}) // of two with one name, programs use the last
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

// editJSON returns a file with a value at a place, or without one if that is nil. It
// replaces parts of the text: the Patch of hujson loses comments and line ends.
func editJSON(src []byte, at place, value Object) ([]byte, error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	holder, i, err := f.find(at)
	switch {
	case err != nil || value == nil && i < 0:
		return f.src, err
	case value == nil && isAlone(f.src, holder): // then the holder goes too
		i, _ = f.index(&f.root, at.holder)
		return remove(f.src, &f.root, i), nil
	case value == nil:
		return remove(f.src, holder, i), nil
	case i >= 0:
		there := items(holder)[i].value
		text := f.layout(holder).value(value, indentOf(f.src, there.StartOffset))
		return slices.Concat(f.src[:there.StartOffset], []byte(text), f.src[there.EndOffset:]), nil
	case holder != nil:
		return f.add(holder, at.name, value), nil
	case at.list:
		return f.add(&f.root, at.holder, []any{value}), nil
	}
	return f.add(&f.root, at.holder, Object{{Name: at.name, Value: value}}), nil
}

// add returns the file with an item at the end of a holder, in the layout of its
// neighbours. Comments before the closing bracket stay before the item.
func (f *jsonFile) add(holder *hujson.Value, name string, value any) []byte {
	l, all, end := f.layout(holder), items(holder), holder.EndOffset-1
	before := bytes.TrimRight(f.src[:end], " \t\r\n")
	blank, space := string(f.src[len(before):end]), ""
	switch {
	case !l.compact:
		space = l.eol + l.indent
		if len(all) == 0 && !strings.Contains(blank, "\n") {
			blank = l.eol + l.outer
		}
	case len(all) > 0:
		space = " "
	}
	text := l.value(value, l.indent)
	if holder.Value.Kind() == '{' {
		text = quote(name) + ": " + text
	}
	if n := len(all); n > 0 && all[n-1].hasComma() {
		text += ","
	} else if n > 0 {
		before = slices.Insert(bytes.Clone(before), all[n-1].value.EndOffset, ',')
	}
	return slices.Concat(before, []byte(space+text+blank), f.src[end:])
}

// isAlone reports whether a holder has one item, and no comments.
func isAlone(src []byte, holder *hujson.Value) bool {
	all := items(holder)
	if len(all) != 1 {
		return false
	}
	around := slices.Concat(src[holder.StartOffset+1:all[0].start], src[all[0].value.EndOffset:holder.EndOffset-1])
	return len(bytes.Trim(around, ", \t\r\n")) == 0
}

// remove returns a file without an item and, if nothing follows on its line, without
// the line. Its comments stay.
func remove(src []byte, holder *hujson.Value, i int) []byte {
	if isAlone(src, holder) {
		return slices.Concat(src[:holder.StartOffset+1], src[holder.EndOffset-1:])
	}
	all := items(holder)
	gone, blanks := all[i], " \t"
	before, after := src[:gone.start], src[gone.value.EndOffset:]
	last := i == len(all)-1 && !gone.hasComma()
	if !last {
		after = slices.Concat(src[gone.value.EndOffset:gone.comma()], src[gone.comma()+1:])
	}
	if line, _, _ := bytes.Cut(after, []byte("\n")); len(bytes.TrimSpace(line)) == 0 {
		blanks += "\r\n"
	}
	before = bytes.TrimRight(before, blanks)
	if last && i > 0 { // the one before becomes the last
		comma := all[i-1].comma()
		before = slices.Delete(bytes.Clone(before), comma, comma+1)
	}
	return slices.Concat(before, after)
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
	return quote(value)
}

// quote writes a value without items as JSON.
func quote(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // such a value can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
