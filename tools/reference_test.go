package tools_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/config"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// TestTheReferenceIsUpToDate compares docs/tools.md with what the tools declare.
func TestTheReferenceIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	page.WriteString("# Tools\n\n" +
		"<!-- Generated from the declarations of the tools; go generate ./... rewrites it. -->\n\n" +
		"Values are checked strictly, but their form may vary: `\"5\"` is 5, `\"true\"` is true, a lone string is a list of one, and\n" +
		"an empty string counts as an argument that is not given. IDs are accepted as UUID, URL id, slug or full Outline URL.\n" +
		"The result's keys are those of the structured content ([structured-output.md](structured-output.md)); the text says the same.\n\n" +
		"| tool | | Outline endpoints |\n|---|---|---|\n")
	listed := listTools(t, connect(t, true))
	settings, err := config.Load([]string{"OUTLINE_TOOLS=all"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: settings, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]mcptool.Bound{}
	for _, tool := range server.Tools() {
		i := tool.Info
		declared[i.Name] = tool
		fmt.Fprintf(&page, "| [`%s`](#%s) | %s | %s |\n", i.Name, i.Name, i.Title, endpoints(i))
	}
	for _, tool := range listed {
		writeTool(t, &page, tool, declared[tool.Name])
	}
	golden(t, "../docs/tools.md", page.Bytes())
}

func endpoints(i mcptool.Info) string {
	separator := ", "
	if i.AnyEndpoint {
		separator = " or "
	}
	return "`" + strings.Join(i.Endpoints, "`"+separator+"`") + "`"
}

func writeTool(t *testing.T, page *bytes.Buffer, tool definition, declared mcptool.Bound) {
	info := declared.Info
	fmt.Fprintf(page, "\n## `%s`\n\n%s\n\nGroup %s. Effect: %s. Needs %s.", tool.Name, tool.Description, info.Group, info.Effect, endpoints(info))
	if info.Optional {
		name := tool.Name
		if !info.HasOwnName() {
			name = string(info.Group)
		}
		fmt.Fprintf(page, " Not offered by default: set `OUTLINE_TOOLS=all` or `OUTLINE_TOOLS=default,%s`.", name)
	}
	page.WriteString("\n\n")
	arguments, answers, err := declared.DocumentedSchemas()
	if err != nil {
		t.Fatal(err)
	}
	input, output := parse(t, arguments), parse(t, answers)
	page.WriteString("| argument | | |\n|---|---|---|\n")
	writeArguments(page, input, "")
	shapes := output.AnyOf
	if last := shapes[len(shapes)-1]; last.property("diff") == nil {
		shapes = shapes[:len(shapes)-1] // the failure that all tools have
	}
	for i, shape := range shapes {
		title := "result"
		if code := shape.property("error"); code != nil && slices.Contains(shape.Required, "error") {
			title = fmt.Sprintf("failure `%v`", code.Const)
			if code.Const == nil {
				title = "failure of which something stands"
			}
		} else if i > 0 {
			title = "or"
		}
		fmt.Fprintf(page, "\n| %s | | |\n|---|---|---|\n", title)
		for _, row := range rows(shape, "", output.Defs) {
			fmt.Fprintf(page, "| %s | %s | %s |\n", row.name, row.kind, row.doc)
		}
	}
	example := successOf(t, tool.Name)
	lines := strings.SplitAfter(string(example.Text), "\n")
	shown := strings.Join(lines[:min(12, len(lines))], "")
	fmt.Fprintf(page, "\nOn the sample workspace, `%s` answers:\n\n````text\n%s````\n", compact(t, example.Arguments), shown)
}

// writeArguments lists the arguments of a tool and what is inside them.
func writeArguments(page *bytes.Buffer, object *schemaNode, prefix string) {
	for _, argument := range object.Properties {
		required := ""
		if slices.Contains(object.Required, argument.name) {
			required = " (required)"
		}
		fmt.Fprintf(page, "| `%s%s`%s | %s | %s |\n", prefix, argument.name, required, kind(argument.schema), argument.schema.Description)
		if items := argument.schema.Items; items != nil && items.Properties != nil {
			writeArguments(page, items, argument.name+"[].")
		}
	}
}

