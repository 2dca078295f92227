package install

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Object is a JSON object or TOML table whose fields keep their order.
type Object []Field

// Field is a field of an Object. Its value is a string, a bool, a []string, an
// Object, or any value that was read from a file.
type Field struct {
	Name  string
	Value any
}

// Field returns the value of a field, or nil if there is none.
func (o Object) Field(name string) any {
	for _, field := range o {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// without removes a field from the object.
func (o Object) without(name string) Object {
	return slices.DeleteFunc(o, func(field Field) bool { return field.Name == name })
}

func objectOf(value any) Object {
	object, _ := value.(Object)
	return object
}

// plain returns a value in the types that a decoder returns.
func plain(value any) any {
	switch value := value.(type) {
	case Object:
		values := make(map[string]any, len(value))
		for _, field := range value {
			values[field.Name] = plain(field.Value)
		}
		return values
	case []string:
		return mapped(value, func(one string) any { return one })
	case []any:
		return mapped(value, plain)
	}
	return value
}

// ordered returns a decoded value with its maps as Objects.
func ordered(value any) any {
	switch value := value.(type) {
	case map[string]any:
		var object Object
		for _, name := range slices.Sorted(maps.Keys(value)) {
			object = append(object, Field{name, ordered(value[name])})
		}
		return object
	case []any:
		return mapped(value, ordered)
	}
	return value
}

// mapped returns the results of a function for each element of a list.
func mapped[T, R any](list []T, of func(T) R) []R {
	results := make([]R, len(list))
	for i, element := range list {
		results[i] = of(element)
	}
	return results
}

// equal reports whether decoded values are equal. It compares them as printed,
// where maps are sorted by key and NaN equals itself.
func equal(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// same reports whether a value that was read equals a value to be written.
func same(read any, value Object) bool { return equal(plain(read), plain(value)) }

// place is where a value is: in the object or list with the name holder at the
// root of a file, under a name or, in a list, with an ID.
type place struct {
	holder, name string
	list         bool
}

// server is the place of the entry with a name in the client's file.
func (c Client) server(name string) place { return place{c.Container, name, false} }

// decode returns what a file holds. It is an error if nothing can be edited at a
// place in it.
func (c Client) decode(src []byte, at place) (Object, error) {
	if isUTF16(src) {
		return nil, errors.New("line 1: it is encoded as UTF-16; save it as UTF-8")
	}
	if c.TOML {
		return decodeTOML(src, at)
	}
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	if _, _, err := f.find(at); err != nil {
		return nil, err
	}
	return orderedJSON(f.root.Value).(Object), nil
}

// get returns the value at a place in a file. Objects in it are of type Object.
func (c Client) get(src []byte, at place) (value any, found bool, err error) {
	root, err := c.decode(src, at)
	if err != nil {
		return nil, false, err
	}
	dropped := at.drop(plain(root).(map[string]any))
	if len(dropped) == 0 {
		return nil, false, nil
	}
	items, _ := root.Field(at.holder).([]any)
	for _, item := range items {
		if objectOf(item).Field("id") == at.name {
			return item, true, nil
		}
	}
	return objectOf(root.Field(at.holder)).Field(at.name), true, nil
}

// change returns a file with a value at a place, or without one if that is nil. A
// holder that is left empty goes too: clients do the same with an empty one and
// none. It is an error if anything else would change.
func (c Client) change(src []byte, at place, value Object) ([]byte, error) {
	before, err := c.decode(src, at)
	if err != nil {
		return nil, err
	}
	edit := editJSON
	if c.TOML {
		edit = editTOML
	}
	text, err := edit(src, at, value)
	if err != nil {
		return nil, err
	}
	var want []any
	if value != nil {
		want = []any{plain(value)}
	}
	after, err := c.decode(text, at)
	old, now := plain(before).(map[string]any), plain(after).(map[string]any)
	at.drop(old)
	switch changed := at.drop(now); {
	case err == nil && equal(changed, want) && equal(old, now):
		return text, nil
	case c.TOML:
		return nil, fmt.Errorf("its servers are not written as tables that begin with [%s.NAME]", at.holder)
	}
	return nil, errors.New("the file cannot be edited without a risk to the rest of it")
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

// isUTF16 reports whether a file begins with a byte order mark of UTF-16.
func isUTF16(src []byte) bool {
	return bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff"))
}

// lineEnd returns the line ending of a text.
func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineOf returns the number of the line that an offset is on.
func lineOf(src []byte, offset int) int { return 1 + bytes.Count(src[:offset], []byte("\n")) }
