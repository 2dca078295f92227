package tools_test

import (
	"fmt"
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
	// Without recorded schemas they are made from the types.
	reflected, err := mcptool.Bind(tools.All(), mcptool.Deps{Render: output.Renderer{Structured: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range reflected {
		path := filepath.Join("schemas", tool.Name+".jsonl")
		golden(t, path, fmt.Appendf(nil, "%s\n%s\n", tool.Definition().RawInputSchema, tool.Definition().RawOutputSchema))
		files = append(files, path)
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