// successOf returns the example call named success of a tool.
func successOf(t *testing.T, tool string) fixtures.Call {
	t.Helper()
	calls := exampleCalls(t, tool)
	at := slices.IndexFunc(calls, func(call fixtures.Call) bool { return call.Name == "success" })
	if at < 0 {
		t.Fatalf("%s has no example call named success", tool)
	}
	return calls[at]
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// schemaNode is the part of a JSON Schema that the reference shows.
type schemaNode struct {
	Type, Format, Description string
	Properties                properties
	Required                  []string
	Items                     *schemaNode
	AnyOf                     []*schemaNode
	Enum                      []any
	Const, Default            any
	Minimum, Maximum          *float64
	MaxLength                 *int
	Ref                       string                 `json:"$ref"`
	Defs                      map[string]*schemaNode `json:"$defs"`
}

func (s *schemaNode) property(name string) *schemaNode {
	for _, p := range s.Properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}

// properties keeps the order in which a schema declares them.
type properties []struct {
	name   string
	schema *schemaNode
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		schema := &schemaNode{}
		if err := decoder.Decode(schema); err != nil {
			return err
		}
		*p = append(*p, struct {
			name   string
			schema *schemaNode
		}{name.(string), schema})
	}
	return nil
}

func parse(t *testing.T, raw json.RawMessage) *schemaNode {
	t.Helper()
	var schema schemaNode
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	return &schema
}

type row struct{ name, kind, doc string }

// rows lists the keys of an object and of what is inside it.
func rows(schema *schemaNode, prefix string, defs map[string]*schemaNode) []row {
	var list []row
	for _, property := range schema.Properties {
		name, doc := prefix+property.name, property.schema.Description
		if !slices.Contains(schema.Required, property.name) {
			doc = strings.TrimSuffix("Optional. "+doc, " ")
		}
		list = append(list, row{"`" + name + "`", kind(property.schema), doc})
		inner := property.schema
		if inner.Items != nil {
			inner, name = inner.Items, name+"[]"
		}
		if definition, ok := strings.CutPrefix(inner.Ref, "#/$defs/"); ok && prefix == "" {
			inner = defs[definition]
		}
		list = append(list, rows(inner, name+".", defs)...)
	}
	return list
}

// kind describes the type of a value.
func kind(s *schemaNode) string {
	switch {
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case s.Enum != nil:
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", v))
		}
		return withDefault(s, strings.Join(values, ", "))
	case s.Items != nil && s.Items.Ref != "":
		return "list of objects of the same kind"
	case s.Items != nil && s.Items.Properties != nil:
		return "list of objects"
	case s.Items != nil:
		return "list of " + kind(s.Items)
	}
	text := cmp.Or(s.Format, s.Type)
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(" %g–%g", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		text += fmt.Sprintf(" from %g", *s.Minimum)
	case s.MaxLength != nil:
		text += fmt.Sprintf(" of up to %d characters", *s.MaxLength)
	}
	return withDefault(s, text)
}

func withDefault(s *schemaNode, text string) string {
	if s.Default != nil {
		text += fmt.Sprintf(", default `%v`", s.Default)
	}
	return text
}

// TestStructuredAnswersAreShown compares the end of docs/structured-output.md
// with what the tools answer.
func TestStructuredAnswersAreShown(t *testing.T) {
	const path, marker = "../docs/structured-output.md", "<!-- Below this line go generate ./... writes. -->\n"
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(written), marker)
	if !found {
		t.Fatalf("%s lacks its marker", path)
	}
	page := bytes.NewBufferString(head + marker)
	for _, tool := range tools.All() {
		name := tool.Info().Name
		example := successOf(t, name)
		lines := strings.SplitAfter(string(example.Structured), "\n")
		shown := strings.Join(lines[:min(24, len(lines))], "")
		if len(lines) > 24 {
			shown += "…\n"
		}
		fmt.Fprintf(page, "\n### `%s`\n\n`%s`\n\n```json\n%s```\n", name, compact(t, example.Arguments), shown)
	}
	golden(t, path, page.Bytes())
}
