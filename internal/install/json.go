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
	root node
}

// node is a value in a file of JSON, with what is in it.
type node struct {
	name       string // of a member of an object, or the ID of an element of a list
	at         int    // where it begins, with its name
	start, end int    // where its value is
	comma      int    // where the comma after it is, unless it is the last and has none
	value      any    // in which the fields of Objects are in the order of the file
	items      []node
}

// parseJSON parses a file, which must contain an object. A blank file counts as an
// empty object.
func parseJSON(src []byte) (*jsonFile, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	if err := checkBrackets(src); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(append(bytes.Clone(src), '\n')) // which a comment at the end needs
	if err != nil {
		return nil, brokenJSON(src, err)
	}
	if root.Value.Kind() != '{' {
		return nil, errors.New("line 1: the file does not contain a JSON object")
	}
	return &jsonFile{src, nodeOf(root)}, nil
}

func nodeOf(v hujson.Value) node {
	n := node{at: v.StartOffset, start: v.StartOffset, end: v.EndOffset, comma: v.EndOffset + len(v.AfterExtra)}
	switch value := v.Value.(type) {
	case *hujson.Object:
		object, last := Object{}, map[string]int{}
		for _, member := range value.Members {
			item := nodeOf(member.Value)
			item.name, item.at = member.Name.Value.(hujson.Literal).String(), member.Name.StartOffset
			last[item.name] = len(n.items)
			n.items = append(n.items, item)
		}
		for i, item := range n.items {
			if last[item.name] == i { // of two with one name, programs use the last
				object = append(object, Field{item.name, item.value, item.at})
			}
		}
		n.value = object
	case *hujson.Array:
		for _, element := range value.Elements {
			item := nodeOf(element)
			item.name, _ = objectOf(item.value).Field("id").(string)
			n.items = append(n.items, item)
		}
		n.value = mapList(n.items, func(item node) any { return item.value })
	case hujson.Literal:
		switch value.Kind() {
		case '"':
			n.value = value.String()
		case '0':
			n.value = json.Number(value) // 1.0 and 1 differ
		case 't', 'f':
			n.value = value.Bool()
		}
	}
	return n
}

// find returns what is at a place: the holder, nil if there is none, and the index
// in it, or -1. What occurs twice is an error, because programs differ in which
// one they use.
func (f *jsonFile) find(at place) (*node, int, error) {
	i, err := f.index(&f.root, at.holder)
	if i < 0 || err != nil {
		return nil, -1, err
	}
	holder := &f.root.items[i]
	_, isObject := holder.value.(Object)
	_, isList := holder.value.([]any)
	switch {
	case at.list && !isList:
		return nil, 0, fmt.Errorf("line %d: %q is not a list", lineOf(f.src, holder.start), at.holder)
	case !at.list && !isObject:
		return nil, 0, fmt.Errorf("line %d: %q is not an object, so it cannot contain a server", lineOf(f.src, holder.start), at.holder)
	}
	i, err = f.index(holder, at.name)
	return holder, i, err
}

// index returns the index of the item with a name, or -1.
func (f *jsonFile) index(holder *node, name string) (int, error) {
	found := -1
	for i, item := range holder.items {
		switch {
		case item.name != name:
		case found >= 0:
			return 0, fmt.Errorf("line %d: %q occurs twice; remove one", lineOf(f.src, item.start), name)
		default:
			found = i
		}
	}
	return found, nil
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
	case value == nil && f.isAlone(holder): // then the holder goes too
		i, _ = f.index(&f.root, at.holder)
		return f.remove(&f.root, i), nil
	case value == nil:
		return f.remove(holder, i), nil
	case i >= 0:
		there := holder.items[i]
		text := f.layout(holder).value(value, indentOf(f.src, there.start))
		return slices.Concat(f.src[:there.start], []byte(text), f.src[there.end:]), nil
	case holder != nil:
		return f.add(holder, at.name, value), nil
	case at.list:
		return f.add(&f.root, at.holder, []any{value}), nil
	}
	return f.add(&f.root, at.holder, Object{{Name: at.name, Value: value}}), nil
}

