package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"outline-mcp/output"
)

// schemas are the two schemas of a tool.
type schemas struct {
	declaration
	files     fs.FS
	available output.Available                   // the tools that descriptions may name
	unlisted  []string                           // see Deps
	object    func() (*jsonschema.Schema, error) // of the arguments
}

// schemasOf returns the schemas of a tool. Schemas that files does not contain
// are generated from the types of the tool.
func schemasOf(d declaration, files fs.FS, available output.Available, unlisted []string) schemas {
	return schemas{d, files, available, unlisted, sync.OnceValues(func() (*jsonschema.Schema, error) { return argumentsSchema(d.arguments) })}
}

func argumentsSchema(t reflect.Type) (*jsonschema.Schema, error) {
	object, err := output.SchemaOf(t)
	if err != nil {
		return nil, err
	}
	if object.Type != "object" || len(object.Defs) > 0 {
		return nil, fmt.Errorf("arguments are an object that does not contain itself, not %s", t)
	}
	return object, nil
}

// input returns the inputSchema of the tool as tools/list has it.
func (s schemas) input() (json.RawMessage, error) {
	list := func() (json.RawMessage, error) {
		object, err := s.object()
		if err != nil {
			return nil, err
		}
		return output.ListedArguments(object, slices.Concat(s.unlisted, s.seldom())...)
	}
	if s.unlisted != nil {
		raw, err := list()
		return s.advised(raw), err
	}
	return s.encoded(inputLine, list)
}

