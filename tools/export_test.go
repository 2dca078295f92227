package tools

import (
	"encoding/json"
	"testing/fstest"
)

// Reflect returns the schemas of a tool as its types give them.
func Reflect(t Tool) (input, output json.RawMessage, err error) {
	s := schemasOf(t.declaration(), fstest.MapFS{})
	if input, err = s.input(); err != nil {
		return nil, nil, err
	}
	output, err = s.output()
	return input, output, err
}
