package api

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
type Fields struct {
	Values map[string]any
	Err    error
}

func (f *Fields) Has(name string) bool {
	_, ok := f.Values[name]
	return ok
}

func (f *Fields) Fail(name, format string, args ...any) {
	if f.Err == nil {
		f.Err = Invalid("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// string returns a text, "" if it is not there.
func (f *Fields) String(name string) string {
	value, ok := f.Values[name]
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		f.Fail(name, "Invalid input: expected string, received %s", TypeName(value))
	}
	return text
}

// bool returns a truth value, false if it is not there.
func (f *Fields) Bool(name string) bool {
	value, ok := f.Values[name]
	if !ok {
		return false
	}
	truth, ok := value.(bool)
	if !ok {
		f.Fail(name, "Invalid input: expected boolean, received %s", TypeName(value))
	}
	return truth
}

// int returns a number without its fraction, otherwise if it is not there.
func (f *Fields) Int(name string, otherwise int) int {
	value, ok := f.Values[name]
	if !ok {
		return otherwise
	}
	number, ok := value.(float64)
	if !ok {
		f.Fail(name, "Invalid input: expected number, received %s", TypeName(value))
	}
	return int(max(-1<<31, min(number, 1<<31-1)))
}

// uuid returns a field that holds a UUID, in lower case, "" if it is not there.
func (f *Fields) UUID(name string) string {
	text := f.String(name)
	if f.Err == nil && f.Has(name) && !ident.IsUUID(text) {
		f.Fail(name, "Invalid UUID")
	}
	return strings.ToLower(text)
}

// id returns a required field that holds the UUID, the urlId or the slug of a
// document or collection.
func (f *Fields) ID() string {
	id, _ := f.Values["id"].(string)
	if !ident.IsUUID(id) && ident.URLID(id) == "" {
		f.Fail("id", "Must be a valid UUID or slug")
	}
	return id
}

// oneOf returns one of the options, otherwise if the field is not there.
func (f *Fields) OneOf(name, otherwise string, options ...string) string {
	if !f.Has(name) {
		return otherwise
	}
	text, ok := f.Values[name].(string)
	if !ok || !slices.Contains(options, text) {
		f.Fail(name, "Invalid option: expected one of %s", quoted(options))
	}
	return text
}

// someOf returns a list of options, nil if it is not there.
func (f *Fields) SomeOf(name string, options ...string) []string {
	if !f.Has(name) {
		return nil
	}
	list, ok := f.Values[name].([]any)
	if !ok {
		f.Fail(name, "Invalid input: expected array, received %s", TypeName(f.Values[name]))
		return nil
	}
	some := make([]string, 0, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok || !slices.Contains(options, text) {
			f.Fail(fmt.Sprintf("%s.%d", name, i), "Invalid option: expected one of %s", quoted(options))
		}
		some = append(some, text)
	}
	return some
}

func quoted(options []string) string { return `"` + strings.Join(options, `"|"`) + `"` }

// typeName is what JavaScript calls the type of a JSON value.
func TypeName(value any) string {
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
func (f *Fields) text(name string) (text string, ok bool) {
	if f.Values[name] == nil {
		return "", false
	}
	return f.String(name), true
}

// optionalUUID is uuid for a field that may also be null.
func (f *Fields) OptionalUUID(name string) string {
	if f.Values[name] == nil {
		return ""
	}
	return f.UUID(name)
}

// requiredUUID is uuid for a field that must be there.
func (f *Fields) RequiredUUID(name string) string {
	if !f.Has(name) {
		f.Fail(name, "Invalid input: expected string, received undefined")
		return ""
	}
	return f.UUID(name)
}

// index returns a place among siblings, otherwise if it is not there.
func (f *Fields) Index(otherwise int) int {
	index := f.Int("index", otherwise)
	if f.Err == nil && f.Has("index") && index < 0 {
		f.Fail("index", "Too small: expected number to be >=0")
	}
	return index
}

// color returns a colour such as "#4E5C6E", "" for null.
func (f *Fields) Color() string {
	color, _ := f.text("color")
	if f.Err != nil || f.Values["color"] == nil {
		return ""
	}
	if len(color) != 7 || color[0] != '#' || strings.Trim(color[1:], "0123456789abcdefABCDEF") != "" {
		f.Fail("color", "Must be a hex value (please use format #FFFFFF)")
	}
	return color
}

// icon returns the icon of a document or collection, "" for null.
func (f *Fields) Icon() string {
	if value, ok := f.Values["icon"]; !ok || value == nil {
		return ""
	}
	icon := f.String("icon")
	if f.Err == nil && strings.TrimSpace(icon) == "" {
		f.Fail("icon", "Invalid input")
	}
	return icon
}
