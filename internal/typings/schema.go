package typings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// schema is a JSON Schema in the subset that the tools use. Unlike the type of
// the jsonschema package it keeps the order of properties when it is parsed.
// Its own JSON leaves out descriptions and is equal for schemas that mean the
// same.
type schema struct {
	Description string `json:"-"`

	Type        string
	Properties  properties
	Required    []string
	Items       *schema
	AnyOf       []*schema
	Definitions properties
	Reference   string // the name of a definition
	Enum        []string
	Constant    any // a string or a boolean; nil if there is none

	Default              json.RawMessage
	TellsFalse           bool // see [Tool]
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

// UnmarshalJSON implements json.Unmarshaler. An unknown keyword is an error.
func (s *schema) UnmarshalJSON(raw []byte) error {
	keywords, err := members(raw)
	if err != nil {
		return err
	}
	known := map[string]any{
		"type": &s.Type, "description": &s.Description, "properties": &s.Properties, "required": &s.Required,
		"items": &s.Items, "anyOf": &s.AnyOf, "$defs": &s.Definitions, "$ref": &s.Reference,
		"enum": &s.Enum, "const": &s.Constant, "default": &s.Default, "format": &s.Format,
		"minimum": &s.Minimum, "maximum": &s.Maximum, "minLength": &s.MinLength, "maxLength": &s.MaxLength, "minItems": &s.MinItems, "maxItems": &s.MaxItems,
	}
	for _, k := range keywords {
		field, ok := known[k.name]
		if !ok {
			return fmt.Errorf("%s: types for this keyword are not known", k.name)
		}
		if string(k.value) == "null" && k.name != "default" { // encoding/json would take it for absent
			return fmt.Errorf("%s: null is no value that anything has", k.name)
		}
		if err := json.Unmarshal(k.value, field); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if k.name == "$ref" {
			if s.Reference, ok = strings.CutPrefix(s.Reference, "#/$defs/"); !ok {
				return fmt.Errorf("%s: %q does not point into $defs", k.name, s.Reference)
			}
		}
	}
	if slices.Contains(s.AnyOf, nil) {
		return errors.New("anyOf: want an object, not null")
	}
	return nil
}

// properties are the members of properties or $defs, in order. Not nil, they
// may be empty: an object without properties.
type properties []property

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(raw []byte) error {
	named, err := members(raw)
	if err != nil {
		return err
	}
	*p = properties{}
	for _, n := range named {
		s := &schema{}
		if err := s.UnmarshalJSON(n.value); err != nil {
			return fmt.Errorf("%q: %w", n.name, err)
		}
		*p = append(*p, property{n.name, s})
	}
	return nil
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
