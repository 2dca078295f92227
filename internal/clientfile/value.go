// Package clientfile edits configuration files that belong to other programs:
// it puts one member into one object of a file, or takes it out, and leaves
// every other byte as it is.
//
// Each edit is checked before it is handed out: the new text is read again, and
// must hold what the old one held and the change, nothing else.
package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Object is an object or a table whose fields keep their order.
type Object []Field

// Field is one member of an Object. Its value is a string, a bool, a []string,
// an Object, or whatever else Member returns for one.
type Field struct {
	Name  string
	Value any
}

// Field returns the value of a field, or nil.
func (o Object) Field(name string) any {
	for _, field := range o {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// without returns the object without a field.
func (o Object) without(name string) Object {
	return slices.DeleteFunc(o, func(field Field) bool { return field.Name == name })
}

// plain returns a value as a decoder would give it.
func plain(value any) any {
	switch value := value.(type) {
	case Object:
		return value.plain()
	case []string:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = one
		}
		return list
	case []any:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = plain(one)
		}
		return list
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

// ordered returns what a decoder gave, with its maps as objects.
func ordered(value any) any {
	switch value := value.(type) {
	case map[string]any:
		var object Object
		for _, name := range slices.Sorted(maps.Keys(value)) {
			object = append(object, Field{name, ordered(value[name])})
		}
		return object
	case []any:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = ordered(one)
		}
		return list
	}
	return value
}

// Format is how a configuration file is written. The objects that hold members
// are at the root of the file and are called containers.
type Format interface {
	// Member returns a member as it is in the file. What is an object there is an
	// Object, and may be written again.
	Member(src []byte, container, name string) (value any, found bool, err error)
	// HasContainer tells whether a file can be read and has the container.
	HasContainer(src []byte, container string) bool
	// SetMember returns the file with the member, added at the end of the
	// container or put in the place of the one with its name. A file that is
	// empty is written anew.
	SetMember(src []byte, container, name string, value Object) ([]byte, error)
	// RemoveMember returns the file without the member, and without the
	// container if that holds nothing else and is not to be kept. A member that
	// is not there leaves the file as it is.
	RemoveMember(src []byte, container, name string, keepEmpty bool) ([]byte, error)
}

// errUnsafe is returned in place of an edit that would have changed something
// else, which is a mistake in this package.
var errUnsafe = errors.New("the file is written in a way that cannot be edited without a risk to the rest of it")

// errUTF16 tells what an editor on Windows may have done.
var errUTF16 = errors.New("line 1: it is written as UTF-16; save it as UTF-8")

// Same tells whether a member that was read is what would be written.
func Same(read any, value Object) bool { return equal(plain(read), value.plain()) }

// lineEnd returns how a text ends its lines.
func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart returns the offset at which the line of an offset begins.
func lineStart(src []byte, offset int) int { return bytes.LastIndexByte(src[:offset], '\n') + 1 }

// quote writes a text as a JSON string, which a TOML string can be as well.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
