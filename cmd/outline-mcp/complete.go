package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

// completeCall offers what can stand next on a command line of call. It says
// nothing of what goes wrong: somebody is typing.
func completeCall(p process, demo *bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if cmd.Flags().Changed("stream") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		server, reached := completionApp(p, *demo)
		if server == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if len(args) == 0 {
			return completeTool(server), cobra.ShellCompDirectiveNoFileComp
		}
		schema, ok := inputSchema(server, args[0])
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		key, value, isPair := strings.Cut(typed, "=")
		switch {
		// bash may take key@= for a word of its own.
		case isPair && strings.HasSuffix(key, "@"), strings.HasSuffix(args[len(args)-1], "@="):
			return nil, cobra.ShellCompDirectiveDefault // the name of a file
		case isPair:
			return completeValue(cmd.Context(), server, argument{args[0], key, schema.Properties[key], reached}, value)
		}
		return completeKey(schema, args[1:]), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completionApp returns the server with its settings and true, or, when those
// are wrong, one that only knows the tools and false.
func completionApp(p process, demo bool) (*app.App, bool) {
	if loaded, err := loadConfig(p, demo); err == nil {
		if server, err := app.New(app.Options{Config: loaded, Demo: demo, Version: version()}); err == nil {
			return server, demo || loaded.APIKey != ""
		}
	}
	loaded, err := config.Load(nil)
	if err != nil {
		return nil, false
	}
	server, err := app.New(app.Options{Config: loaded, Version: version()})
	if err != nil {
		return nil, false
	}
	return server, false
}

func completeTool(server *app.App) []cobra.Completion {
	var tools []cobra.Completion
	for _, tool := range server.Tools() {
		tools = append(tools, cobra.CompletionWithDesc(tool.Name, tool.Title))
	}
	return tools
}

// inputSchema returns the schema of a tool's arguments, in their order.
func inputSchema(server *app.App, tool string) (*jsonschema.Schema, bool) {
	for _, bound := range server.Tools() {
		if bound.Name != tool {
			continue
		}
		var ordered struct {
			Properties json.RawMessage `json:"properties"`
		}
		schema, raw := &jsonschema.Schema{}, bound.Tool.RawInputSchema
		if json.Unmarshal(raw, schema) != nil || json.Unmarshal(raw, &ordered) != nil {
			return nil, false
		}
		schema.PropertyOrder = keysOf(ordered.Properties)
		return schema, true
	}
	return nil, false
}

// keysOf returns the keys of a JSON object as they come.
func keysOf(object json.RawMessage) []string {
	var keys []string
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return keys
		}
		name, _ := key.(string)
		keys = append(keys, name)
	}
	return keys
}

// completeKey offers the arguments that are not given yet, and lists again:
// first the required ones, then the others, each in the order of the schema.
func completeKey(schema *jsonschema.Schema, given []string) []cobra.Completion {
	var required, others []cobra.Completion
	for _, name := range schema.PropertyOrder {
		property := schema.Properties[name]
		isGiven := slices.ContainsFunc(given, func(pair string) bool {
			key, _, _ := strings.Cut(pair, "=")
			return strings.TrimSuffix(key, "@") == name
		})
		if isGiven && property.Type != "array" {
			continue
		}
		one := cobra.CompletionWithDesc(name+"=", describeProperty(property))
		if slices.Contains(schema.Required, name) {
			required = append(required, one)
		} else {
			others = append(others, one)
		}
	}
	return append(required, others...)
}

// describeProperty says in a few words what an argument takes.
func describeProperty(property *jsonschema.Schema) string {
	if property.Description != "" {
		return property.Description
	}
	if choices := choicesOf(property); len(choices) > 0 {
		return strings.Join(choices, ", ")
	}
	if property.Type == "array" && property.Items != nil {
		return "list of " + property.Items.Type + "s"
	}
	return property.Type
}

// choicesOf returns the only values that an argument takes; none if it takes
// others.
func choicesOf(property *jsonschema.Schema) []string {
	if property.Type == "array" && property.Items != nil {
		property = property.Items
	}
	if property.Type == "boolean" {
		return []string{"true", "false"}
	}
	var choices []string
	for _, value := range property.Enum {
		if choice, ok := value.(string); ok {
			choices = append(choices, choice)
		}
	}
	return choices
}
