package completion

import (
	"context"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/mcptool"
)

// values returns values of an argument as key=value: its choices, or for an ID
// the titles in the workspace. If there are none it says what the argument
// takes. The schema is nil for an argument that the tool does not have.
func (c Completer) values(ctx context.Context, tool mcptool.Bound, key string, schema *jsonschema.Schema, typed string) []cobra.Completion {
	if schema == nil {
		return nil
	}
	var values []cobra.Completion
	for _, choice := range choices(schema) {
		values = append(values, key+"="+choice)
	}
	if kind := kindOf(tool, key); kind != "" && c.Outline != nil {
		for _, title := range titles(ctx, c.Outline, kind, typed) {
			if id := title.idFor(typed); id != "" {
				values = append(values, cobra.CompletionWithDesc(key+"="+id, printable(title.Name)))
			}
		}
	}
	if len(values) == 0 && schema.Description != "" {
		values = cobra.AppendActiveHelp(values, key+": "+schema.Description)
	}
	return values
}

// kindOf returns what the ID in an argument identifies, "" for an argument that
// has no titles. The argument's names tag decides, else its name.
func kindOf(tool mcptool.Bound, argument string) kind {
	name := strings.TrimSuffix(argument, "s")
	switch {
	case tool.Names(argument) != "":
		return kind(tool.Names(argument))
	case strings.HasSuffix(name, "document_id"):
		return documents
	case strings.HasSuffix(name, "collection_id"):
		return collections
	}
	return ""
}

// printable returns a title without characters that move the cursor of a
// terminal or begin a new line.
func printable(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, title)
	return strings.Join(strings.Fields(title), " ")
}
