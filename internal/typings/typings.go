// Package typings writes the types of the tools' arguments and results for
// programs in other languages, from the JSON Schemas that the tools list and
// from nothing else.
//
// It knows the keywords that these schemas use. Another one is an error: a type
// that leaves something out would let wrong values pass.
package typings

import (
	"encoding/json"
	"fmt"
)

// Tool is what one tool says of itself in tools/list.
//
// A type that several tools have is named after what they have in common, so
// names depend on all the tools that are given. To write the types of some of a
// program's tools, give all of them, with Omit for the rest: what is written is
// then part of what is written for all, word for word.
type Tool struct {
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Omit         bool // the tool takes part in names, and its types are not written
}

// TypeScript returns a module with an interface for everything that the tools
// take and answer, and Tools, which maps a tool's name to both. It has no
// imports and leaves nothing behind when it is compiled.
func TypeScript(tools []Tool) ([]byte, error) {
	m, err := newModel(tools, camelCase)
	if err != nil {
		return nil, err
	}
	return writeTypeScript(m), nil
}

// Python returns a module with a TypedDict for everything that the tools take
// and answer. It needs Python 3.11 and its standard library.
//
// A property without a name is an error.
func Python(tools []Tool) ([]byte, error) {
	m, err := newModel(tools, camelCase)
	if err != nil {
		return nil, err
	}
	raw, err := writePython(m)
	if err != nil {
		return nil, fmt.Errorf("write the types in Python: %w", err)
	}
	return raw, nil
}

// Go returns a file of package outline, formatted, with a struct for everything
// that the tools take and answer. Decoding is as strict as the schemas are. The
// file needs Go 1.24 and its standard library.
//
// A property whose name encoding/json cannot write is an error.
func Go(tools []Tool) ([]byte, error) {
	m, err := newModel(tools, goCase)
	if err != nil {
		return nil, err
	}
	raw, err := writeGo(m)
	if err != nil {
		return nil, fmt.Errorf("write the types in Go: %w", err)
	}
	return raw, nil
}
