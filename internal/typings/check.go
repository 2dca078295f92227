package typings

import (
	"errors"
	"fmt"
	"slices"
)

// check returns an error for a schema that has no type in all three languages,
// or that a type would not express completely. The definitions are those under
// $defs of its root.
func (s *schema) check(definitions []property) error {
	if len(s.AnyOf) > 0 || s.Definitions != nil {
		return errors.New("anyOf and $defs are known at the root of an output schema only")
	}
	if s.Reference != "" {
		if s.Type != "" || s.Properties != nil || s.Items != nil || s.Enum != nil || s.Constant != nil {
			return errors.New("a $ref with other keywords beside it")
		}
		if !slices.ContainsFunc(definitions, func(d property) bool { return d.Name == s.Reference }) {
			return fmt.Errorf("$ref to %q, which is not under $defs", s.Reference)
		}
		return nil
	}
	if s.Type != "object" && (s.Properties != nil || s.Required != nil) {
		return fmt.Errorf("properties of a %q", s.Type)
	}
	if s.Type != "array" && s.Items != nil {
		return fmt.Errorf("items of a %q", s.Type)
	}
	if s.Type != "string" && (s.Enum != nil || s.Format != "") {
		return fmt.Errorf("enum or format of a %q", s.Type)
	}
	switch s.Type {
	case "object":
		return s.checkObject(definitions)
	case "array":
		if s.Items == nil {
			return errors.New("a list without items")
		}
		if err := s.Items.check(definitions); err != nil {
			return fmt.Errorf("items: %w", err)
		}
	case "string", "integer", "number", "boolean":
	case "":
		return errors.New("no type")
	default:
		return fmt.Errorf("the type %q is not known", s.Type)
	}
	return s.checkValues()
}

func (s *schema) checkObject(definitions []property) error {
	if s.Properties == nil {
		return errors.New("an object without properties")
	}
	for _, name := range s.Required {
		if s.property(name) == nil {
			return fmt.Errorf("%q is required and not among the properties", name)
		}
	}
	for _, p := range s.Properties {
		if err := p.Schema.check(definitions); err != nil {
			return fmt.Errorf("%q: %w", p.Name, err)
		}
	}
	return s.checkValues()
}

// checkValues returns an error for constants of other types, and for enums that
// are empty, repeat a value or contain the empty string, which means no value
// in Go.
func (s *schema) checkValues() error {
	if s.Enum != nil {
		different := slices.Compact(slices.Sorted(slices.Values(s.Enum)))
		if len(different) == 0 || len(different) != len(s.Enum) || different[0] == "" {
			return fmt.Errorf("enum %q is empty, repeats a value or holds the empty text", s.Enum)
		}
	}
	switch constant := s.Constant.(type) {
	case nil:
		return nil
	case string:
		if s.Type == "string" && constant != "" && s.Enum == nil {
			return nil
		}
	case bool:
		if s.Type == "boolean" {
			return nil
		}
	}
	return fmt.Errorf("the constant %v of a %q", s.Constant, s.Type)
}
