package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// JSON is JSON as defined by RFC 8259, with comments and trailing commas, which
// programs accept in files that people edit (github.com/tailscale/hujson).
type JSON struct{}

// jsonFile is a parsed file whose root is an object.
type jsonFile struct {
	src  []byte
	root hujson.Value
}

// readJSON parses a file, which must contain an object. A blank file counts as an
// empty object.
func readJSON(src []byte) (jsonFile, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return jsonFile{}, errUTF16
	}
	if err := checkDepth(src); err != nil {
		return jsonFile{}, err
	}
	root, err := hujson.Parse(src)
	if err != nil { // hujson requires a line end after the last comment
		var ended error
		if root, ended = hujson.Parse(append(bytes.Clone(src), '\n')); ended != nil {
			return jsonFile{}, errors.New(describe(err))
		}
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return jsonFile{}, errors.New("line 1: the file does not contain a JSON object")
	}
	return jsonFile{src, root}, nil
}

// describe returns the text of an error of hujson without quotes from the file,
// which may contain a key.
func describe(err error) string {
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	if before, _, quotes := strings.Cut(text, "invalid literal: "); quotes {
		return before + `not a JSON value (in a string, write \ as \\)`
	}
	return text
}

// decode decodes the file.
func (f jsonFile) decode() (map[string]any, error) {
	standard, err := hujson.Standardize(append(bytes.Clone(f.src), '\n'))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(standard))
	decoder.UseNumber() // 1.0 and 1 differ
	var root map[string]any
	err = decoder.Decode(&root)
	return root, err
}

// line returns the number of the line that an offset is on.
func (f jsonFile) line(offset int) int { return 1 + bytes.Count(f.src[:offset], []byte("\n")) }

// find returns the index of a member in an object, or -1. Two members with the
// same name are an error, because programs differ in which one they use.
func (f jsonFile) find(object *hujson.Object, name string) (int, error) {
	found := -1
	for i, member := range object.Members {
		if literal, ok := member.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("line %d: %q occurs twice; remove one", f.line(member.Name.StartOffset), name)
		}
		found = i
	}
	return found, nil
}

// container returns the value of a member of the root, or nil.
func (f jsonFile) container(name string) (*hujson.Value, error) {
	object := f.root.Value.(*hujson.Object)
	i, err := f.find(object, name)
	if i < 0 || err != nil {
		return nil, err
	}
	return &object.Members[i].Value, nil
}

// place is where a member of an object, or an item of a list, is in a file.
type place struct {
	holder *hujson.Value // the object or list at the root, or nil
	index  int           // in the holder, or -1
}

// value returns the value at a place whose index is not -1.
func (p place) value() hujson.Value {
	if list, ok := p.holder.Value.(*hujson.Array); ok {
		return list.Elements[p.index]
	}
	return p.holder.Value.(*hujson.Object).Members[p.index].Value
}

// A locator returns the place of what has a name in a holder: jsonFile.member or
// jsonFile.item.
type locator func(f jsonFile, holder, name string) (place, error)

func (f jsonFile) member(container, name string) (place, error) {
	value, err := f.container(container)
	if value == nil || err != nil {
		return place{index: -1}, err
	}
	object, ok := value.Value.(*hujson.Object)
	if !ok {
		return place{}, fmt.Errorf("line %d: %q is not an object, so it cannot contain a server", f.line(value.StartOffset), container)
	}
	i, err := f.find(object, name)
	return place{value, i}, err
}

// locate parses a file and locates a member or an item in it.
func locate(src []byte, in locator, holder, name string) (jsonFile, place, error) {
	f, err := readJSON(src)
	if err != nil {
		return f, place{}, err
	}
	at, err := in(f, holder, name)
	return f, at, err
}

// read returns the value of a member or an item.
func read(src []byte, in locator, holder, name string) (value any, found bool, err error) {
	_, at, err := locate(src, in, holder, name)
	if err != nil || at.index < 0 {
		return nil, false, err
	}
	value, err = orderedJSON(at.value())
	return value, err == nil, err
}

// remove returns a file without a member or an item, which drop removes from a
// decoded file. An empty holder stays if keepEmpty is set.
func remove(src []byte, in locator, drop dropper, holder, name string, keepEmpty bool) ([]byte, error) {
	f, at, err := locate(src, in, holder, name)
	if err != nil || at.index < 0 {
		return src, err
	}
	edits := f.removeFrom(holder, membersOf(*at.holder), at.index, keepEmpty)
	return f.check(apply(f.src, edits...), change{drop, holder, name, nil})
}

// IsStandard reports whether a file is JSON as defined by RFC 8259: without
// comments and trailing commas.
func (JSON) IsStandard(src []byte) bool { return len(bytes.TrimSpace(src)) == 0 || json.Valid(src) }

// Member implements Format.
func (JSON) Member(src []byte, container, name string) (any, bool, error) {
	return read(src, jsonFile.member, container, name)
}

// HasContainer implements Format. The container may be a list.
func (JSON) HasContainer(src []byte, container string) bool {
	f, err := readJSON(src)
	if err != nil {
		return false
	}
	value, err := f.container(container)
	return value != nil && err == nil
}

// SetMember implements Format.
func (JSON) SetMember(src []byte, container, name string, value Object) ([]byte, error) {
	f, at, err := locate(src, jsonFile.member, container, name)
	if err != nil {
		return nil, err
	}
	var edits []edit
	switch {
	case at.holder == nil:
		edits = f.insert(membersOf(f.root), func(l layout) string { return l.member(container, Object{{name, value}}) })
	case at.index < 0:
		edits = f.insert(membersOf(*at.holder), func(l layout) string { return l.member(name, value) })
	default:
		edits = f.replace(*at.holder, at.index, value)
	}
	return f.check(apply(f.src, edits...), change{dropMember, container, name, value.plain()})
}

// RemoveMember implements Format.
func (JSON) RemoveMember(src []byte, container, name string, keepEmpty bool) ([]byte, error) {
	return remove(src, jsonFile.member, dropMember, container, name, keepEmpty)
}

// check returns the new text if it can be parsed and differs from the file by
// the change alone, else errUnsafe.
func (f jsonFile) check(text []byte, only change) ([]byte, error) {
	edited, err := readJSON(text)
	if err != nil {
		return nil, errUnsafe
	}
	before, err := f.decode()
	if err != nil {
		return nil, err
	}
	after, err := edited.decode()
	if err != nil || !only.explains(before, after) {
		return nil, errUnsafe
	}
	return text, nil
}
