package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/jsonrpc"
	"outline-mcp/output"
)

// decode reads the arguments of a call according to the input schema. An
// unknown, missing or impossible argument is an error that names it. Because
// models send all of these, it accepts a number or boolean in a string, a list
// in a string, a single value for a list, and an empty string for an absent
// argument.
//
// With an error, it also returns the arguments as they were given.
func decode(ctx context.Context, object *jsonschema.Schema, request mcp.CallToolRequest) (json.RawMessage, givenArguments, error) {
	given, err := argumentsOf(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	if _, err := jsonrpc.Values(given); err != nil {
		return nil, nil, output.Invalid("the arguments cannot be read: %s. Send less at a time.", err)
	}
	var c coercion
	clean := c.object("", object, given)
	if len(c.complaints) > 0 {
		told := strings.Join(c.complaints, "; ")
		if more := c.count - len(c.complaints); more > 0 {
			told += fmt.Sprintf("; and %d more", more)
		}
		return nil, c.given, output.Invalid("%s. %s", told, describeArguments(object))
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
	raw := bytes.TrimSpace(jsonrpc.Arguments(ctx))
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

// describeArguments lists the arguments that a tool takes.
func describeArguments(object *jsonschema.Schema) string {
	if len(object.PropertyOrder) == 0 {
		return "This tool takes no arguments."
	}
	var names []string
	for _, name := range object.PropertyOrder {
		if slices.Contains(object.Required, name) {
			name += " (required)"
		}
		names = append(names, name)
	}
	return "Valid arguments: " + strings.Join(names, ", ") + "."
}

// unknownNames returns the keys of given that object does not have, sorted.
func unknownNames(object *jsonschema.Schema, given map[string]json.RawMessage) []string {
	var unknown []string
	for name := range given {
		if _, ok := object.Properties[name]; !ok {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
