package typings_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/typings"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type writer func([]typings.Tool) ([]byte, error)

func readTools(t *testing.T, file string) []typings.Tool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var tools []typings.Tool
	if err := json.Unmarshal(raw, &tools); err != nil {
		t.Fatal(err)
	}
	return tools
}

// one returns a tool that takes and answers an object with one property.
func one(property, schema string) []typings.Tool {
	name, _ := json.Marshal(property)
	object := json.RawMessage(`{"type":"object","properties":{` + string(name) + `:` + schema + `}}`)
	return []typings.Tool{{Name: "tool", InputSchema: object, OutputSchema: object}}
}

// standardLibrary returns an importer of what the Go types import.
func standardLibrary(t testing.TB) types.Importer {
	t.Helper()
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "encoding/json", "errors", "fmt", "slices").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// checkGo holds a Go file against gofmt and the compiler.
func checkGo(t *testing.T, source []byte, imports types.Importer) {
	t.Helper()
	formatted, err := format.Source(source)
	if err != nil {
		t.Fatalf("%s\n%s", err, source)
	}
	if diff := cmp.Diff(string(formatted), string(source)); diff != "" {
		t.Errorf("gofmt writes it in another way (-gofmt +written):\n%s", diff)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "outline.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: imports, GoVersion: "go1.24"}
	if _, err := config.Check("outline", files, []*ast.File{file}, nil); err != nil {
		t.Errorf("%s\n%s", err, source)
	}
}

// The files that this test writes are compiled in test/types.
func TestHostileNamesAndTextsGiveTheRecordedTypes(t *testing.T) {
	for _, test := range []struct {
		tools, file string
		write       writer
	}{
		{"hostile.json", "hostile.ts", typings.TypeScript},
		{"hostile.json", "hostile.py", typings.Python},
		{"hostile.json", "hostile.go", typings.Go},
		{"quotes.json", "quotes.ts", typings.TypeScript},
		{"quotes.json", "quotes.py", typings.Python},
	} {
		t.Run(test.file, func(t *testing.T) {
			got, err := test.write(readTools(t, test.tools))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(test.file, ".go") {
				checkGo(t, got, standardLibrary(t))
			}
			path := filepath.Join("testdata", test.file)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%s (go generate ./... writes it)", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs (-file +now); go generate ./... rewrites it:\n%s", path, diff)
			}
		})
	}
}

func TestTheSameToolsGiveTheSameTypes(t *testing.T) {
	for name, write := range map[string]writer{"TypeScript": typings.TypeScript, "Python": typings.Python, "Go": typings.Go} {
		first, err := write(readTools(t, "hostile.json"))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if again, _ := write(readTools(t, "hostile.json")); !bytes.Equal(first, again) {
				t.Fatalf("%s: two runs differ:\n%s", name, cmp.Diff(string(first), string(again)))
			}
		}
	}
}

func TestEachToolAloneHasTheTypesThatItHasAmongAll(t *testing.T) {
	imports := standardLibrary(t)
	tools := readTools(t, "hostile.json")
	for name, write := range map[string]writer{"TypeScript": typings.TypeScript, "Python": typings.Python, "Go": typings.Go} {
		all, err := write(tools)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tools {
			alone := slices.Clone(tools)
			for j := range alone {
				alone[j].Omit = i != j
			}
			part, err := write(alone)
			if err != nil {
				t.Fatal(err)
			}
			if len(part) >= len(all) {
				t.Errorf("%s, %s: nothing is left out", name, tools[i].Name)
			}
			for block := range strings.SplitSeq(string(part), "\n\n") {
				block = strings.TrimSpace(block)
				if !strings.Contains(string(all), block) && !strings.Contains(block, "export interface Tools {") && !strings.HasPrefix(block, "from typing import") {
					t.Errorf("%s, %s: not among the types of all tools:\n%s", name, tools[i].Name, block)
				}
			}
			if name == "Go" {
				checkGo(t, part, imports)
			}
		}
	}
}

