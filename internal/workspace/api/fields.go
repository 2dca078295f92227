package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fields are the fields of a request's body. Each method reads one field and
// records the first problem in Err, so that an endpoint reads what it needs and
// checks once. A missing field has its zero value unless the method says
// otherwise. Like Outline, endpoints ignore fields that they do not know.
type Fields struct {
	Values map[string]any
	Err    error
}

// Has reports whether a field is present, even if it is null.
func (f *Fields) Has(name string) bool {
	_, ok := f.Values[name]
	return ok
}

// Fail records a problem with a field unless there is one already.
func (f *Fields) Fail(name, format string, args ...any) {
	if f.Err == nil {
		f.Err = Invalid("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// String returns a string.
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

// Bool returns a boolean.
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

// Int returns a number without its fraction, or otherwise if the field is
// missing.
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

// UUID returns a UUID in lower case.
func (f *Fields) UUID(name string) string {
	text := f.String(name)
	if f.Err == nil && f.Has(name) && !IsUUID(text) {
		f.Fail(name, "Invalid UUID")
	}
	return strings.ToLower(text)
}

// ID returns the required field "id": the UUID, URL ID or slug of a document or
// collection.
func (f *Fields) ID() string {
	id, _ := f.Values["id"].(string)
	if !IsUUID(id) && URLID(id) == "" {
		f.Fail("id", "Must be a valid UUID or slug")
	}
	return id
}

// OneOf returns one of the options, or otherwise if the field is missing.
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

// SomeOf returns a list of options, or nil if the field is missing.
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
		switch valid := ok && slices.Contains(options, text); {
		case !valid && len(options) == 1:
			f.Fail(strconv.Itoa(i), "Invalid input: expected %s", quoted(options))
		case !valid:
			f.Fail(strconv.Itoa(i), "Invalid option: expected one of %s", quoted(options))
		}
		some = append(some, text)
	}
	return some
}

// Strings returns a list of strings that each pass a check, or nil if the field
// is missing.
func (f *Fields) Strings(name string, check func(string) bool, problem string) []string {
	if !f.Has(name) {
		return nil
	}
	list, ok := f.Values[name].([]any)
	if !ok {
		f.Fail(name, "Invalid input: expected array, received %s", TypeName(f.Values[name]))
	}
	texts := make([]string, 0, len(list))
	for i, item := range list {
		text, _ := item.(string)
		if !check(text) {
			f.Fail(strconv.Itoa(i), "%s", problem)
		}
		texts = append(texts, text)
	}
	return texts
}

func quoted(options []string) string { return `"` + strings.Join(options, `"|"`) + `"` }

// TypeName returns the name of the type of a decoded JSON value in JavaScript.
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

// text returns a string, and whether the field is present and not null.
func (f *Fields) text(name string) (text string, ok bool) {
	if f.Values[name] == nil {
		return "", false
	}
	return f.String(name), true
}

// OptionalUUID is UUID for a field that may be null.
func (f *Fields) OptionalUUID(name string) string {
	if f.Values[name] == nil {
		return ""
	}
	return f.UUID(name)
}

// RequiredUUID is UUID for a field that must be present.
func (f *Fields) RequiredUUID(name string) string {
	if !f.Has(name) {
		f.Fail(name, "Invalid input: expected string, received undefined")
		return ""
	}
	return f.UUID(name)
}

// Index returns the field "index", a position among siblings, or otherwise if
// it is missing.
func (f *Fields) Index(otherwise int) int {
	index := f.Int("index", otherwise)
	if f.Err == nil && f.Has("index") && index < 0 {
		f.Fail("index", "Too small: expected number to be >=0")
	}
	return index
}

// Color returns the field "color", such as "#4E5C6E", or "" for null.
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
