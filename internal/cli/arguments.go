package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// maxFile is the maximum size of a file of arguments, in bytes.
const maxFile = 32 << 20

// maxShown is the number of characters of an argument that an error message
// shows.
const maxShown = 60

// Source provides arguments that are not on the command line itself.
type Source struct {
	Stdin io.Reader

	usedBy string // the argument that has read Stdin, or ""
}

// Arguments returns the arguments of a call. The object is JSON, @FILE or -
// (see [Source.Object]), or "" for none. A pair is key=value, or key@=FILE for
// the text in a file. A pair replaces the value of its key in the object, and
// several pairs with the same key make a list. Values stay text: tools convert
// them to numbers, booleans and lists.
func (s *Source) Arguments(object string, pairs []string) (map[string]any, error) {
	arguments := map[string]any{}
	if object != "" {
		var err error
		if arguments, err = s.Object(object); err != nil {
			return nil, err
		}
	}
	given := map[string]bool{}
	for _, pair := range pairs {
		key, value, err := s.pair(pair)
		if err != nil {
			return nil, err
		}
		before := arguments[key]
		list, isList := before.([]any)
		switch {
		case !given[key]:
			arguments[key] = value
		case isList:
			arguments[key] = append(list, value)
		default:
			arguments[key] = []any{before, value}
		}
		given[key] = true
	}
	return arguments, nil
}

// ErrNoPair reports an argument of the command line that has no key.
var ErrNoPair = errors.New("is not an argument of the form key=value or key@=FILE")

func (s *Source) pair(pair string) (key, value string, err error) {
	key, value, ok := strings.Cut(pair, "=")
	key, isFile := strings.CutSuffix(key, "@")
	if !ok || key == "" {
		// Redact an API key before it is quoted.
		shown := output.Excerpt(outline.Redact(pair), maxShown)
		return "", "", fmt.Errorf("%q %w", shown, ErrNoPair)
	}
	if !utf8.ValidString(pair) { // encoding/json would put U+FFFD there
		return "", "", fmt.Errorf("%s is not text in UTF-8", output.Excerpt(strings.ToValidUTF8(key, "?"), maxShown))
	}
	if !isFile {
		return key, value, nil
	}
	raw, err := s.file(key+"@=", value)
	if err != nil {
		return "", "", err
	}
	return key, string(raw), nil
}

// Object returns the JSON object in a text, in a file (@FILE) or on standard
// input (-).
func (s *Source) Object(from string) (map[string]any, error) {
	name, raw := "--args", []byte(from)
	path, isFile := strings.CutPrefix(from, "@")
	if isFile || from == "-" {
		var err error
		if raw, err = s.file("--args", path); err != nil {
			return nil, err
		}
		name += " " + from
	}
	if !utf8.Valid(raw) { // encoding/json would put U+FFFD there
		return nil, fmt.Errorf("%s is not text in UTF-8", name)
	}
	object, err := parseObject(raw)
	if err != nil {
		return nil, fmt.Errorf("%s must be a JSON object, such as '{\"query\": \"onboarding\"}': %w", name, err)
	}
	return object, nil
}

// file returns the text in a file, or on standard input for -, which can be
// read once. It drops a byte order mark, which editors on Windows write. Errors
// name the argument.
func (s *Source) file(asks, path string) ([]byte, error) {
	in := s.Stdin
	switch {
	case path == "":
		return nil, fmt.Errorf("%s needs the name of a file, or - for standard input", asks)
	case path != "-":
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", asks, err)
		}
		defer file.Close()
		in = file
	case s.usedBy != "":
		return nil, fmt.Errorf("%s and %s cannot both read standard input", s.usedBy, asks)
	default:
		s.usedBy = asks
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", asks, err)
	case len(raw) > maxFile:
		return nil, fmt.Errorf("%s: %s is larger than %d MiB", asks, path, maxFile>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%s: %s is not text in UTF-8", asks, path)
	}
	return raw, nil
}

// Open opens a stream of calls: a file, or standard input for -.
func (s *Source) Open(path string) (io.ReadCloser, error) {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--stream: %w", err)
		}
		return file, nil
	}
	if s.Stdin == nil {
		return nil, errors.New("--stream: there is no standard input")
	}
	return io.NopCloser(s.Stdin), nil
}

// Completer completes the command lines of calls. Errors only leave out what
// it offers: the user is typing.
type Completer struct {
	Tools []mcptool.Bound
	// Source looks up what IDs identify. A nil source disables that.
	Source *mcptool.Suggestions
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
	// bash may take key@= for a separate word.
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
func kindOf(tool mcptool.Bound, argument string) mcptool.ValueKind {
	if tag := tool.Names(argument); tag != "" {
		return mcptool.ValueKind(tag)
	}
	return mcptool.ValueKindOf(argument)
}

// idFor returns the form of the ID that begins with what is typed: the slug, which
// begins with the title and so can be typed, or the UUID. It returns "" if neither
// does. A name is no ID, and a value that a shell would have to quote is not a slug.
func idFor(c mcptool.Candidate, typed string) string {
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