// seldom returns the names of the arguments with that tag.
func (s schemas) seldom() (names []string) {
	for _, field := range reflect.VisibleFields(s.arguments) {
		if _, is := field.Tag.Lookup("seldom"); is {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// output returns the outputSchema of the tool as tools/list has it.
func (s schemas) output() (json.RawMessage, error) {
	return s.encoded(outputLine, func() (json.RawMessage, error) {
		contract, err := s.contract()
		if err != nil {
			return nil, err
		}
		return output.ListedSchema(contract)
	})
}

// documented returns a schema in full: object or contract.
func (s schemas) documented(schema func() (*jsonschema.Schema, error)) (json.RawMessage, error) {
	full, err := schema()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	raw, err := json.Marshal(full)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	return s.advised(raw), nil
}

// contract returns what answers of the tool conform to.
func (s schemas) contract() (*jsonschema.Schema, error) {
	object, err := s.object()
	if err != nil {
		return nil, err
	}
	return output.ContractSchema(s.identified(object), s.successes, s.failures)
}

// identified returns the names of the arguments, with document_id if another
// argument identifies a document: a failure can report it.
func (s schemas) identified(object *jsonschema.Schema) []string {
	names := slices.Clone(object.PropertyOrder)
	for _, field := range reflect.VisibleFields(s.arguments) {
		if field.Tag.Get("names") == "document" {
			names = append(names, "document_id")
		}
	}
	return names
}

// recorded reports whether the schemas are part of the program.
func (s schemas) recorded() bool {
	if s.files == nil {
		return false
	}
	_, err := fs.Stat(s.files, s.file())
	return err == nil
}

// file returns the path of the recorded schemas.
func (s schemas) file() string { return "schemas/" + s.Name + ".jsonl" }

// The lines of a file of recorded schemas.
const (
	inputLine = iota
	outputLine
)

// encoded returns a recorded schema, which is part of the program, or else
// generates it.
func (s schemas) encoded(line int, encode func() (json.RawMessage, error)) (json.RawMessage, error) {
	if s.files != nil {
		if raw, err := fs.ReadFile(s.files, s.file()); err == nil {
			return s.advised(bytes.Split(raw, []byte("\n"))[line]), nil
		}
	}
	raw, err := encode()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	return s.advised(raw), nil
}

// descriptions matches the description of anything but the root of a schema, if it
// may name a tool or give advice.
var descriptions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,"description":"(?:[^"\\_\[]|\\.)*[_\[](?:[^"\\]|\\.)*"`)
})

// advised removes descriptions that name a tool that is not offered from a
// schema.
func (s schemas) advised(schema json.RawMessage) json.RawMessage {
	if s.available == nil || !descriptions().Match(schema) { // without a match, replacing would copy it
		return schema
	}
	return descriptions().ReplaceAllFunc(schema, func(description []byte) []byte {
		return []byte(s.available.Advise(string(description)))
	})
}

// describeArguments lists the arguments that a tool takes.
func describeArguments(object *jsonschema.Schema) string {
	if len(object.PropertyOrder) == 0 {
		return "This tool takes no arguments."
	}
	var names []string
	for _, name := range object.PropertyOrder {
		if slices.Contains(object.Required, name) {
			name += " (required)"
		}
		names = append(names, name)
	}
	return "Valid arguments: " + strings.Join(names, ", ") + "."
}

// unknownNames returns the keys of given that object does not have, sorted.
func unknownNames(object *jsonschema.Schema, given map[string]json.RawMessage) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return object.Properties[name] != nil })
}

func hint(schema *jsonschema.Schema) string {
	if schema.Description == "" {
		return ""
	}
	return " (" + schema.Description + ")"
}

func choices(schema *jsonschema.Schema) string {
	var names []string
	for _, choice := range schema.Enum {
		names = append(names, choice.(string))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func bounds(schema *jsonschema.Schema) string {
	switch {
	case schema.Minimum != nil && schema.Maximum != nil:
		return fmt.Sprintf(" from %s to %s", inFull(*schema.Minimum), inFull(*schema.Maximum))
	case schema.Minimum != nil:
		return fmt.Sprintf(", %s or more", inFull(*schema.Minimum))
	case schema.Maximum != nil:
		return fmt.Sprintf(", %s or less", inFull(*schema.Maximum))
	}
	return ""
}

// inFull writes a number without an exponent.
func inFull(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func itemBounds(schema *jsonschema.Schema) string {
	switch {
	case schema.MinItems != nil && schema.MaxItems != nil:
		return fmt.Sprintf("%d to %d items", *schema.MinItems, *schema.MaxItems)
	case schema.MinItems != nil:
		return fmt.Sprintf("%d items or more", *schema.MinItems)
	default:
		return fmt.Sprintf("at most %d items", *schema.MaxItems)
	}
}

// ArgumentHelp returns what to tell people about an argument of a tool: its description
// in the schema or, where models get by with the name, the words for it here.
func ArgumentHelp(name, description string) string {
	if description != "" {
		return description
	}
	return map[string]string{ // not a variable, which each start would pay for
		"all_occurrences":     "Replace each occurrence of old_text, not just one",
		"allow_shrink":        "Allow leaving out much of the text",
		"append":              "Add the text at the end",
		"case_sensitive":      "Tell capital letters from small ones",
		"collection_id":       "Collection: ID or URL",
		"comment_id":          "ID of the comment",
		"context_lines":       "Lines to show before and after each match",
		"created_after":       "Only those created after this date",
		"created_before":      "Only those created before this date",
		"document_id":         "Document: ID or URL",
		"document_ids":        "Documents: IDs or URLs",
		"documents":           "Documents to create",
		"edits":               "Passages to replace",
		"expected_revision":   "Fail if the document has another revision",
		"format":              "Format of the files in the export",
		"full_width":          "Show the document in the full width of the window",
		"icon":                "Emoji, name of an icon, or none",
		"id":                  "ID from an answer of search",
		"in":                  "Where to look",
		"include_anchor_text": "Show the passage that each comment is about",
		"include_children":    "Also restore the documents below it",
		"limit":               "Maximum number of entries in an answer",
		"max_chars_each":      "Characters to show of each template",
		"max_lines":           "Maximum number of lines in an answer",
		"more_comments":       "Further comments",
		"name":                "Name of the collection",
		"offset":              "Entries to skip, to continue an earlier answer",
		"order":               "Which come first",
		"parent_comment_id":   "Comment to reply to",
		"parent_document_id":  "Document that it is or will be below: ID or URL",
		"permission":          "What members of the workspace may do in it",
		"prepend":             "Add the text at the beginning",
		"publish":             "Publish it",
		"query":               "Text to find",
		"question":            "Question to Outline's AI",
		"recursive":           "Also copy the documents below it",
		"resolved":            "Which comments to list",
		"revision_id":         "ID of the revision, from list_revisions",
		"role":                "Role of the user or the group",
		"sort":                "What to sort by",
		"start_char":          "Character of the line or the answer to start at, to continue an earlier answer",
		"start_line":          "Line to start at",
		"text":                "The text; for a document, in Markdown",
		"title":               "Title of the document",
		"title_contains":      "Only those whose title contains this",
		"updated_after":       "Only those changed after this date",
		"updated_before":      "Only those changed before this date",
		"updates":             "Documents to change, and how",
		"whole_word":          "Find only whole words",
	}[name]
}
