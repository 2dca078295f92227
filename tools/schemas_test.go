package tools_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// TestTheRecordedSchemasAreThoseOfTheTypes comes before the other golden files,
// which are made from the recorded schemas.
func TestTheRecordedSchemasAreThoseOfTheTypes(t *testing.T) {
	var files []string
	record := func(name string, schema []byte) {
		path := filepath.Join("schemas", name)
		golden(t, path, schema)
		files = append(files, path)
	}
	// Without recorded schemas they are made from the types.
	reflected, err := mcptool.Bind(tools.All(), mcptool.Deps{Render: output.Renderer{Structured: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range reflected {
		record(tool.Name+".input.json", tool.Definition().RawInputSchema)
		record(tool.Name+".output.json", tool.Definition().RawOutputSchema)
	}
	found, err := filepath.Glob("schemas/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if slices.Contains(files, path) {
			continue
		}
		if !*update {
			t.Errorf("%s belongs to no tool", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}
