package fakeoutline

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
)

// apiFields are the fields of a request's body. Err is the first problem with them. Like
// Outline, endpoints ignore fields that they do not know.
type apiFields struct {
	Values map[string]any
	Err    error
}

// Has reports whether a field is present, even if it is null.
func (f *apiFields) Has(name string) bool {
	_, ok := f.Values[name]
	return ok
}

// Fail records a problem with a field unless there is one already.
func (f *apiFields) Fail(name, format string, args ...any) {
	if f.Err == nil {
		f.Err = apiInvalidField(name, format, args...)
	}
}

// Decode reads the fields into a struct and returns the first problem, in the order of
// the struct. The tag "in" of a field is its name in the request and what it must be:
//
//	required  present
//	null      null or what else it must be; null is the zero value
//	uuid      a UUID, which becomes lower case
//	slug      the UUID, URL ID or slug of a document or collection; implies required
//	icon      an icon, or null
//	color     a color such as "#4E5C6E", or null
//	index     a number that is not negative
//	one=a|b   one of these texts, or a list of them
//	email, url, for lists
//
// A field that is missing has the zero value; a pointer tells whether it is there.
func (f *apiFields) Decode(into any) error {
	f.decode(reflect.ValueOf(into).Elem())
	return f.Err
}

func (f *apiFields) decode(v reflect.Value) {
	for i := range v.NumField() {
		field, to := v.Type().Field(i), v.Field(i)
		if field.Anonymous {
			f.decode(to)
			continue
		}
		name, rules, _ := strings.Cut(field.Tag.Get("in"), ",")
		rule, required, nullable := "", false, false
		for r := range strings.SplitSeq(rules, ",") {
			switch r {
			case "required":
				required = true
			case "null":
				nullable = true
			default:
				rule = r
				nullable = nullable || r == "icon" || r == "color"
			}
		}
		value, present := f.Values[name]
		if !present && rule != "slug" {
			if required {
				f.Fail(name, "Invalid input: expected %s, received undefined", kindName(to.Kind()))
			}
			continue
		}
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		if value != nil || !nullable {
			f.set(to, name, rule, value)
		}
	}
}

// set stores the value of a field.
func (f *apiFields) set(to reflect.Value, name, rule string, value any) {
	mismatch := func() {
		f.Fail(name, "Invalid input: expected %s, received %s", kindName(to.Kind()), typeName(value))
	}
	options, limited := strings.CutPrefix(rule, "one=")
	switch to.Kind() {
	case reflect.Interface:
		if value != nil {
			to.Set(reflect.ValueOf(value))
		}
	case reflect.Bool:
		truth, ok := value.(bool)
		if !ok {
			mismatch()
		}
		to.SetBool(truth)
	case reflect.Int:
		number, ok := value.(float64)
		switch {
		case !ok:
			mismatch()
		case rule == "index" && number < 0:
			f.Fail(name, "Too small: expected number to be >=0")
		}
		to.SetInt(int64(max(-1<<31, min(number, 1<<31-1))))
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			mismatch()
			return
		}
		texts := make([]string, len(list))
		for i, item := range list {
			texts[i], _ = item.(string)
			switch name := strconv.Itoa(i); {
			case limited:
				f.option(name, item, strings.Split(options, "|"), "array")
			case rule == "uuid" && !isUUID(texts[i]):
				f.Fail(name, "Invalid UUID")
			case rule == "email" && !isEmail(texts[i]):
				f.Fail(name, "Invalid email address")
			case rule == "url" && !isURL(texts[i]):
				f.Fail(name, "Invalid URL")
			}
		}
		to.Set(reflect.ValueOf(texts))
	case reflect.String:
		text, ok := value.(string)
		to.SetString(text)
		switch {
		case limited:
			f.option(name, value, strings.Split(options, "|"), "")
		case rule == "slug":
			if !isUUID(text) && urlIDOf(text) == "" {
				f.Fail(name, "Must be a valid UUID or slug")
			}
		case rule == "icon":
			if !strings.ContainsFunc(text, prosemirror.IsEmoji) && !slices.Contains(prosemirror.IconNames(), text) && !isUUID(text) {
				f.Fail(name, "Invalid input")
			}
		case !ok:
			mismatch()
		case rule == "uuid":
			if !isUUID(text) {
				f.Fail(name, "Invalid UUID")
			}
			to.SetString(strings.ToLower(text))
		case rule == "color":
			if len(text) != 7 || text[0] != '#' || strings.Trim(text[1:], "0123456789abcdefABCDEF") != "" {
				f.Fail(name, "Must be a hex value (please use format #FFFFFF)")
			}
		}
	default:
		panic("api: no input is of the type " + to.Type().String())
	}
}

// option checks that a value is one of the options.
func (f *apiFields) option(name string, value any, options []string, in string) {
	text, ok := value.(string)
	switch valid := ok && slices.Contains(options, text); {
	case !valid && len(options) == 1 && in == "array":
		f.Fail(name, "Invalid input: expected %s", quoted(options))
	case !valid:
		f.Fail(name, "Invalid option: expected one of %s", quoted(options))
	}
}

func quoted(options []string) string { return `"` + strings.Join(options, `"|"`) + `"` }

// OneOf returns one of the options, or "" if the field is missing.
func (f *apiFields) OneOf(name string, options ...string) string {
	if !f.Has(name) {
		return ""
	}
	f.option(name, f.Values[name], options, "")
	text, _ := f.Values[name].(string)
	return text
}

// typeName returns the name of the type of a decoded JSON value in JavaScript.
func typeName(value any) string {
	if value == nil {
		return "null"
	}
	return kindName(reflect.TypeOf(value).Kind())
}

func kindName(kind reflect.Kind) string {
	switch kind {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "array"
	}
	return "object"
}

// isUUID reports whether s is a UUID in the text form of RFC 9562, in either
// case: one of version 1 to 8 and the RFC's variant, or the nil or max UUID.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	if s[14] >= '1' && s[14] <= '8' && strings.ContainsRune("89abAB", rune(s[19])) {
		return true
	}
	return s == "00000000-0000-0000-0000-000000000000" || strings.EqualFold(s, "ffffffff-ffff-ffff-ffff-ffffffffffff")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// urlIDOf returns the URL ID in s, which is a URL ID or a slug that ends in one
// after a hyphen, or "" if s is neither. A URL ID is ten to fifteen ASCII
// letters and digits.
func urlIDOf(s string) string {
	hyphen := strings.LastIndexByte(s, '-')
	name := s[hyphen+1:]
	if len(name) < 10 || len(name) > 15 {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		plain := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !plain && (i > hyphen || c != '-' && c != '_' && c != '~') {
			return ""
		}
	}
	return name
}

// derivedUUID returns a UUID that depends only on a and b.
func derivedUUID(a, b string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(a+"/"+b)).String()
}

// isEmail reports whether a text is an email address, as far as requests need.
func isEmail(text string) bool {
	name, host, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(host, ".")
}

// isURL reports whether Outline takes a text for a URL.
func isURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return false
	}
	return u.Host != "" || u.Scheme != "http" && u.Scheme != "https"
}
