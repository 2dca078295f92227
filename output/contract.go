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

// Contract is what one tool promises about its structured content: the
// outputSchema that it lists, and the check of an answer against it.
type Contract struct {
	tool    string
	writes  bool
	compile func() (*validator.Schema, error)
}

// NewContract returns the contract of a tool with the given outputSchema.
// writes says that the tool changes the workspace.
//
// It costs nothing: the schema is asked for and compiled with the first check.
// Nobody needs it while structured output is off, and AI clients wait for the
// server with every start.
func NewContract(tool string, writes bool, schema func() (json.RawMessage, error)) *Contract {
	return &Contract{tool, writes, sync.OnceValues(func() (*validator.Schema, error) {
		raw, err := schema()
		if err != nil {
			return nil, err
		}
		return compileSchema(raw)
	})}
}

// ContractSchema returns the outputSchema of a tool whose successes have the
// given types and whose failures are Failure or one of the given types.
// arguments are the names of what it takes, from which a failure has its IDs.
//
// The schema has an object at its root and an anyOf of all shapes below, as
// clients validate failures too (MCP specification, server/tools, Output
// Schema: results must conform). A type that JSON Schema cannot describe is an
// error.
func ContractSchema(arguments []string, successes, failures []reflect.Type) (json.RawMessage, error) {
	root, err := contractSchema(arguments, successes, failures)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("encode the output schema: %w", err)
	}
	return raw, nil
}

// contractSchema makes the schema of a contract.
func contractSchema(arguments []string, successes, failures []reflect.Type) (*jsonschema.Schema, error) {
	root := &jsonschema.Schema{Type: "object"}
	plain, err := failureShape()
	if err != nil {
		return nil, err
	}
	covered := false // a shape of a failure holds the plain one, too
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
		shape.Defs, shape.Type = nil, "" // the root says that it is an object
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

// withIDsOf returns the shape of a failure without the IDs that are not among
// names: they cannot be told of a tool that has nothing to do with them.
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

// failureShape is the shape that all contracts share, reflected once.
var failureShape = sync.OnceValues(func() (*jsonschema.Schema, error) {
	shape, err := SchemaOf(reflect.TypeFor[Failure]())
	if err == nil {
		shape.Type = ""
	}
	return shape, err
})

// Check holds structured content against the schema, formats included.
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

// compileSchema asserts formats, which JSON Schema 2020-12 leaves to the
// validator: strict clients do, so a bad date must not leave the server.
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
