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
	if raw, ok := s.recorded("input"); ok {
		return raw, nil
	}
	object, err := s.object()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("tool %s: encode the input schema: %w", s.Name, err)
	}
	return raw, nil
}

// output returns the outputSchema of the tool.
func (s schemas) output() (json.RawMessage, error) {
	if raw, ok := s.recorded("output"); ok {
		return raw, nil
	}
	object, err := s.object()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	raw, err := output.ContractSchema(object.PropertyOrder, s.successes, s.failures)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	return raw, nil
}

// recorded returns a schema that was recorded when the program was made.
func (s schemas) recorded(kind string) (json.RawMessage, bool) {
	if s.files == nil {
		return nil, false
	}
	raw, err := fs.ReadFile(s.files, path.Join("schemas", s.Name+"."+kind+".json"))
	return raw, err == nil
}
