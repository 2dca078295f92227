package mcptool

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/output"
)

// schemas are the two schemas of a tool.
type schemas struct {
	declaration
	files  fs.FS
	object func() (*jsonschema.Schema, error) // of the arguments
}

// schemasOf returns the schemas of a tool. Those of which files has none are
// made from its types.
func schemasOf(d declaration, files fs.FS) schemas {
	return schemas{d, files, sync.OnceValues(func() (*jsonschema.Schema, error) { return argumentsSchema(d.arguments) })}
}

func argumentsSchema(t reflect.Type) (*jsonschema.Schema, error) {
	object, err := output.SchemaOf(t)
	if err != nil {
		return nil, err
	}
	if object.Type != "object" || len(object.Defs) > 0 {
		return nil, fmt.Errorf("arguments are an object that does not contain itself, not %s", t)
	}
	return object, nil
}

// input returns the inputSchema of the tool.
func (s schemas) input() (json.RawMessage, error) {
	return s.encoded("input", func(object *jsonschema.Schema) (json.RawMessage, error) { return json.Marshal(object) })
}

// output returns the outputSchema of the tool.
func (s schemas) output() (json.RawMessage, error) {
	return s.encoded("output", func(object *jsonschema.Schema) (json.RawMessage, error) {
		return output.ContractSchema(object.PropertyOrder, s.successes, s.failures)
	})
}

// encoded returns the schema that was recorded when the program was made, or else
// makes it from the schema of the arguments.
func (s schemas) encoded(kind string, encode func(*jsonschema.Schema) (json.RawMessage, error)) (json.RawMessage, error) {
	if s.files != nil {
		if raw, err := fs.ReadFile(s.files, path.Join("schemas", s.Name+"."+kind+".json")); err == nil {
			return raw, nil
		}
	}
	object, err := s.object()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	raw, err := encode(object)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	return raw, nil
}