func TestGoRefusesKeysThatItCannotWrite(t *testing.T) {
	for _, key := range []string{"", `say "this"`, "a,b", "`", "line\nend", `back\slash`, "it's"} {
		if _, err := typings.Go(one(key, `{"type":"string"}`)); err == nil || !strings.Contains(err.Error(), "encoding/json has no way to write the key") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestPythonRefusesAKeyWithoutAName(t *testing.T) {
	if _, err := typings.Python(one("", `{"type":"string"}`)); err == nil || !strings.Contains(err.Error(), "without a name") {
		t.Error(err)
	}
}

func TestWhatHasNoTypeIsRefused(t *testing.T) {
	for schema, says := range map[string]string{
		`{"type":"string","pattern":"x"}`:                             "pattern: types for this keyword are not known",
		`{"type":"object","properties":{},"additionalProperties":{}}`: "additionalProperties: types for this keyword are not known",
		`{"oneOf":[]}`:                         "oneOf: types for this keyword are not known",
		`{"title":"x"}`:                        "title: types for this keyword are not known",
		`{}`:                                   "no type",
		`true`:                                 "want an object",
		`{"type":["string","null"]}`:           "type: ",
		`{"type":"null"}`:                      `the type "null" is not known`,
		`{"type":"object"}`:                    "an object without properties",
		`{"type":"array"}`:                     "a list without items",
		`{"type":"array","items":{}}`:          "items: no type",
		`{"type":"array","items":false}`:       "items: want an object",
		`{"type":"string","items":{}}`:         `items of a "string"`,
		`{"type":"string","properties":{}}`:    `properties of a "string"`,
		`{"type":"string","required":["x"]}`:   `properties of a "string"`,
		`{"type":"integer","enum":["x"]}`:      `enum or format of a "integer"`,
		`{"type":"integer","enum":[1]}`:        "enum: ",
		`{"type":"number","format":"float"}`:   `enum or format of a "number"`,
		`{"type":"string","enum":[]}`:          "is empty",
		`{"type":"string","enum":["a","a"]}`:   "repeats a value",
		`{"type":"string","enum":["a",""]}`:    "holds the empty text",
		`{"type":"string","const":1}`:          `the constant 1 of a "string"`,
		`{"type":"string","const":""}`:         `the constant  of a "string"`,
		`{"type":"string","const":null}`:       "null is no value",
		`{"type":"integer","const":1}`:         `the constant 1 of a "integer"`,
		`{"type":"boolean","const":"true"}`:    `the constant true of a "boolean"`,
		`{"$ref":"#/$defs/node"}`:              `$ref to "node", which is not under $defs`,
		`{"$ref":"other.json"}`:                `"other.json" does not point into $defs`,
		`{"$ref":"#/$defs/x","type":"string"}`: "a $ref with other keywords beside it",
		`{"anyOf":[{"type":"string"}]}`:        "anyOf and $defs are known at the root",
		`{"type":"string","$defs":{}}`:         "anyOf and $defs are known at the root",
		`{"type":"string","type":"integer"}`:   `the key "type" stands there twice`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`: `"b" is required and not among the properties`,
		`{"type":"object","properties":{"a":{"type":"any"}}}`:                     `"a": the type "any" is not known`,
	} {
		for name, write := range map[string]writer{"TypeScript": typings.TypeScript, "Python": typings.Python, "Go": typings.Go} {
			if _, err := write(one("p", schema)); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "schema of tool: ") {
				t.Errorf("%s, %s: got %v, want %q", name, schema, err, says)
			}
		}
	}
}

func TestRootsThatAreNoObjectsAreRefused(t *testing.T) {
	object := `{"type":"object","properties":{}}`
	for _, test := range []struct{ input, output, says string }{
		{`{"type":"string"}`, object, "arguments are an object"},
		{`{"type":"object","anyOf":[]}`, object, "an object without properties"},
		{`[]`, object, "input schema of tool: want an object"},
		{``, object, "input schema of tool"},
		{object, ``, "output schema of tool"},
		{object, `{"type":"string"}`, "shape 0 is no object of its own"},
		{object, `{"anyOf":[{"properties":{}}]}`, "shape 0 is no object of its own"},
		{object, `{"type":"object","anyOf":[{"type":"string"}]}`, "shape 0 is no object of its own"},
		{object, `{"type":"object","anyOf":[{"properties":{}}],"required":["x"]}`, "beside anyOf"},
		{object, `{"type":"object","properties":{},"$defs":{"x":{"type":"string"}}}`, "only objects are known there"},
		{object, `{"type":"object","properties":{}} trailing`, "output schema of tool"},
	} {
		_, err := typings.TypeScript([]typings.Tool{{Name: "tool", InputSchema: json.RawMessage(test.input), OutputSchema: json.RawMessage(test.output)}})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s, %s: got %v, want %q", test.input, test.output, err, test.says)
		}
	}
	if _, err := typings.Go(append(one("a", `{"type":"string"}`), one("a", `{"type":"string"}`)...)); err == nil {
		t.Error("two tools of one name are taken")
	}
}
