package workspace

import (
	"fmt"
	"outline-mcp/internal/workspace/ident"
	"slices"
	"strings"
)

// fields are the fields of a request's body. Its methods read one field each
// and remember the first that is not as it should be in err, so that a handler
// reads what it needs and checks once. Fields that nobody reads are ignored,
// as Outline ignores them.
type fields struct {
	values map[string]any
	err    error
}

func (f *fields) has(name string) bool {
	_, ok := f.values[name]
	return ok
}

func (f *fields) fail(name, format string, args ...any) {
	if f.err == nil {
		f.err = errValidation("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// string returns a text, "" if it is not there.
func (f *fields) string(name string) string {
	value, ok := f.values[name]
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		f.fail(name, "Invalid input: expected string, received %s", typeName(value))
	}
	return text
}

// bool returns a truth value, false if it is not there.
func (f *fields) bool(name string) bool {
	value, ok := f.values[name]
	if !ok {
		return false
	}
	truth, ok := value.(bool)
	if !ok {
		f.fail(name, "Invalid input: expected boolean, received %s", typeName(value))
	}
	return truth
}

// int returns a number without its fraction, otherwise if it is not there.
func (f *fields) int(name string, otherwise int) int {
	value, ok := f.values[name]
	if !ok {
		return otherwise
	}
	number, ok := value.(float64)
	if !ok {
		f.fail(name, "Invalid input: expected number, received %s", typeName(value))
	}
	return int(max(-1<<31, min(number, 1<<31-1)))
}

// uuid returns a field that holds a UUID, in lower case, "" if it is not there.
func (f *fields) uuid(name string) string {
	text := f.string(name)
	if f.err == nil && f.has(name) && !ident.IsUUID(text) {
		f.fail(name, "Invalid UUID")
	}
	return strings.ToLower(text)
}

// id returns a required field that holds the UUID, the urlId or the slug of a
// document or collection.
func (f *fields) id() string {
	id, _ := f.values["id"].(string)
	if !ident.IsUUID(id) && ident.URLID(id) == "" {
		f.fail("id", "Must be a valid UUID or slug")
	}
	return id
}

// oneOf returns one of the options, otherwise if the field is not there.
func (f *fields) oneOf(name, otherwise string, options ...string) string {
	if !f.has(name) {
		return otherwise
	}
	text, ok := f.values[name].(string)
	if !ok || !slices.Contains(options, text) {
		f.fail(name, "Invalid option: expected one of %s", quoted(options))
	}
	return text
}

// someOf returns a list of options, nil if it is not there.
func (f *fields) someOf(name string, options ...string) []string {
	if !f.has(name) {
		return nil
	}
	list, ok := f.values[name].([]any)
	if !ok {
		f.fail(name, "Invalid input: expected array, received %s", typeName(f.values[name]))
		return nil
	}
	some := make([]string, 0, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok || !slices.Contains(options, text) {
			f.fail(fmt.Sprintf("%s.%d", name, i), "Invalid option: expected one of %s", quoted(options))
		}
		some = append(some, text)
	}
	return some
}

func quoted(options []string) string { return `"` + strings.Join(options, `"|"`) + `"` }

// typeName is what JavaScript calls the type of a JSON value.
func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// text returns a text, and whether the field is there and not null. It is for
// the fields that null clears.
func (f *fields) text(name string) (text string, ok bool) {
	if f.values[name] == nil {
		return "", false
	}
	return f.string(name), true
}

// optionalUUID is uuid for a field that may also be null.
func (f *fields) optionalUUID(name string) string {
	if f.values[name] == nil {
		return ""
	}
	return f.uuid(name)
}

// requiredUUID is uuid for a field that must be there.
func (f *fields) requiredUUID(name string) string {
	if !f.has(name) {
		f.fail(name, "Invalid input: expected string, received undefined")
		return ""
	}
	return f.uuid(name)
}

// index returns a place among siblings, otherwise if it is not there.
func (f *fields) index(otherwise int) int {
	index := f.int("index", otherwise)
	if f.err == nil && f.has("index") && index < 0 {
		f.fail("index", "Too small: expected number to be >=0")
	}
	return index
}

// color returns a colour such as "#4E5C6E", "" for null.
func (f *fields) color() string {
	color, _ := f.text("color")
	if f.err != nil || f.values["color"] == nil {
		return ""
	}
	if len(color) != 7 || color[0] != '#' || strings.Trim(color[1:], "0123456789abcdefABCDEF") != "" {
		f.fail("color", "Must be a hex value (please use format #FFFFFF)")
	}
	return color
}
