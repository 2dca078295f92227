package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON as defined by RFC 8259, with comments and trailing commas.
//
// It edits the parsed file itself rather than with hujson's Patch, which removes
// the comments beside a member that it removes, and those before commas.
type jsonFormat struct{}

// maxDepth is how deep brackets may be nested. The parser is limited by the stack
// alone.
const maxDepth = 100_000

// jsonFile is a parsed file whose root is an object.
type jsonFile struct {
	src  []byte
	root hujson.Value
	cut  bool // src has a line end that is not in the file
}

// parseJSON parses a file, which must contain an object. A blank file counts as an
// empty object.
func parseJSON(src []byte) (*jsonFile, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	if isUTF16(src) {
		return nil, errUTF16
	}
	depth := 0
	for i, char := range src {
		switch char {
		case '[', '{':
			if depth++; depth > maxDepth {
				return nil, fmt.Errorf("line %d: objects and lists are more than %d deep in one another", lineOf(src, i), maxDepth)
			}
		case ']', '}':
			depth--
		}
	}
	f := &jsonFile{src: src}
	root, err := hujson.Parse(bytes.Clone(src))
	if err != nil { // hujson requires a line end after the last comment
		f.src, f.cut = append(bytes.Clone(src), '\n'), true
		var ended error
		if root, ended = hujson.Parse(bytes.Clone(f.src)); ended != nil {
			return nil, brokenJSON(src, err)
		}
	}
	f.root = root
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("line 1: the file does not contain a JSON object")
	}
	return f, nil
}

// decodeJSON decodes a file that can be parsed.
func decodeJSON(src []byte) (map[string]any, error) {
	standard, err := hujson.Standardize(append(bytes.Clone(src), '\n'))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(standard))
	decoder.UseNumber() // 1.0 and 1 differ
	var root map[string]any
	err = decoder.Decode(&root)
	return root, err
}

// place is where a value is: in the object or list with the name holder at the
// root, under a name or, in a list, with an ID.
type place struct {
	holder, name string
	list         bool
}

// find returns what is at a place: the holder, nil if there is none, and the index
// in it, or -1. What occurs twice is an error, because programs differ in which
// one they use.
func (f *jsonFile) find(at place) (*hujson.Value, int, error) {
	root := f.root.Value.(*hujson.Object)
	i, err := f.member(root, at.holder)
	if i < 0 || err != nil {
		return nil, -1, err
	}
	holder := &root.Members[i].Value
	switch value := holder.Value.(type) {
	case *hujson.Object:
		if !at.list {
			i, err = f.member(value, at.name)
			return holder, i, err
		}
	case *hujson.Array:
		if at.list {
			i, err = f.item(value, at.name)
			return holder, i, err
		}
	}
	if line := lineOf(f.src, holder.StartOffset); at.list {
		return nil, 0, fmt.Errorf("line %d: %q is not a list", line, at.holder)
	} else {
		return nil, 0, fmt.Errorf("line %d: %q is not an object, so it cannot contain a server", line, at.holder)
	}
}

// member returns the index of a member of an object, or -1.
func (f *jsonFile) member(object *hujson.Object, name string) (int, error) {
	found := -1
	for i, member := range object.Members {
		if member.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line %d: %q occurs twice; remove one", lineOf(f.src, member.Name.StartOffset), name)
		}
		found = i
	}
	return found, nil
}

// item returns the index of the item of a list with an ID, or -1.
func (f *jsonFile) item(list *hujson.Array, id string) (int, error) {
	found := -1
	for i, element := range list.Elements {
		object, ok := element.Value.(*hujson.Object)
		if !ok {
			continue
		}
		at, err := f.member(object, "id")
		if err != nil {
			return 0, err
		}
		if at < 0 || object.Members[at].Value.Value.Kind() != '"' || object.Members[at].Value.Value.(hujson.Literal).String() != id {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line %d: the ID %q occurs twice; remove one", lineOf(f.src, element.StartOffset), id)
		}
		found = i
	}
	return found, nil
}

// getJSON returns the value at a place, with Objects whose fields are in the order
// of the file.
func getJSON(src []byte, at place) (value any, found bool, err error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, false, err
	}
	holder, i, err := f.find(at)
	if i < 0 || err != nil {
		return nil, false, err
	}
	value, err = orderedJSON(*items(holder)[i].value)
	return value, err == nil, err
}

