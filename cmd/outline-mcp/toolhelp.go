package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/mcptool"
)

// writeToolHelp writes what a tool does, its arguments, and an example that works
// in the sample workspace.
func writeToolHelp(w io.Writer, tool mcptool.Bound) error {
	schema, err := tool.InputSchema()
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n\n%s\n", tool.Name, tool.Title, tool.Definition().Description)
	if len(schema.PropertyOrder) > 0 {
		text.WriteString("\nArguments:\n")
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		writeArguments(table, schema, "  ")
		if err := table.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(&text, "\nExample, in the sample workspace:\n  %s\n", strings.Join(shellWords(exampleOf(tool, schema)), " "))
	_, err = io.WriteString(w, text.String())
	return err
}

// writeArguments writes a line for each argument, and below a list of objects one
// for each field of an item.
func writeArguments(w io.Writer, schema *jsonschema.Schema, indent string) {
	for _, name := range schema.PropertyOrder {
		property := schema.Properties[name]
		kind := typeOf(property)
		if slices.Contains(schema.Required, name) {
			kind += ", required"
		} else if property.Default != nil {
			kind += ", default " + strings.Trim(string(property.Default), `"`)
		}
		fmt.Fprintf(w, "%s%s\t%s\t%s\n", indent, name, kind, mcptool.ArgumentHelp(name, property.Description))
		if property.Items != nil && len(property.Items.PropertyOrder) > 0 {
			writeArguments(w, property.Items, indent+"  ")
		}
	}
}

// typeOf returns what an argument takes.
func typeOf(property *jsonschema.Schema) string {
	switch {
	case property.Type == "array" && property.Items != nil:
		return "list of " + strings.Replace(typeOf(property.Items), "object", "objects", 1)
	case property.Type == "boolean":
		return "true or false"
	case len(property.Enum) == 0:
		return property.Type
	}
	var choices []string
	for _, choice := range property.Enum {
		choices = append(choices, fmt.Sprint(choice))
	}
	return strings.Join(choices, ", ")
}

// exampleOf returns a command line that calls a tool with the arguments that it
// needs.
func exampleOf(tool mcptool.Bound, schema *jsonschema.Schema) []string {
	line := []string{"outline-mcp", "--demo", "call", tool.Name}
	for _, name := range slices.Concat(schema.Required, alsoInExample(tool.Name)) {
		if strings.Contains(name, "=") {
			line = append(line, name)
			continue
		}
		switch value := sample(name, tool.Names(name)).(type) {
		case string:
			line = append(line, name+"="+value)
		case []string:
			for _, one := range value {
				line = append(line, name+"="+one)
			}
		default:
			encoded, _ := json.Marshal(value) // a literal of this file
			line = append(line, name+"="+string(encoded))
		}
	}
	return line
}

// alsoInExample returns the optional arguments without which a call of a tool does
// nothing, or fails; with a value if it is not the one of [sample].
func alsoInExample(tool string) []string {
	return map[string][]string{
		"list_documents":         {"updated_after"},
		"create_document":        {"title", "collection_id", "text"},
		"update_document":        {"title"},
		"edit_document":          {"document_id"},
		"move_document":          {"parent_document_id"},
		"read_document_section":  {"heading"},
		"list_access":            {"document_id"},
		"share_document":         {"document_id", "link=on"},
		"read_revision":          {"document_id"},
		"update_comment":         {"text"},
		"list_document_comments": {"document_id"},
		"update_collection":      {"permission"},
		"upload_attachment":      {"name=notes.md", "text"},
		"import_document":        {"name=notes.md", "text", "collection_id"},
		"create_template":        {"document_id"},
		"batch_read_documents":   {"document_ids"},
		"batch_move_documents":   {"collection_id"},
	}[tool]
}

// sample returns a value for an argument in the sample workspace. Kind is what a
// document ID identifies, such as an archived document; "" for any other.
func sample(argument, kind string) any {
	const incident, soup, operations = "k7cHQqmWTH", "friday-soup-1wPyxUCdt9", "8441e5d2-7545-4078-bd93-c21942e16c7f"
	switch kind {
	case "archived document":
		return "4be218b4-5adf-45e3-b373-1c3775c5ebe5"
	case "deleted document":
		return "c42340c2-fbca-4e6f-82e0-a78dd1da58c1"
	}
	return map[string]any{
		"query":              "soup",
		"question":           "Who is on call?",
		"document_id":        incident,
		"document_ids":       []string{soup, "on-call-lesdaiqkpT"},
		"parent_document_id": "on-call-lesdaiqkpT",
		"collection_id":      operations,
		"updated_after":      "7d",
		"comment_id":         "8c3f846c-c6a9-42d3-83f8-4c485e5c4176",
		"attachment_id":      "7e2d5c90-1b3f-4d86-a4f1-93c0b8e6d247",
		"id":                 soup,
		"export_id":          "5c9a7f10-3be2-4d61-9f57-2a86d0c4e1b3",
		"heading":            "What went well",
		"title":              "Notes",
		"permission":         "read",
		"name":               "Projects",
		"text":               "Text in **Markdown**",
		"edits":              []any{map[string]any{"old_text": "not one frame was missing", "new_text": "no frame was missing"}},
		"documents":          []any{map[string]any{"title": "Notes", "collection_id": operations}},
		"updates":            []any{map[string]any{"id": soup, "title": "Soup"}},
	}[argument]
}

// shellWords quotes the words of a command line for a shell.
func shellWords(words []string) []string {
	quoted := slices.Clone(words)
	for i, word := range quoted {
		if strings.ContainsAny(word, " \"'*?&;<>|()$`\\[]{}") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return quoted
}

// findTool returns the tool with a name, or an error that says why the server
// does not offer it.
func findTool(server *app.App, name string) (mcptool.Bound, error) {
	tools := server.Tools()
	if i := slices.IndexFunc(tools, func(tool mcptool.Bound) bool { return tool.Name == name }); i >= 0 {
		return tools[i], nil
	}
	err := server.Check(name)
	if !strings.HasSuffix(err.Error(), "?") { // which has no suggestion
		err = fmt.Errorf("%w; outline-mcp tools lists the tools", err)
	}
	return mcptool.Bound{}, err
}

// noTool lists the tools on standard error and returns the error for a call
// without one.
func noTool(p process, demo bool) error {
	server, err := listing(p, demo)
	if err != nil {
		return err
	}
	fmt.Fprint(p.stderr, "Tools:\n")
	if err := writeToolList(cli.ForReader(p.stderr, p.environ), server.Tools(), false); err != nil {
		return failure(err)
	}
	fmt.Fprintln(p.stderr)
	return errors.New("name a tool, as in outline-mcp call search_documents query=onboarding; outline-mcp tools TOOL shows its arguments")
}

// listing returns a server whose tools are listed and not called.
func listing(p process, demo bool) (*app.App, error) {
	loaded, err := loadConfig(p, demo)
	if err != nil {
		return nil, err
	}
	return newApp(p, forCommands(loaded), demo)
}

// writeToolList writes the names of the tools, and what each does or the endpoints of
// Outline that it uses.
func writeToolList(w io.Writer, tools []mcptool.Bound, endpoints bool) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, tool := range tools {
		name, says := tool.Name, firstSentence(tool.Definition().Description)
		if tool.Optional {
			name += " *"
		}
		if endpoints {
			separator := ", "
			if tool.AnyEndpoint {
				separator = " or "
			}
			says = strings.Join(tool.Endpoints, separator)
		}
		fmt.Fprintf(table, "%s\t%s\n", name, says)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if slices.ContainsFunc(tools, func(tool mcptool.Bound) bool { return tool.Optional }) {
		text.WriteString("\n* AI clients are offered it only if OUTLINE_TOOLS names it.\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// firstSentence returns the first sentence of a tool's description.
func firstSentence(description string) string {
	if i := strings.Index(description, ". "); i >= 0 {
		return description[:i+1]
	}
	return description
}
