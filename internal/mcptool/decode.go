package mcptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/text"
	"outline-mcp/output"
)

// decode reads the arguments of a call according to the input schema. An
// unknown, missing or impossible argument is an error that names it. Because
// models send all of these, it accepts a number or boolean in a string, a list
// in a string, a single value for a list, and an empty string, or null as text, for
// an absent argument.
//
// With an error, it also returns the arguments as they were given.
func decode(ctx context.Context, object *jsonschema.Schema, request mcp.CallToolRequest) (json.RawMessage, givenArguments, error) {
	given, err := argumentsOf(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	if _, err := wire.Values(given); err != nil {
		return nil, nil, output.Invalid("the arguments cannot be read: %s. Send less at a time.", err)
	}
	var c coercion
	clean := c.object("", object, given)
	if len(c.complaints) > 0 {
		told := strings.Join(c.complaints, "; ")
		if more := c.count - len(c.complaints); more > 0 {
			told += fmt.Sprintf("; and %d more", more)
		}
		if c.unknown != nil {
			told += ". " + describeArguments(c.unknown)
		}
		return nil, c.given, output.Invalid("%s", strings.TrimSuffix(told, ".")+".")
	}
	return clean, c.given, nil
}

// readArguments reads checked arguments into in, a pointer to a struct, and
// lets it check whether they can be combined.
func readArguments(clean json.RawMessage, in any) error {
	if err := json.Unmarshal(clean, in); err != nil {
		return fmt.Errorf("read the checked arguments: %w", err)
	}
	if v, ok := in.(interface{ Validate() error }); ok {
		return Validate(v)
	}
	return nil
}

// Validate returns the failure for arguments that cannot be combined, or nil if
// they can.
func Validate(in interface{ Validate() error }) error {
	err := in.Validate()
	if _, ok := errors.AsType[output.Failure](err); ok || err == nil {
		return err
	}
	return output.Invalid("%s", err)
}

// argumentsOf returns a call's arguments. Some clients send "" or null if there
// are none, or the object as a string.
func argumentsOf(ctx context.Context, request mcp.CallToolRequest) (json.RawMessage, error) {
	raw := bytes.TrimSpace(wire.Arguments(ctx))
	if len(raw) == 0 {
		raw = bytes.TrimSpace(request.Params.RawArguments)
	}
	if len(raw) == 0 && request.Params.Arguments != nil {
		var err error
		if raw, err = json.Marshal(request.Params.Arguments); err != nil {
			return nil, fmt.Errorf("encode the arguments: %w", err)
		}
	}
	text, isText := textOf(raw)
	if isText {
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil
	}
	if raw[0] != '{' || isText && !json.Valid(raw) { // any other JSON was valid as part of the message
		return nil, output.Invalid("the arguments must be a JSON object")
	}
	return raw, nil
}

// coercion converts arguments to the types of a schema, and collects complaints
// about those that it cannot convert.
type coercion struct {
	given      givenArguments
	complaints []string           // the first few
	count      int                // of all
	unknown    *jsonschema.Schema // the first object with an argument that it does not have
}

// maxComplaints limits the number of complaints that are shown in full.
const maxComplaints = 5

func (c *coercion) complain(format string, args ...any) json.RawMessage {
	if c.count++; c.count <= maxComplaints {
		c.complaints = append(c.complaints, fmt.Sprintf(format, args...))
	}
	return nil
}

// value returns raw as schema wants it, or complains. name is how the caller
// knows the value: an argument or a part of one.
func (c *coercion) value(name string, schema *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	switch schema.Type {
	case "string":
		return c.text(name, schema, raw)
	case "integer", "number":
		return c.number(name, schema, raw)
	case "boolean":
		return c.boolean(name, raw)
	case "array":
		return c.list(name, schema, raw)
	default:
		return c.object(name, schema, raw)
	}
}

func (c *coercion) object(name string, schema *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	if text, ok := textOf(raw); ok {
		raw = json.RawMessage(text)
		if _, err := wire.Values(raw); err != nil {
			return c.complain("%s cannot be read: %s", name, err)
		}
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return c.complain("%s must be an object, not %s", name, show(raw))
	}
	if name == "" {
		c.given = given
	}
	within := func(key string) string {
		if name == "" {
			return key
		}
		return name + "." + key
	}
	if name == "" {
		maps.DeleteFunc(given, func(key string, _ json.RawMessage) bool { return slices.Contains(ofClients(), key) })
	}
	for other, key := range otherNames() {
		if value, is := given[other]; is && given[key] == nil && schema.Properties[key] != nil && schema.Properties[other] == nil {
			given[key] = value
			delete(given, other)
		}
	}
	for _, key := range unknownNames(schema, given) {
		c.unknown = cmp.Or(c.unknown, schema)
		c.complain("unknown argument %q", output.Excerpt(within(key), 60))
	}
	clean := []byte{'{'}
	keep := func(key string, value json.RawMessage) {
		if len(clean) > 1 {
			clean = append(clean, ',')
		}
		clean = append(append(strconv.AppendQuote(clean, key), ':'), value...) // keys are identifiers
	}
	for _, key := range schema.PropertyOrder {
		property := schema.Properties[key]
		value := bytes.TrimSpace(given[key])
		isText := len(value) > 0 && value[0] == '"'
		if !slices.Contains(schema.Required, key) && isNull(value) && !(string(value) == `"None"` && strings.HasSuffix(property.Description, "or none")) {
			value, isText = nil, false
		}
		switch {
		case isText && property.MinLength != nil && *property.MinLength == 0:
			keep(key, c.text(within(key), property, value)) // the schema says that it may be blank
		case len(value) == 0 || string(value) == "null" || isBlank(value):
			if slices.Contains(schema.Required, key) && isText {
				c.complain("%s must not be blank%s", within(key), hint(property))
			} else if slices.Contains(schema.Required, key) {
				c.complain("missing argument %q%s", within(key), hint(property))
			} else if property.Default != nil {
				keep(key, property.Default)
			}
		default:
			keep(key, c.value(within(key), property, value))
		}
	}
	if len(c.complaints) > 0 {
		return nil
	}
	return append(clean, '}')
}

func (c *coercion) text(name string, schema *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	// A text is decoded when the tool reads it. It is at least as long in JSON.
	if raw[0] == '"' && schema.Enum == nil && (schema.MaxLength == nil || len(raw)-len(`""`) <= *schema.MaxLength) {
		return raw
	}
	text, ok := textOf(raw)
	if !ok {
		if _, isNumber := numberOf(string(raw)); !isNumber {
			return c.complain("%s must be text, not %s", name, show(raw))
		}
		text = string(raw)
	}
	if schema.MaxLength != nil && utf8.RuneCountInString(text) > *schema.MaxLength {
		return c.complain("%s must be at most %d characters long, not %d", name, *schema.MaxLength, utf8.RuneCountInString(text))
	}
	if schema.Enum != nil {
		for _, choice := range schema.Enum {
			if strings.EqualFold(choice.(string), strings.TrimSpace(text)) {
				return quote(choice.(string))
			}
		}
		return c.complain("%s must be %s, not %s", name, choices(schema), show(raw))
	}
	return quote(text)
}

func (c *coercion) number(name string, schema *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	literal := string(raw)
	if text, ok := textOf(raw); ok {
		literal = strings.TrimSpace(text)
	}
	number, ok := numberOf(literal)
	whole := number == math.Trunc(number) && math.Abs(number) < 1<<53
	switch {
	case schema.Type == "integer" && (!ok || !whole):
		return c.complain("%s must be a whole number%s, not %s", name, bounds(schema), show(raw))
	case !ok, schema.Minimum != nil && number < *schema.Minimum, schema.Maximum != nil && number > *schema.Maximum:
		return c.complain("%s must be a number%s, not %s", name, bounds(schema), show(raw))
	case schema.Type == "integer":
		return strconv.AppendInt(nil, int64(number), 10)
	}
	return json.RawMessage(literal)
}

func (c *coercion) boolean(name string, raw json.RawMessage) json.RawMessage {
	literal := string(raw)
	if text, ok := textOf(raw); ok {
		literal = text
	}
	value, ok := text.ParseBool(literal)
	if !ok {
		return c.complain("%s must be true or false, not %s", name, show(raw))
	}
	return json.RawMessage(strconv.FormatBool(value))
}

func (c *coercion) list(name string, schema *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	if text, ok := textOf(raw); ok && strings.HasPrefix(strings.TrimSpace(text), "[") && json.Valid([]byte(text)) {
		raw = json.RawMessage(text)
		if _, err := wire.Values(raw); err != nil {
			return c.complain("%s cannot be read: %s", name, err)
		}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		items = []json.RawMessage{raw}
	}
	if schema.MinItems != nil && len(items) < *schema.MinItems || schema.MaxItems != nil && len(items) > *schema.MaxItems {
		return c.complain("%s must have %s, not %d", name, itemBounds(schema), len(items))
	}
	before := c.count
	for i, item := range items {
		if isBlank(item) {
			c.complain("%s[%d] must not be blank", name, i)
			continue
		}
		items[i] = c.value(fmt.Sprintf("%s[%d]", name, i), schema.Items, item)
	}
	if c.count > before {
		return nil
	}
	encoded, _ := json.Marshal(items) // the parts of valid JSON always encode
	return encoded
}

// isBlank reports whether JSON is a text without anything but white space.
func isBlank(raw json.RawMessage) bool {
	if len(raw) > 1 && raw[0] == '"' && raw[1] > ' ' && raw[1] < utf8.RuneSelf && raw[1] != '"' && raw[1] != '\\' {
		return false // most texts: not decoded for this alone
	}
	text, ok := textOf(raw)
	return ok && strings.TrimSpace(text) == ""
}

// ofClients returns the arguments that clients add to those of a tool: Gemini CLI 0.61 puts
// wait_for_previous into the schema of each tool, and sends it.
func ofClients() []string { return []string{"wait_for_previous"} }

// otherNames returns the names under which other tools of the field know an argument, which
// models use here as well.
func otherNames() map[string]string {
	return map[string]string{"old_string": "old_text", "new_string": "new_text", "replace_all": "all_occurrences"}
}

// isNull reports whether JSON is null as text, alone or as the only entry of a list, which
// models send for an argument that they leave out.
func isNull(raw json.RawMessage) bool {
	if inside, ok := bytes.CutPrefix(raw, []byte("[")); ok {
		raw = bytes.TrimSpace(bytes.TrimSuffix(inside, []byte("]")))
	}
	return slices.Contains([]string{`"null"`, `"None"`, `"undefined"`}, string(raw))
}

func textOf(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var text string
	return text, json.Unmarshal(raw, &text) == nil
}

// numberOf parses a number in JSON syntax, and no other syntax of Go.
func numberOf(literal string) (float64, bool) {
	var number json.Number
	if strings.HasPrefix(literal, `"`) || json.Unmarshal([]byte(literal), &number) != nil {
		return 0, false
	}
	value, err := number.Float64()
	return value, err == nil
}

func quote(text string) json.RawMessage {
	encoded, _ := json.Marshal(text) // a string always encodes
	return encoded
}

// show returns a value for a complaint, shortened.
func show(raw json.RawMessage) string {
	return output.Excerpt(string(raw), 60)
}
