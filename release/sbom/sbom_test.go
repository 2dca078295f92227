package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestADocumentListsWhatAProgramIsMadeOf(t *testing.T) {
	folder := t.TempDir()
	program, first, second := filepath.Join(folder, "program"), filepath.Join(folder, "1.json"), filepath.Join(folder, "2.json")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/outline-mcp")
	build.Dir = "../.."
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, output)
	}
	for _, document := range []string{first, second} {
		if err := run([]string{"1.2.3", program, document}); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(second); err != nil || !bytes.Equal(raw, again) {
		t.Errorf("the same program was described in another way: %v", err)
	}
	var document cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(raw), cdx.BOMFileFormatJSON).Decode(&document); err != nil {
		t.Fatal(err)
	}
	if program := document.Metadata.Component; program.Version != "1.2.3" || program.Name != "outline-mcp" {
		t.Errorf("%+v", program)
	}
	listed := map[string]bool{}
	for _, component := range *document.Components {
		listed[component.PackageURL] = true
	}
	for _, want := range required(t) {
		if !listed[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if links := (*document.Dependencies)[0]; len(*links.Dependencies) != len(listed) {
		t.Errorf("%d of %d components are in the graph", len(*links.Dependencies), len(listed))
	}
}

// required returns what the program must always have: the library of the
// protocol in the version that go.mod says, and Go itself.
func required(t *testing.T) []string {
	t.Helper()
	const library = "github.com/mark3labs/mcp-go"
	list := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = "../.."
		output, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(output))
	}
	return []string{
		"pkg:golang/" + library + "@" + list("list", "-m", "-f", "{{.Version}}", library) + "?type=module",
		"pkg:golang/std@" + strings.TrimPrefix(list("env", "GOVERSION"), "go") + "?type=module",
	}
}

func TestWhatIsNoGoProgramIsRefused(t *testing.T) {
	document := filepath.Join(t.TempDir(), "document.json")
	if err := run([]string{"1.2.3", "main.go", document}); err == nil {
		t.Error("main.go was described")
	}
	if _, err := os.Stat(document); !os.IsNotExist(err) {
		t.Errorf("a document was written: %v", err)
	}
}
