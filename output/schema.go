package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
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

// Contract is the outputSchema of a tool, and the check of answers against it.
type Contract struct {
	tool    string
	writes  bool
	compile func() (*validator.Schema, error)
}

// NewContract returns the contract of a tool. writes says whether the tool
// changes the workspace.
//
// schema is called, and its result compiled, with the first check: the schema
// is not needed while structured output is off, and AI clients wait for the
// server to start.
func NewContract(tool string, writes bool, schema func() (*jsonschema.Schema, error)) *Contract {
	return &Contract{tool, writes, sync.OnceValues(func() (*validator.Schema, error) {
		object, err := schema()
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		return compileSchema(raw)
	})}
}

// ContractSchema returns the outputSchema of a tool with the given types of
// successes. Its failures are Failure or one of the given types, and contain
// only IDs that are among the tool's arguments or the properties of a success.
//
// The root of the schema is an object with an anyOf of all shapes. Failures are
// among them because results must conform to the schema (MCP specification,
// server/tools, Output Schema) and clients validate failures, too. A type that
// JSON Schema cannot describe is an error.
//
// Answers are checked against this schema, and types and documentation are made
// from it. tools/list has the shorter [ListedSchema].
func ContractSchema(arguments []string, successes, failures []reflect.Type) (*jsonschema.Schema, error) {
	root := &jsonschema.Schema{Type: "object"}
	plain, err := failureShape()
	if err != nil {
		return nil, err
	}
	covered := false // another failure has the same shape as the plain one
	for i, t := range slices.Concat(successes, failures) {
		shape, err := SchemaOf(t)
		if err != nil {
			return nil, err
		}
		if shape.Type != "object" {
			return nil, fmt.Errorf("structured content is an object, %s is %q", t, shape.Type)
		}
		for name, definition := range shape.Defs {
			if root.Defs == nil {
				root.Defs = map[string]*jsonschema.Schema{}
			}
			root.Defs[name] = definition
		}
		shape.Defs, shape.Type = nil, "" // the root has the type
		if i < len(successes) {
			arguments = slices.Concat(arguments, shape.PropertyOrder)
		} else {
			shape = withIDsOf(shape, arguments)
			covered = covered || slices.Equal(shape.Required, plain.Required)
		}
		root.AnyOf = append(root.AnyOf, shape)
	}
	if !covered {
		root.AnyOf = append(root.AnyOf, withIDsOf(plain, arguments))
	}
	return root, nil
}

// withIDsOf returns the shape of a failure with only those IDs that are in
// names: a tool cannot report other IDs.
func withIDsOf(failure *jsonschema.Schema, names []string) *jsonschema.Schema {
	shape := *failure
	shape.PropertyOrder = slices.DeleteFunc(slices.Clone(shape.PropertyOrder), func(name string) bool {
		return strings.HasSuffix(name, "_id") && !slices.Contains(names, name)
	})
	shape.Properties = map[string]*jsonschema.Schema{}
	for _, name := range shape.PropertyOrder {
		shape.Properties[name] = failure.Properties[name]
	}
	return &shape
}

// failureShape returns the shape of Failure, which all contracts share.
var failureShape = sync.OnceValues(func() (*jsonschema.Schema, error) {
	shape, err := SchemaOf(reflect.TypeFor[Failure]())
	if err == nil {
		shape.Type = ""
	}
	return shape, err
})

// Check validates structured content, including formats, against the schema.
func (c *Contract) Check(structured []byte) error {
	schema, err := c.compile()
	if err != nil {
		return err
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(structured))
	if err != nil {
		return fmt.Errorf("decode the structured content: %w", err)
	}
	return schema.Validate(value)
}

// compileSchema compiles a schema so that formats are validated. JSON Schema
// 2020-12 leaves that to the validator, and strict clients do it.
func compileSchema(raw json.RawMessage) (*validator.Schema, error) {
	document, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decode the output schema: %w", err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("output.json", document); err != nil {
		return nil, fmt.Errorf("load the output schema: %w", err)
	}
	schema, err := compiler.Compile("output.json")
	if err != nil {
		return nil, fmt.Errorf("compile the output schema: %w", err)
	}
	return schema, nil
}
