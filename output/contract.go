package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

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
