package fakeoutline

import (
	"net/url"
	"reflect"
	"slices"
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

// Fail records that a field is invalid, unless another one is already.
func (f *apiFields) Fail(name string) {
	if f.Err == nil {
		f.Err = apiInvalidField(name)
	}
}

// Decode reads the fields into a struct and returns the first problem. The tag "in" of a field is its name in the request and what it must be:
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
				f.Fail(name)
			}
			continue
		}
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		if (value != nil || !nullable) && !setField(to, rule, value) {
			f.Fail(name)
		}
	}
}

// setField stores the value of a field, and reports whether it is valid.
func setField(to reflect.Value, rule string, value any) (valid bool) {
	switch to.Kind() {
	case reflect.Interface:
		if value != nil {
			to.Set(reflect.ValueOf(value))
		}
		return true
	case reflect.Bool:
		truth, ok := value.(bool)
		to.SetBool(truth)
		return ok
	case reflect.Int:
		number, ok := value.(float64)
		to.SetInt(int64(max(-1<<31, min(number, 1<<31-1))))
		return ok && (rule != "index" || number >= 0)
	case reflect.Slice:
		list, ok := value.([]any)
		texts := make([]string, len(list))
		for i, item := range list {
			text, isText := item.(string)
			texts[i], ok = text, ok && isText && isValid(text, rule)
		}
		to.Set(reflect.ValueOf(texts))
		return ok
	case reflect.String:
		text, ok := value.(string)
		if rule == "uuid" {
			to.SetString(strings.ToLower(text))
		} else {
			to.SetString(text)
		}
		return ok && isValid(text, rule)
	}
	panic("api: no input is of the type " + to.Type().String())
}

// isValid reports whether a text follows a rule of [apiFields.Decode].
func isValid(text, rule string) bool {
	if options, limited := strings.CutPrefix(rule, "one="); limited {
		return slices.Contains(strings.Split(options, "|"), text)
	}
	switch rule {
	case "uuid":
		return isUUID(text)
	case "slug":
		return isUUID(text) || urlIDOf(text) != ""
	case "icon":
		return strings.ContainsFunc(text, prosemirror.IsEmoji) || slices.Contains(prosemirror.IconNames(), text) || isUUID(text)
	case "color":
		return len(text) == 7 && text[0] == '#' && strings.Trim(text[1:], "0123456789abcdefABCDEF") == ""
	case "email":
		name, host, ok := strings.Cut(text, "@")
		return ok && name != "" && strings.Contains(host, ".")
	case "url":
		return isURL(text)
	}
	return true
}

// OneOf returns one of the options, or "" if the field is missing.
func (f *apiFields) OneOf(name string, options ...string) string {
	text, ok := f.Values[name].(string)
	if f.Has(name) && (!ok || !slices.Contains(options, text)) {
		f.Fail(name)
	}
	return text
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

// isURL reports whether Outline takes a text for a URL.
func isURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return false
	}
	return u.Host != "" || u.Scheme != "http" && u.Scheme != "https"
}
