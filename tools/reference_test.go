package tools_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/test/fixtures"
)

// TestTheReferenceIsUpToDate compares docs/tools.md and a page for each group with
// what the tools declare.
func TestTheReferenceIsUpToDate(t *testing.T) {
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
		declared[tool.Info.Name] = tool
	}
	const generated = "<!-- Generated from the declarations of the tools; go generate ./... rewrites it. -->\n\n"
	index := bytes.NewBufferString("# Tools\n\n" + generated +
		"There is a page for each group. Tools marked with \\* are not offered by default: set `OUTLINE_TOOLS=all` to offer every\n" +
		"tool, or name them, as in `OUTLINE_TOOLS=default,list_trash` ([configuration](configuration.md)).\n")
	var groups []string
	pages := map[string]*bytes.Buffer{}
	for _, tool := range listTools(t, connect(t, true)) {
		info := declared[tool.Name].Info
		group := string(info.Group)
		if pages[group] == nil {
			groups = append(groups, group)
			pages[group] = bytes.NewBufferString("# Tools: " + group + "\n\n" + strings.TrimSuffix(generated, "\n"))
			fmt.Fprintf(index, "\n## [%s](tools/%[1]s.md)\n\n", group)
		}
		mark := ""
		if info.Optional {
			mark = "\\*"
		}
		does, _, _ := strings.Cut(tool.Description, ". ")
		fmt.Fprintf(index, "- [`%s`](tools/%s.md#%[1]s)%[3]s: %[4]s\n", tool.Name, group, mark, strings.TrimSuffix(does, "."))
		writeTool(t, pages[group], tool, declared[tool.Name])
	}
	index.WriteString("\n## How to read the pages\n\n" +
		"Values are checked strictly, but their form may vary: `\"5\"` is 5, `\"true\"` is true, and a single string is a list of one.\n" +
		"An empty string, `\"null\"`, `\"None\"` or `\"undefined\"` counts as an omitted optional argument. An ID can be a UUID, a URL id, a slug,\n" +
		"a full Outline URL, or the exact title or name.\n\n" +
		"A result is shown as TypeScript would declare it: `?` marks a key that can be absent, and `|` separates the shapes that a\n" +
		"result can have. Its keys are those of the [structured content](structured-output.md); the text says the same. Failures that\n" +
		"every tool can have are described [there](structured-output.md#failures). The example answers come from the sample workspace\n" +
		"and are cut after eight lines.\n")
	golden(t, "../docs/tools.md", index.Bytes())
	for _, group := range groups {
		golden(t, "../docs/tools/"+group+".md", pages[group].Bytes())
	}
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
	fmt.Fprintf(page, "\n## `%s`\n\n%s\n\nEffect: %s. Scopes: %s.", tool.Name, tool.Description, info.Effect, endpoints(info))
	if info.Optional {
		name := tool.Name
		if !info.HasOwnName() {
			name = string(info.Group)
		}
		fmt.Fprintf(page, " Not offered by default: `OUTLINE_TOOLS=default,%s` adds it.", name)
	}
	page.WriteString("\n\n")
	arguments, answers, err := declared.DocumentedSchemas()
	if err != nil {
		t.Fatal(err)
	}
	input, output := parse(t, arguments), parse(t, answers)
	if len(input.Properties) > 0 {
		page.WriteString("| argument | | |\n|---|---|---|\n")
		writeArguments(page, input, "")
		page.WriteString("\n")
	}
	shapes := output.AnyOf
	if last := shapes[len(shapes)-1]; last.property("diff") == nil {
		shapes = shapes[:len(shapes)-1] // the failure that all tools have
	}
	page.WriteString("```ts\n")
	for i, shape := range shapes {
		if i > 0 {
			page.WriteString(" | ")
		}
		writeShape(page, shape, "", output.Defs)
	}
	example := successOf(t, tool.Name)
	lines := strings.SplitAfter(string(example.Text), "\n")
	shown := strings.Join(lines[:min(8, len(lines))], "")
	fmt.Fprintf(page, "\n```\n\n`%s` returns:\n\n````text\n%s````\n", compact(t, example.Arguments), shown)
}

// writeShape writes an object as TypeScript would declare it.
func writeShape(page *bytes.Buffer, object *schemaNode, indent string, defs map[string]*schemaNode) {
	page.WriteString("{\n")
	for _, property := range object.Properties {
		schema, optional, list := property.schema, "", ""
		if !slices.Contains(object.Required, property.name) {
			optional = "?"
		}
		fmt.Fprintf(page, "%s  %s%s: ", indent, property.name, optional)
		if schema.Items != nil {
			schema, list = schema.Items, "[]"
		}
		if name, ok := strings.CutPrefix(schema.Ref, "#/$defs/"); ok {
			if indent != "" { // the list is of the same kind as the object that it is in
				page.WriteString("(the same)[]\n")
				continue
			}
			schema = defs[name]
		}
		if schema.Properties != nil {
			writeShape(page, schema, indent+"  ", defs)
			page.WriteString(list)
		} else {
			page.WriteString(declaredAs(schema, list))
		}
		if doc := property.schema.Description; doc != "" {
			page.WriteString(" // " + doc)
		}
		page.WriteString("\n")
	}
	page.WriteString(indent + "}")
}