func orderedJSON(value hujson.Value) (any, error) {
	switch composite := value.Value.(type) {
	case *hujson.Object:
		object := Object{}
		for _, member := range composite.Members {
			one, err := orderedJSON(member.Value)
			if err != nil {
				return nil, err
			}
			name := member.Name.Value.(hujson.Literal).String()
			object = append(object.without(name), Field{name, one}) // of two with one name, programs use the last
		}
		return object, nil
	case *hujson.Array:
		list := make([]any, len(composite.Elements))
		for i, element := range composite.Elements {
			var err error
			if list[i], err = orderedJSON(element); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value.Value.(hujson.Literal)))
	decoder.UseNumber()
	var literal any
	err := decoder.Decode(&literal)
	return literal, err
}

// setJSON returns a file with a value at a place.
func setJSON(src []byte, at place, value Object) ([]byte, error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	holder, i, err := f.find(at)
	switch {
	case err != nil:
		return nil, err
	case holder == nil && at.list:
		err = f.insert(&f.root, at.holder, []any{value})
	case holder == nil:
		err = f.insert(&f.root, at.holder, Object{{at.name, value}})
	case i < 0:
		err = f.insert(holder, at.name, value)
	default:
		err = f.replace(holder, i, value)
	}
	if err != nil {
		return nil, err
	}
	return f.changed(at, value)
}

// removeJSON returns a file without the value at a place, and without the holder if
// that is left empty and is not in first.
func removeJSON(src, first []byte, at place) ([]byte, error) {
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	holder, i, err := f.find(at)
	if i < 0 || err != nil {
		return src, err
	}
	remove(holder, i)
	if emptied := len(items(holder)) == 0 && len(*end(holder)) == 0; emptied && !hasMember(first, at.holder) {
		i, _ := f.member(f.root.Value.(*hujson.Object), at.holder)
		remove(&f.root, i)
	}
	return f.changed(at, nil)
}

// isStandardJSON reports whether a file is JSON as defined by RFC 8259: without
// comments and trailing commas.
func isStandardJSON(src []byte) bool { return len(bytes.TrimSpace(src)) == 0 || json.Valid(src) }

// hasMember reports whether a file can be parsed and has a member at its root.
func hasMember(src []byte, name string) bool {
	f, err := parseJSON(src)
	if err != nil {
		return false
	}
	i, err := f.member(f.root.Value.(*hujson.Object), name)
	return i >= 0 && err == nil
}

// changed returns the new text if it can be parsed and differs from the file only
// in the value at a place, else errUnsafe. A nil value is one that was removed.
func (f *jsonFile) changed(at place, value Object) ([]byte, error) {
	text := f.root.Pack()
	before, err := decodeJSON(f.src)
	if err != nil {
		return nil, err
	}
	after, err := decodeJSON(text)
	if err != nil {
		return nil, errUnsafe
	}
	at.drop(before)
	var want []any
	if value != nil {
		want = []any{plain(value)}
	}
	if now := at.drop(after); !equal(now, want) || !equal(before, after) {
		return nil, errUnsafe
	}
	if f.cut {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	return text, nil
}

// drop removes what is at a place from a decoded file and returns it. It removes
// the holder too if that is left empty: an empty one and none mean the same.
func (p place) drop(root map[string]any) (dropped []any) {
	switch holder := root[p.holder].(type) {
	case map[string]any:
		if value, found := holder[p.name]; found && !p.list {
			dropped = append(dropped, value)
			delete(holder, p.name)
		}
		if len(holder) == 0 {
			delete(root, p.holder)
		}
	case []any:
		rest := slices.DeleteFunc(slices.Clone(holder), func(item any) bool {
			fields, _ := item.(map[string]any)
			if p.list && fields["id"] == p.name {
				dropped = append(dropped, item)
				return true
			}
			return false
		})
		root[p.holder] = rest
		if len(rest) == 0 {
			delete(root, p.holder)
		}
	}
	return dropped
}

func (jsonFormat) member(src []byte, container, name string) (any, bool, error) {
	return getJSON(src, place{container, name, false})
}

func (jsonFormat) setMember(src []byte, container, name string, value Object) ([]byte, error) {
	return setJSON(src, place{container, name, false}, value)
}

func (jsonFormat) removeMember(src, first []byte, container, name string) ([]byte, error) {
	return removeJSON(src, first, place{container, name, false})
}