// add returns the file with an item at the end of a holder, in the layout of its
// neighbours. Comments before the closing bracket stay before the item.
func (f *jsonFile) add(holder *node, name string, value any) []byte {
	l, end, n := f.layout(holder), holder.end-1, len(holder.items)
	before := bytes.TrimRight(f.src[:end], " \t\r\n")
	blank, space := string(f.src[len(before):end]), ""
	switch {
	case !l.compact:
		space = l.eol + l.indent
		if n == 0 && !strings.Contains(blank, "\n") {
			blank = l.eol + indentOf(f.src, holder.start)
		}
	case n > 0:
		space = " "
	}
	text := l.value(value, l.indent)
	if _, isObject := holder.value.(Object); isObject {
		text = quote(name) + ": " + text
	}
	if n > 0 && f.hasComma(holder.items[n-1]) {
		text += ","
	} else if n > 0 {
		before = slices.Insert(bytes.Clone(before), holder.items[n-1].end, ',')
	}
	return slices.Concat(before, []byte(space+text+blank), f.src[end:])
}

func (f *jsonFile) hasComma(item node) bool { return f.src[item.comma] == ',' }

// isAlone reports whether a holder has one item, and no comments.
func (f *jsonFile) isAlone(holder *node) bool {
	if len(holder.items) != 1 {
		return false
	}
	around := slices.Concat(f.src[holder.start+1:holder.items[0].at], f.src[holder.items[0].end:holder.end-1])
	return len(bytes.Trim(around, ", \t\r\n")) == 0
}

// remove returns the file without an item and, if nothing follows on its line, without
// the line. Its comments stay.
func (f *jsonFile) remove(holder *node, i int) []byte {
	if f.isAlone(holder) {
		return slices.Concat(f.src[:holder.start+1], f.src[holder.end-1:])
	}
	gone, blanks := holder.items[i], " \t"
	before, after := f.src[:gone.at], f.src[gone.end:]
	if f.hasComma(gone) {
		after = slices.Concat(f.src[gone.end:gone.comma], f.src[gone.comma+1:])
	}
	if line, _, _ := bytes.Cut(after, []byte("\n")); len(bytes.TrimSpace(line)) == 0 {
		blanks += "\r\n"
	}
	before = bytes.TrimRight(before, blanks)
	if i > 0 && !f.hasComma(gone) { // the one before becomes the last
		comma := holder.items[i-1].comma
		before = slices.Delete(bytes.Clone(before), comma, comma+1)
	}
	return slices.Concat(before, after)
}

// layout is how items are written: each on a line, or all on one.
type layout struct {
	eol     string
	indent  string // of the item
	unit    string // added by one level
	compact bool   // all on one line
}

// layout returns the layout for a new item of a holder.
func (f *jsonFile) layout(holder *node) layout {
	l := layout{eol: lineEnd(f.src), unit: "  "}
	if len(f.root.items) > 0 {
		if unit := strings.TrimPrefix(indentOf(f.src, f.root.items[0].at), indentOf(f.src, f.root.start)); unit != "" {
			l.unit = unit
		}
		around := holder
		if len(holder.items) == 0 {
			around = &f.root
		}
		l.compact = !bytes.Contains(f.src[around.start:around.end], []byte("\n"))
	}
	l.indent = indentOf(f.src, holder.start) + l.unit
	if n := len(holder.items); n > 0 && strings.TrimSpace(lastLine(f.src[:holder.items[n-1].at])) == "" {
		l.indent = indentOf(f.src, holder.items[n-1].at)
	}
	return l
}

// indentOf returns the white space at the beginning of the line that offset is on.
func indentOf(src []byte, offset int) string { return indent(lastLine(src[:offset])) }

func lastLine(text []byte) string { return string(text[bytes.LastIndexByte(text, '\n')+1:]) }

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// value writes a value that begins on a line with the given indentation. A list of
// objects has each on its own lines, other lists are on one line.
func (l layout) value(value any, indent string) string {
	opening, between, closing := l.eol+indent+l.unit, ","+l.eol+indent+l.unit, l.eol+indent
	if l.compact {
		opening, between, closing = "", ", ", ""
	}
	switch value := value.(type) {
	case []any:
		text := strings.Join(mapList(value, func(one any) string { return l.value(one, indent+l.unit) }), ", ")
		if len(value) == 1 && objectOf(value[0]).Field("id") != nil {
			text = opening + text + closing
		}
		return "[" + text + "]"
	case Object:
		if len(value) == 0 {
			return "{}"
		}
		fields := mapList(value, func(field Field) string { return quote(field.Name) + ": " + l.value(field.Value, indent+l.unit) })
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
