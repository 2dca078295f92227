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
	all, _ := items(&f.root)
	holder := &all[i].Value
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
	all, _ := items(holder)
	for i, item := range all {
		if nameOf(item) != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line %d: %q occurs twice; remove one", lineOf(f.src, item.Value.StartOffset), name)
		}
		found = i
	}
	return found, nil
}

// items returns the members of an object, or the elements of a list as if they were
// members with their IDs as names, and what follows the last one.
func items(holder *hujson.Value) (all []hujson.ObjectMember, after hujson.Extra) {
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		return slices.Clone(holder.Members), holder.AfterExtra
	case *hujson.Array:
		for _, element := range holder.Elements {
			id := hujson.String("")
			if found := element.Find("/id"); found != nil && found.Value.Kind() == '"' {
				id = found.Value.(hujson.Literal)
			}
			all = append(all, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: element.BeforeExtra, StartOffset: element.StartOffset, Value: id}, Value: element})
		}
		after = holder.AfterExtra
	}
	return all, after
}

// setItems sets what items returns.
func setItems(holder *hujson.Value, all []hujson.ObjectMember, after hujson.Extra) {
	switch holder := holder.Value.(type) {
	case *hujson.Object:
		holder.Members, holder.AfterExtra = all, after
	case *hujson.Array:
		holder.AfterExtra = after
		holder.Elements = mapped(all, func(item hujson.ObjectMember) hujson.ArrayElement {
			item.Value.BeforeExtra = item.Name.BeforeExtra
			return item.Value
		})
	}
}

func nameOf(item hujson.ObjectMember) string { return item.Name.Value.(hujson.Literal).String() }

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

// editJSON returns a file with a value at a place, or without one if that is nil.
func editJSON(src []byte, at place, value Object) ([]byte, error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	holder, i, err := f.find(at)
	switch {
	case err != nil || value == nil && i < 0:
		return f.src, err
	case value == nil:
		remove(holder, i)
		if all, after := items(holder); len(all)+len(after) == 0 { // it has no comment, either
			i, _ = f.index(&f.root, at.holder)
			remove(&f.root, i)
		}
	case i >= 0:
		all, after := items(holder)
		there := &all[i].Value
		there.Value = hujson.Literal(f.layout(holder).value(value, indentOf(f.src, there.StartOffset)))
		setItems(holder, all, after)
	case holder != nil:
		f.add(holder, at.name, value)
	case at.list:
		f.add(&f.root, at.holder, []any{value})
	default:
		f.add(&f.root, at.holder, Object{{Name: at.name, Value: value}})
	}
	return bytes.TrimSuffix(f.root.Pack(), []byte("\n")), nil
}

// add adds an item at the end of a holder, in the layout of its neighbours. Comments
// before the closing bracket stay before the item.
func (f *jsonFile) add(holder *hujson.Value, name string, value any) {
	l := f.layout(holder)
	all, after := items(holder)
	before := bytes.TrimRight(after, " \t\r\n")
	after = after[len(before):]
	space := ""
	switch {
	case !l.compact:
		space = l.eol + l.indent
		if len(all) == 0 && !bytes.Contains(after, []byte("\n")) {
			after = hujson.Extra(l.eol + l.outer)
		}
	case len(all) > 0:
		space = " "
	}
	added := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(string(before) + space), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: hujson.Literal(l.value(value, l.indent))},
	}
	if len(all) > 0 && all[len(all)-1].Value.AfterExtra != nil { // a comma at the end stays there
		added.Value.AfterExtra = hujson.Extra{}
	}
	setItems(holder, append(all, added), after)
}

// remove removes an item and, if nothing follows on its line, the line. Its comments
// stay.
func remove(holder *hujson.Value, i int) {
	all, after := items(holder)
	gone, following := all[i], &after
	if i < len(all)-1 {
		following = &all[i+1].Name.BeforeExtra
	}
	rest, blanks := string(gone.Value.AfterExtra)+string(*following), " \t"
	if line, _, found := strings.Cut(rest, "\n"); found && strings.TrimSpace(line) == "" {
		blanks += "\r\n"
	}
	before := strings.TrimRight(string(gone.Name.BeforeExtra), blanks)
	if i > 0 && i == len(all)-1 { // the one before becomes the last, which keeps its comma if the item had one
		last := &all[i-1].Value
		if gone.Value.AfterExtra != nil {
			last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
		} else {
			before, last.AfterExtra = string(last.AfterExtra)+before, nil
		}
	}
	*following = hujson.Extra(before + rest)
	if len(all) == 1 && strings.TrimSpace(before+rest) == "" {
		after = nil
	}
	setItems(holder, slices.Delete(all, i, i+1), after)
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
	root, _ := items(&f.root)
	there, _ := items(holder)
	if len(root) > 0 {
		if unit := strings.TrimPrefix(indentOf(f.src, root[0].Name.StartOffset), indentOf(f.src, f.root.StartOffset)); unit != "" {
			l.unit = unit
		}
		around := holder
		if len(there) == 0 {
			around = &f.root
		}
		l.compact = !bytes.Contains(f.src[around.StartOffset:around.EndOffset], []byte("\n"))
	}
	l.indent = l.outer + l.unit
	if n := len(there); n > 0 && strings.TrimSpace(lastLine(f.src[:there[n-1].Name.StartOffset])) == "" {
		l.indent = indentOf(f.src, there[n-1].Name.StartOffset)
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
