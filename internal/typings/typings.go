// Package typings generates types for the arguments and results of tools in
// other languages, from the JSON Schemas in the list of tools alone.
//
// It supports the keywords that these schemas use. Any other keyword is an
// error: types that ignore it would accept wrong values.
package typings

import (
	"encoding/json"
	"fmt"
)

// Tool is the description of a tool in tools/list.
//
// A type that several tools share is named after what they have in common, so
// names depend on all the tools that are given. To generate the types of some
// tools of a program, give all of them and set Omit on the rest: the result is
// then, word for word, a part of the result for all.
type Tool struct {
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	TellsFalse   []string // arguments for which false means something other than that they are left out
	Omit         bool     // the tool takes part in names, and its types are not written
}

// TypeScript returns a module with an interface for each type of arguments and
// results, and Tools, which maps the name of a tool to both. It has no imports
// and compiles to nothing.
func TypeScript(tools []Tool) ([]byte, error) {
	return generate(tools, camelCase, "TypeScript", writeTypeScript)
}

// Python returns a module with a TypedDict for each type of arguments and
// results. It needs Python 3.11 and its standard library.
//
// A property without a name is an error.
func Python(tools []Tool) ([]byte, error) { return generate(tools, camelCase, "Python", writePython) }

// Go returns a formatted file of package outline with a struct for each type of
// arguments and results. Decoding is as strict as the schemas. The file needs
// Go 1.24 and its standard library.
//
// A property whose name encoding/json cannot write is an error.
func Go(tools []Tool) ([]byte, error) { return generate(tools, goCase, "Go", writeGo) }

// generate writes the types of tools in a language, with names that join makes
// of words.
func generate(tools []Tool, join func([]string) string, language string, write func(*model) ([]byte, error)) ([]byte, error) {
	m, err := newModel(tools, join)
	if err != nil {
		return nil, err
	}
	raw, err := write(m)
	if err != nil {
		return nil, fmt.Errorf("write the types in %s: %w", language, err)
	}
	return raw, nil
}