// declaredAs is the type of a value that is no object.
func declaredAs(s *schemaNode, list string) string {
	if s.Const != nil {
		return fmt.Sprintf("%#v", s.Const) + list
	}
	if s.Enum == nil {
		return cmp.Or(s.Format, s.Type) + list
	}
	var values []string
	for _, value := range s.Enum {
		values = append(values, fmt.Sprintf("%#v", value))
	}
	if list != "" {
		return "(" + strings.Join(values, " | ") + ")[]"
	}
	return strings.Join(values, " | ")
}

// writeArguments lists the arguments of a tool and what is inside them.
func writeArguments(page *bytes.Buffer, object *schemaNode, prefix string) {
	for _, argument := range object.Properties {
		required := ""
		if slices.Contains(object.Required, argument.name) {
			required = " (required)"
		}
		fmt.Fprintf(page, "| `%s%s`%s | %s | %s |\n", prefix, argument.name, required, kind(argument.schema), strings.ReplaceAll(mcptool.ArgumentHelp(argument.name, argument.schema.Description), "|", `\|`))
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
	case s.Items != nil && s.Items.Properties != nil:
		return "list of objects"
	case s.Items != nil:
		return "list of " + kind(s.Items)
	}
	text := cmp.Or(s.Format, s.Type)
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(" %.0f–%.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		text += fmt.Sprintf(" from %.0f", *s.Minimum)
	case s.MaxLength != nil:
		text += fmt.Sprintf(" of up to %d characters", *s.MaxLength)
	}
	return withDefault(s, text)
}

func withDefault(s *schemaNode, text string) string {
	if number, ok := s.Default.(float64); ok {
		text += fmt.Sprintf(", default `%.0f`", number)
	} else if s.Default != nil {
		text += fmt.Sprintf(", default `%v`", s.Default)
	}
	return text
}

// TestAnyFormNamesADocumentOrACollection gives the forms of references to tools that take
// one document or collection in each of the ways in which tools read their arguments.
func TestAnyFormNamesADocumentOrACollection(t *testing.T) {
	c := connect(t, true)
	documents := []string{
		"glFnZkRnE1", "Architecture", "architecture", `"Architecture"`, "outline://documents/glFnZkRnE1", "outline://documents/glFnZkRnE1/outline",
		"[Architecture](/doc/architecture-glFnZkRnE1)", "/doc/architecture-glFnZkRnE1#h-anything",
	}
	takesDocument := map[string]map[string]any{
		"read_document": {}, "get_document_outline": {}, "export_document": {}, "list_revisions": {}, "get_document_backlinks": {},
		"list_document_comments": {}, "update_document": {"text": "More.", "append": true}, "archive_document": {}, "unarchive_document": {},
		"delete_document": {}, "restore_document": {},
	}
	for _, tool := range []string{
		"read_document", "get_document_outline", "export_document", "list_revisions", "get_document_backlinks", "list_document_comments",
		"update_document", "archive_document", "unarchive_document", "delete_document", "restore_document",
	} {
		for _, form := range documents {
			if tool == "archive_document" || tool == "delete_document" {
				c = connect(t, true) // a title is that of an active document
			}
			arguments := map[string]any{"document_id": form}
			for name, value := range takesDocument[tool] {
				arguments[name] = value
			}
			if answer := call(t, c, tool, arguments); strings.Contains(answer.Text, "does not identify") || strings.Contains(answer.Text, "code not_found") {
				t.Errorf("%s with %s: %s", tool, form, answer.Text)
			}
			if tool == "unarchive_document" || tool == "restore_document" {
				break // the second time, it is active
			}
		}
	}
	for _, form := range []string{"Engineering", "engineering", "outline://collections/Engineering"} {
		for _, tool := range []string{"get_collection_structure", "list_documents", "find_in_documents", "search_documents"} {
			arguments := map[string]any{"collection_id": form}
			if strings.Contains(tool, "find") || strings.Contains(tool, "search") {
				arguments["query"] = "buoy"
			}
			answer := call(t, c, tool, arguments)
			if bad := strings.Contains(answer.Text, "code "); bad != strings.Contains(form, "://") {
				t.Errorf("%s with %s: %s", tool, form, answer.Text)
			}
		}
	}
}
