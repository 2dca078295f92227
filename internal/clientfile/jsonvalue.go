package clientfile

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// orderedJSON decodes a value into Objects with the fields in the order of the
// file.
func orderedJSON(value hujson.Value) (any, error) {
	switch composite := value.Value.(type) {
	case *hujson.Object:
		object := Object{}
		for _, member := range composite.Members {
			one, err := orderedJSON(member.Value)
			if err != nil {
				return nil, err
			}
			name := member.Name.Value.(hujson.Literal).String()
			object = append(object.without(name), Field{name, one}) // of two with one name, programs use the last
		}
		return object, nil
	case *hujson.Array:
		list := make([]any, len(composite.Elements))
		for i, element := range composite.Elements {
			one, err := orderedJSON(element)
			if err != nil {
				return nil, err
			}
			list[i] = one
		}
		return list, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value.Value.(hujson.Literal)))
	decoder.UseNumber()
	var literal any
	err := decoder.Decode(&literal)
	return literal, err
}

// value writes a value that begins on a line with the given indentation.
func (l layout) value(value any, indent string) string {
	comma := ","
	if l.spaced {
		comma = ", "
	}
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case json.Number:
		return value.String()
	case []string:
		return l.value(plain(value), indent)
	case []any:
		items := mapped(value, func(one any) string { return l.value(one, indent+l.unit) })
		return "[" + strings.Join(items, comma) + "]"
	case Object:
		fields := mapped(value, func(field Field) string {
			return quote(field.Name) + l.colon() + l.value(field.Value, indent+l.unit)
		})
		if l.compact || len(fields) == 0 {
			return "{" + strings.Join(fields, comma) + "}"
		}
		inner := l.eol + indent + l.unit
		return "{" + inner + strings.Join(fields, ","+inner) + l.eol + indent + "}"
	}
	return quote(value.(string))
}
