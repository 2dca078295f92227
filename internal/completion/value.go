package completion

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/suggest"
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
	if kind := kindOf(tool, key); kind != "" && len(values) == 0 && c.Source != nil {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		found, _ := c.Source.Find(ctx, kind, typed)
		for _, candidate := range found.Candidates {
			if id := idFor(candidate, typed); id != "" {
				values = append(values, cobra.CompletionWithDesc(key+"="+id, printable(candidate.Hint())))
			}
		}
	}
	if len(values) == 0 && schema.Description != "" {
		values = cobra.AppendActiveHelp(values, key+": "+schema.Description)
	}
	return values
}

// within is how long a person who pressed Tab waits for Outline. It is longer than
// over MCP, because each Tab starts the program and connects anew.
const within = 1500 * time.Millisecond

// kindOf returns what the value of an argument identifies. The argument's names tag
// decides, else its name.
func kindOf(tool mcptool.Bound, argument string) suggest.Kind {
	if tag := tool.Names(argument); tag != "" {
		return suggest.Kind(tag)
	}
	return suggest.KindOf(argument)
}

// idFor returns the form of the ID that begins with what is typed: the slug, which
// begins with the title and so can be typed, or the UUID. It returns "" if neither
// does. A name is no ID, and a value that a shell would have to quote is not a slug.
func idFor(c suggest.Candidate, typed string) string {
	for _, id := range []string{c.Value, c.ID} {
		if id != "" && id != c.Name && strings.HasPrefix(id, typed) && !strings.ContainsFunc(id, needsQuotes) {
			return id
		}
	}
	return ""
}

func needsQuotes(r rune) bool {
	return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
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
