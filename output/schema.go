package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf returns the JSON Schema (draft 2020-12) for the JSON encoding of
// type t. It keeps to the portable subset that AI clients and model APIs
// accept: plain types, no null unions, no boolean schemas. A recursive type
// becomes a definition under $defs.
//
// The description of a struct field is its jsonschema tag. These tags are
// supported as well: minimum, maximum, minLength, maxLength, minItems, maxItems
// (numbers), default and const (JSON values, or bare strings for string
// fields), format, and enum (comma-separated strings; for a list they apply to
// its items).
//
// Types that JSON Schema cannot describe and tags that do not fit their field
// are errors.
func SchemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
	}
	recursive := recursiveTypes(t, nil)
	for _, r := range recursive {
		types[r] = &jsonschema.Schema{Ref: "#/$defs/" + definitionName(r)}
	}
	schema, err := reflectSchema(t, types)
	if err != nil {
		return nil, err
	}
	for _, r := range recursive {
		// Reflect an unnamed type with the same fields: the named type is
		// already mapped to a reference to this definition.
		definition, err := reflectSchema(reflect.StructOf(reflect.VisibleFields(r)), types)
		if err != nil {
			return nil, err
		}
		if schema.Defs == nil {
			schema.Defs = map[string]*jsonschema.Schema{}
		}
		schema.Defs[definitionName(r)] = definition
	}
	return schema, nil
}

func reflectSchema(t reflect.Type, types map[reflect.Type]*jsonschema.Schema) (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, fmt.Errorf("reflect the schema of %s: %w", t, err)
	}
	if err := refine(t, schema); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	return schema, nil
}

func definitionName(t reflect.Type) string {
	return strings.ToLower(t.Name()[:1]) + t.Name()[1:]
}

// recursiveTypes returns the recursive struct types in t. path contains the
// types that t is part of.
func recursiveTypes(t reflect.Type, path []reflect.Type) []reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	if slices.Contains(path, t) {
		return []reflect.Type{t}
	}
	var found []reflect.Type
	for field := range t.Fields() {
		if !field.IsExported() && !field.Anonymous {
			continue
		}
		for _, r := range recursiveTypes(field.Type, append(path, t)) {
			if !slices.Contains(found, r) {
				found = append(found, r)
			}
		}
	}
	return found
}

// refine makes a reflected schema portable and applies the tags of t's fields.
func refine(t reflect.Type, schema *jsonschema.Schema) error {
	if len(schema.Types) == 2 && schema.Types[0] == "null" {
		schema.Type, schema.Types = schema.Types[1], nil
	}
	if schema.Ref != "" {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return refine(t.Elem(), schema)
	case reflect.Interface:
		return fmt.Errorf("an interface has no schema")
	case reflect.Slice, reflect.Array:
		return refine(t.Elem(), schema.Items)
	case reflect.Map:
		return refine(t.Elem(), schema.AdditionalProperties)
	case reflect.Struct:
		if schema.Type != "object" {
			return nil // a struct with another JSON encoding, such as time.Time
		}
		schema.AdditionalProperties = nil // keys may be added later
		if schema.Properties == nil {
			schema.Properties = map[string]*jsonschema.Schema{}
		}
		for _, field := range reflect.VisibleFields(t) {
			property := schema.Properties[jsonName(field)]
			if property == nil || field.Anonymous {
				continue
			}
			if err := refine(field.Type, property); err != nil {
				return fmt.Errorf("field %s: %w", field.Name, err)
			}
			if err := applyTags(field.Tag, property); err != nil {
				return fmt.Errorf("field %s: %w", field.Name, err)
			}
		}
	}
	return nil
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" {
		return field.Name
	}
	return name
}

func applyTags(tag reflect.StructTag, schema *jsonschema.Schema) error {
	for name, target := range map[string]any{
		"minimum": &schema.Minimum, "maximum": &schema.Maximum,
		"minLength": &schema.MinLength, "maxLength": &schema.MaxLength, "minItems": &schema.MinItems, "maxItems": &schema.MaxItems,
	} {
		if err := applyTag(tag, name, "number", target); err != nil {
			return err
		}
	}
	schema.Format = cmp.Or(tag.Get("format"), schema.Format)
	if value, ok := tag.Lookup("enum"); ok {
		of := schema
		if schema.Type == "array" {
			of = schema.Items
		}
		if of.Type != "string" {
			return fmt.Errorf("tag enum: only strings can be enumerated, not %q", of.Type)
		}
		for item := range strings.SplitSeq(value, ",") {
			of.Enum = append(of.Enum, item)
		}
	}
	for name, target := range map[string]any{"const": &schema.Const, "default": &schema.Default} {
		if err := applyTag(tag, name, schema.Type, target); err != nil {
			return err
		}
	}
	return nil
}

// applyTag decodes the value of a tag into target, if there is one. It is JSON of
// the given schema type, or a bare string.
func applyTag(tag reflect.StructTag, name, schemaType string, target any) error {
	value, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	literal := []byte(value)
	if schemaType == "string" {
		literal, _ = json.Marshal(value) // a string always encodes
	}
	if err := json.Unmarshal(literal, target); err != nil {
		return fmt.Errorf("tag %s: %q is no JSON %s: %w", name, value, schemaType, err)
	}
	return nil
}
