package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files and the pages of tools")

// connect returns a client of a server on a new embedded workspace, whose clock
// stands still and whose new IDs are consecutive.
func connect(t testing.TB, structured bool) *client.Client {
	t.Helper()
	return connectThrough(t, structured, func(workspace http.RoundTripper) http.RoundTripper { return workspace })
}

// connectThrough is connect with the transport to the workspace wrapped.
func connectThrough(t testing.TB, structured bool, wrap func(http.RoundTripper) http.RoundTripper) *client.Client {
	t.Helper()
	settings := load(t)
	settings.StructuredOutput = structured
	settings.BatchConcurrency = 1 // so that the workspace, too, numbers in the order asked
	sample, err := fakeoutline.New(fakeoutline.Options{Answers: true, Now: fakeoutline.SampleDay})
	if err != nil {
		t.Fatal(err)
	}
	created := 0
	return connectTo(t, app.Options{Config: settings, Transport: wrap(sample.Transport()), Now: sample.Now, NewID: func() string {
		created++
		return fmt.Sprintf("00000000-0000-4000-9000-%012d", created)
	}})
}

// load returns settings with all tools, structured content, and the key of the workspace's
// administrator. Further ones come last, and count.
func load(t testing.TB, further ...string) config.Config {
	t.Helper()
	settings, err := config.Load(append([]string{
		"OUTLINE_CALL_TIMEOUT=10m", "OUTLINE_REQUEST_TIMEOUT=10m", // on a busy machine
		"OUTLINE_TOOLS=all", "OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_STRUCTURED_OUTPUT=on"}, further...))
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// connectTo returns a client of a new server.
func connectTo(t testing.TB, options app.Options) *client.Client {
	t.Helper()
	options.Version = "test"
	server, err := app.New(options)
	if err != nil {
		t.Fatal(err)
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// definition is a tool in tools/list.
type definition struct {
	Name, Title, Description  string
	Annotations               mcp.ToolAnnotation
	InputSchema, OutputSchema json.RawMessage

	raw json.RawMessage
}

// listTools returns tools/list as sent: the library's client drops parts of the
// schemas.
func listTools(t testing.TB, c *client.Client) []definition {
	t.Helper()
	response, err := c.GetTransport().SendRequest(t.Context(), transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(1), Method: "tools/list",
	})
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(response.Result, &list); err != nil {
		t.Fatal(err)
	}
	var definitions []definition
	for _, raw := range list.Tools {
		d := definition{raw: raw}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		definitions = append(definitions, d)
	}
	return definitions
}

// golden compares got with a file, or writes the file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%s (go generate ./... writes it)", err)
	}
	compare(t, path, want, got)
}

func compare(t *testing.T, what string, want, got []byte) {
	t.Helper()
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-file +now); go generate ./... rewrites it:\n%s", what, diff)
	}
}

// exampleCalls returns the example calls of a tool.
func exampleCalls(t testing.TB, tool string) []fixtures.Call {
	t.Helper()
	return fixtures.Read(t, "testdata/calls", tool)
}

