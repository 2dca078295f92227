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
	value, found, _ = at.take(root)
	return value, found, nil
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
	after, err := c.decode(text, at)
	_, _, others := at.take(before)
	now, found, othersNow := at.take(after)
	switch {
	case err == nil && found == (value != nil) && (!found || same(now, value)) && same(othersNow, others):
		return text, nil
	case c.TOML:
		return nil, fmt.Errorf("its servers are not written as tables that begin with [%s.NAME]", at.holder)
	}
	return nil, errors.New("the file cannot be edited without a risk to the rest of it")
}

// take returns what is at a place in a decoded file, and the file without it. A holder
// that is empty then is left out, too.
func (p place) take(root Object) (value any, found bool, rest Object) {
	var left any
	empty := false
	switch holder := root.Field(p.holder).(type) {
	case Object:
		i := slices.IndexFunc(holder, func(field Field) bool { return field.Name == p.name })
		if found = i >= 0 && !p.list; found {
			value, holder = holder[i].Value, slices.Concat(holder[:i], holder[i+1:])
		}
		left, empty = holder, len(holder) == 0
	case []any:
		i := slices.IndexFunc(holder, func(item any) bool { return objectOf(item).Field("id") == p.name })
		if found = i >= 0 && p.list; found {
			value, holder = holder[i], slices.Concat(holder[:i], holder[i+1:])
		}
		left, empty = holder, len(holder) == 0
	default:
		return nil, false, root
	}
	rest = slices.Clone(root).without(p.holder)
	if !empty {
		rest = append(rest, Field{p.holder, left})
	}
	return value, found, rest
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
