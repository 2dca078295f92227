// Package completion offers what can stand next on a command line of
// `outline-mcp call`: tools, arguments, their values, and the titles of
// documents and collections where an ID is wanted.
package completion

import (
	"context"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/suggest"
)

// Completer completes the command lines of calls. Errors only leave out what
// it offers: somebody is typing.
type Completer struct {
	Tools []mcptool.Bound
	// Source looks up what IDs identify. A nil source disables that.
	Source *suggest.Source
}

// Call returns the completions of the word that is being typed after the words
// of args: a tool, key= or key=value.
func (c Completer) Call(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return c.tools(), cobra.ShellCompDirectiveNoFileComp
	}
	i := slices.IndexFunc(c.Tools, func(tool mcptool.Bound) bool { return tool.Name == args[0] })
	if i < 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	tool := c.Tools[i]
	schema, err := tool.InputSchema()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	key, value, isPair := strings.Cut(typed, "=")
	switch {
	// bash may take key@= for a word of its own.
	case isPair && strings.HasSuffix(key, "@"), strings.HasSuffix(args[len(args)-1], "@="):
		return nil, cobra.ShellCompDirectiveDefault // the name of a file
	case isPair && schema.Properties[key] == nil:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case isPair:
		values := c.values(ctx, tool, key, schema.Properties[key], value)
		return values, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	return keys(schema, args[1:]), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (c Completer) tools() []cobra.Completion {
	var tools []cobra.Completion
	for _, tool := range c.Tools {
		tools = append(tools, cobra.CompletionWithDesc(tool.Name, tool.Title))
	}
	return tools
}

// keys returns the arguments that are not given yet, and lists even if they
// are: first the required ones, then the others, each in the order of the
// schema.
func keys(schema *jsonschema.Schema, given []string) []cobra.Completion {
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
		one := cobra.CompletionWithDesc(name+"=", describe(property))
		if slices.Contains(schema.Required, name) {
			required = append(required, one)
		} else {
			others = append(others, one)
		}
	}
	return append(required, others...)
}

// describe says in a few words what an argument takes.
func describe(property *jsonschema.Schema) string {
	if property.Description != "" {
		return property.Description
	}
	if choices := choices(property); len(choices) > 0 {
		return strings.Join(choices, ", ")
	}
	if property.Type == "array" && property.Items != nil {
		return "list of " + property.Items.Type + "s"
	}
	return property.Type
}

// choices returns the values of an argument that takes no others, else nil.
func choices(property *jsonschema.Schema) []string {
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
