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

// A format is the syntax of a configuration file. It edits the member with a name
// in the object at the root of the file that is called container, and leaves
// everything else as it is.
type format interface {
	// member returns a member. Objects in it are of type Object.
	member(src []byte, container, name string) (value any, found bool, err error)
	// setMember returns the file with the member, in place of the one with its name
	// or at the end of the container.
	setMember(src []byte, container, name string, value Object) ([]byte, error)
	// removeMember returns the file without the member, and without the container if
	// that is left empty and is not in first, the file as it was before this program
	// changed it.
	removeMember(src, first []byte, container, name string) ([]byte, error)
}

var (
	// errUnsafe is returned in place of an edit that would change something else.
	errUnsafe = errors.New("the file cannot be edited without a risk to the rest of it")
	// errUTF16 reports the encoding that some editors on Windows use.
	errUTF16 = errors.New("line 1: it is encoded as UTF-16; save it as UTF-8")
)

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
