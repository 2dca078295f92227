// Package clientfile edits configuration files that belong to other programs:
// it adds a member to an object in a file, or removes it, and leaves every
// other byte as it is.
//
// Each edit is verified: the new text is parsed again and must hold the content
// of the old one and the change, nothing else.
package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Object is a JSON object or TOML table whose fields keep their order.
type Object []Field

// Field is a field of an Object. Its value is a string, a bool, a []string, an
// Object, or any value that Format.Member returns for a field.
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
		return value.plain()
	case []string:
		return mapped(value, func(one string) any { return one })
	case []any:
		return mapped(value, plain)
	}
	return value
}

func (o Object) plain() map[string]any {
	values := make(map[string]any, len(o))
	for _, field := range o {
		values[field.Name] = plain(field.Value)
	}
	return values
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

// Format is the syntax of a configuration file. The objects at the root of a
// file that hold members are called containers.
type Format interface {
	// Member returns a member as it is in the file. Objects in it are of type
	// Object and may be written again.
	Member(src []byte, container, name string) (value any, found bool, err error)
	// HasContainer reports whether a file can be parsed and has the container.
	HasContainer(src []byte, container string) bool
	// SetMember returns the file with the member, which replaces the one with
	// its name or is added at the end of the container. It also works on an
	// empty file.
	SetMember(src []byte, container, name string, value Object) ([]byte, error)
	// RemoveMember returns the file without the member, and without the
	// container if that is left empty and keepEmpty is not set. A file without
	// the member is returned as it is.
	RemoveMember(src []byte, container, name string, keepEmpty bool) ([]byte, error)
}

// errUnsafe is returned instead of an edit that would change something else,
// which would be a bug in this package.
var errUnsafe = errors.New("the file cannot be edited without a risk to the rest of it")

// errUTF16 reports the encoding that some editors on Windows use.
var errUTF16 = errors.New("line 1: it is encoded as UTF-16; save it as UTF-8")

// Same reports whether a member that was read equals a value to be written.
func Same(read any, value Object) bool { return equal(plain(read), value.plain()) }

// lineEnd returns the line ending of a text.
func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart returns the offset of the beginning of the line that offset is on.
func lineStart(src []byte, offset int) int { return bytes.LastIndexByte(src[:offset], '\n') + 1 }

// quote writes a text as a JSON string, which is also valid TOML but for DEL.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
