package typings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// schema is a JSON Schema in the subset that the tools use. Unlike the type of
// the jsonschema package it keeps the order of properties when it is parsed.
// Its own JSON leaves out descriptions and is equal for schemas that mean the
// same.
type schema struct {
	Description string `json:"-"`

	Type        string
	Properties  []property
	Required    []string
	Items       *schema
	AnyOf       []*schema
	Definitions []property
	Reference   string // the name of a definition
	Enum        []string
	Constant    any // a string or a boolean; nil if there is none

	Default              json.RawMessage
	Format               string
	Minimum, Maximum     *float64
	MinLength, MaxLength *float64
	MinItems, MaxItems   *float64
}

// property is a member of properties or $defs.
type property struct {
	Name   string
	Schema *schema
}

// parseSchema parses a schema. An unknown keyword is an error.
func parseSchema(raw json.RawMessage) (*schema, error) {
	keywords, err := members(raw)
	if err != nil {
		return nil, err
	}
	s := &schema{}
	for _, k := range keywords {
		if err := s.read(k.name, k.value); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return s, nil
}

func (s *schema) read(keyword string, value json.RawMessage) (err error) {
	switch keyword {
	case "type":
		return json.Unmarshal(value, &s.Type)
	case "description":
		return json.Unmarshal(value, &s.Description)
	case "properties":
		s.Properties, err = parseProperties(value)
	case "$defs":
		s.Definitions, err = parseProperties(value)
	case "required":
		return json.Unmarshal(value, &s.Required)
	case "items":
		s.Items, err = parseSchema(value)
	case "anyOf":
		var shapes []json.RawMessage
		if err := json.Unmarshal(value, &shapes); err != nil {
			return err
		}
		for i, raw := range shapes {
			shape, err := parseSchema(raw)
			if err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
			s.AnyOf = append(s.AnyOf, shape)
		}
	case "$ref":
		var reference string
		if err := json.Unmarshal(value, &reference); err != nil {
			return err
		}
		name, ok := bytes.CutPrefix([]byte(reference), []byte("#/$defs/"))
		if !ok {
			return fmt.Errorf("%q does not point into $defs", reference)
		}
		s.Reference = string(name)
	case "enum":
		return json.Unmarshal(value, &s.Enum)
	case "const":
		if err := json.Unmarshal(value, &s.Constant); err == nil && s.Constant == nil {
			return errors.New("null is no value that anything has")
		}
	case "default":
		s.Default = value
	case "format":
		return json.Unmarshal(value, &s.Format)
	case "minimum":
		return json.Unmarshal(value, &s.Minimum)
	case "maximum":
		return json.Unmarshal(value, &s.Maximum)
	case "minLength":
		return json.Unmarshal(value, &s.MinLength)
	case "maxLength":
		return json.Unmarshal(value, &s.MaxLength)
	case "minItems":
		return json.Unmarshal(value, &s.MinItems)
	case "maxItems":
		return json.Unmarshal(value, &s.MaxItems)
	default:
		return errors.New("types for this keyword are not known")
	}
	return err
}

func parseProperties(raw json.RawMessage) ([]property, error) {
	named, err := members(raw)
	if err != nil {
		return nil, err
	}
	properties := []property{} // not nil, to tell an object without properties
	for _, n := range named {
		s, err := parseSchema(n.value)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", n.name, err)
		}
		properties = append(properties, property{n.name, s})
	}
	return properties, nil
}

// property returns the schema of a property, or nil if there is none.
func (s *schema) property(name string) *schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// requires reports whether a property is required.
func (s *schema) requires(name string) bool { return slices.Contains(s.Required, name) }

// fixed returns the possible values of a string, or nil if all are possible.
func (s *schema) fixed() []string {
	if text, ok := s.Constant.(string); ok {
		return []string{text}
	}
	return s.Enum
}

// refers reports whether the schema contains a $ref.
func (s *schema) refers() bool {
	return s.Reference != "" || s.Items != nil && s.Items.refers() ||
		slices.ContainsFunc(s.Properties, func(p property) bool { return p.Schema.refers() })
}

// canonical returns a text that is equal for schemas that mean the same.
func (s *schema) canonical() string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a parsed schema always encodes
	}
	return string(raw)
}

// member is a key of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in order.
func members(raw json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil {
		return nil, err
	} else if token != json.Delim('{') {
		return nil, fmt.Errorf("want an object, not %.40s", raw)
	}
	var found []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: token.(string)} // the decoder accepts no other keys
		if slices.ContainsFunc(found, func(other member) bool { return other.name == m.name }) {
			return nil, fmt.Errorf("the key %q stands there twice", m.name)
		}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more behind the object")
	}
	return found, nil
}