func indented(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := cli.WriteJSON(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDefinitionsAreTheRecordedOnes(t *testing.T) {
	recorded := map[string]bool{}
	for _, tool := range listTools(t, connect(t, true)) {
		path := filepath.Join("testdata/definitions", tool.Name+".json")
		recorded[path] = true
		golden(t, path, indented(t, tool.raw))
	}
	paths, err := filepath.Glob("testdata/definitions/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if !recorded[path] {
			t.Errorf("%s defines no tool: remove it", path)
		}
	}
}

// contract is the floor that tools must meet: testdata/contract.json, which is
// written by hand. A tool that it lacks has promised nothing beyond what its recorded
// definition says.
type contract struct {
	Failure json.RawMessage `json:"failure"`
	Tools   map[string]struct {
		Group     mcptool.Group
		Endpoints []string
		Effect    string
		Input     map[string]struct {
			Type     string
			Required bool
		}
		Output   json.RawMessage
		Failures []json.RawMessage
	}
}

func readContract(t *testing.T) contract {
	t.Helper()
	raw, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// compile returns a schema that asserts formats, as clients do.
func compile(t *testing.T, schema []byte) *validator.Schema {
	t.Helper()
	document, err := validator.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validate(t *testing.T, what string, schema, structured []byte) {
	t.Helper()
	value, err := validator.UnmarshalJSON(bytes.NewReader(structured))
	if err != nil {
		t.Fatal(err)
	}
	if err := compile(t, schema).Validate(value); err != nil {
		t.Errorf("structured content breaks %s: %s", what, err)
	}
}

func TestCallsAnswerAsRecordedInBothRenderings(t *testing.T) {
	if !*update { // the reference is written from the answers, after them
		t.Parallel()
	}
	floor := readContract(t)
	sharedText, sharedBoth := connect(t, false), connect(t, true)
	for _, tool := range fixtures.Some(listTools(t, sharedBoth), len(tools.All())) {
		calls := exampleCalls(t, tool.Name)
		seen := map[bool]bool{}
		for i := range calls {
			call := &calls[i]
			t.Run(tool.Name+"/"+call.Name, func(t *testing.T) {
				arguments := decoded[map[string]any](t, call.Arguments)
				textOnly, both := sharedText, sharedBoth
				if !*tool.Annotations.ReadOnlyHint || !*tool.Annotations.IdempotentHint {
					// What one call writes must not affect the next.
					textOnly, both = connect(t, false), connect(t, true)
				}
				plain, err := cli.Call(t.Context(), textOnly, tool.Name, arguments)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := cli.Call(t.Context(), both, tool.Name, arguments)
				if err != nil {
					t.Fatal(err)
				}
				failed := answer.Code != ""
				seen[failed] = true
				if failed != call.Failed() {
					t.Errorf("code is %q", answer.Code)
				}
				if (plain.Structured != nil) != alwaysStructured(tool.Name) || (plain.Code != "") != failed {
					t.Errorf("with structured output off: structured content %s, code %q", plain.Structured, plain.Code)
				}
				if plain.Text != answer.Text {
					t.Errorf("the text depends on the switch:\n%s", cmp.Diff(plain.Text, answer.Text))
				}
				text, structured := []byte(answer.Text+"\n"), indented(t, answer.Structured)
				if *update {
					call.Text, call.Structured = text, structured
				}
				compare(t, "the recorded text", call.Text, text)
				compare(t, "the recorded structured content", call.Structured, structured)

				validate(t, "its own outputSchema", tool.OutputSchema, answer.Structured)
				of, promised := floor.Tools[tool.Name]
				batch := strings.HasPrefix(tool.Name, "batch_") && !bytes.HasPrefix(answer.Structured, []byte(`{"error"`))
				if failed {
					validate(t, "the contract's failure", floor.Failure, answer.Structured)
				}
				switch {
				case !promised:
				case batch || !failed:
					validate(t, "the contract", of.Output, answer.Structured)
				case answer.Code == output.HeadingNotFound:
					validate(t, "the contract's first failure", of.Failures[0], answer.Structured)
				case answer.Code == output.HeadingAmbiguous:
					validate(t, "the contract's second failure", of.Failures[1], answer.Structured)
				}
				if bytes.Contains(answer.Structured, []byte(":null")) {
					t.Errorf("holds null: %s", answer.Structured)
				}
			})
		}
		if !seen[false] || !seen[true] {
			t.Errorf("%s needs a recorded success and a recorded failure", tool.Name)
		}
		if *update {
			fixtures.Write(t, "testdata/calls", tool.Name, calls)
		}
	}
}

// alwaysStructured reports whether a tool answers with structured content even if the
// operator has switched it off.
func alwaysStructured(tool string) bool {
	return slices.ContainsFunc(tools.All(), func(t mcptool.Tool) bool { return t.Info().Name == tool && t.Info().Structured })
}

func TestToolsMeetTheContract(t *testing.T) {
	floor := readContract(t)
	hints := map[string][3]bool{ // read-only, destructive, idempotent
		"reads": {true, false, true}, "adds": {false, false, false}, "moves": {false, false, true},
		"changes": {false, true, false}, "deletes": {false, true, true},
	}
	listed := map[string]definition{}
	for _, tool := range listTools(t, connect(t, true)) {
		listed[tool.Name] = tool
	}
	for _, tool := range tools.All() {
		info := tool.Info()
		t.Run(info.Name, func(t *testing.T) {
			hint := listed[info.Name].Annotations
			got := [3]bool{*hint.ReadOnlyHint, *hint.DestructiveHint, *hint.IdempotentHint}
			if got != hints[info.Effect.String()] || *hint.OpenWorldHint {
				t.Errorf("hints are %v, openWorld %t", got, *hint.OpenWorldHint)
			}
			if info.Title == "" || listed[info.Name].Title != info.Title {
				t.Errorf("title is %q", listed[info.Name].Title)
			}
			want, promised := floor.Tools[info.Name]
			if !promised {
				return
			}
			if info.Group != want.Group || info.Effect.String() != want.Effect || !slices.Equal(info.Endpoints, want.Endpoints) {
				t.Errorf("group %s, effect %s, endpoints %v; want %s, %s, %v", info.Group, info.Effect, info.Endpoints, want.Group, want.Effect, want.Endpoints)
			}
			var schema struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
			if err := json.Unmarshal(listed[info.Name].InputSchema, &schema); err != nil {
				t.Fatal(err)
			}
			for name, argument := range want.Input {
				kind, _, _ := strings.Cut(argument.Type, " ")
				if schema.Properties[name].Type != kind || slices.Contains(schema.Required, name) != argument.Required {
					t.Errorf("argument %s is %q, required %t", name, schema.Properties[name].Type, slices.Contains(schema.Required, name))
				}
			}
			for _, name := range schema.Required {
				if !want.Input[name].Required {
					t.Errorf("argument %s is required", name)
				}
			}
		})
	}
	for name := range floor.Tools {
		if _, offered := listed[name]; !offered {
			t.Errorf("%s, which the contract promises, is gone", name)
		}
	}
}

func TestInputSchemasAreWhatModelAPIsAccept(t *testing.T) {
	for _, tool := range listTools(t, connect(t, false)) {
		t.Run(tool.Name, func(t *testing.T) {
			schema := tool.InputSchema
			for _, refused := range []string{"anyOf", "oneOf", "allOf", "$ref", "$defs", "null", `"type":[`, "additionalProperties"} {
				if bytes.Contains(schema, []byte(refused)) {
					t.Errorf("holds %s: %s", refused, schema)
				}
			}
			var root struct {
				Type       string
				Properties map[string]any
			}
			if err := json.Unmarshal(schema, &root); err != nil || root.Type != "object" || root.Properties == nil {
				t.Errorf("root is no object with properties: %s", schema)
			}
			for name, property := range root.Properties {
				if _, isObject := property.(map[string]any); !isObject {
					t.Errorf("the schema of %s is no object", name)
				}
			}
		})
	}
}

func TestOutputSchemasAreListedOnlyWhenStructuredOutputIsOn(t *testing.T) {
	for _, structured := range []bool{false, true} {
		for _, tool := range listTools(t, connect(t, structured)) {
			if got := tool.OutputSchema != nil; got != (structured || alwaysStructured(tool.Name)) {
				t.Errorf("switch %t: %s lists an outputSchema: %t", structured, tool.Name, got)
			}
			var root struct{ Type string }
			if structured && (json.Unmarshal(tool.OutputSchema, &root) != nil || root.Type != "object") {
				t.Errorf("%s: the root of the outputSchema is no object: %s", tool.Name, tool.OutputSchema)
			}
		}
	}
}

func TestToolsAreListedInDocumentationOrder(t *testing.T) {
	var want, got []string
	for _, tool := range tools.All() {
		want = append(want, tool.Info().Name)
	}
	for _, tool := range listTools(t, connect(t, false)) {
		got = append(got, tool.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

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
