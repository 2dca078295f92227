package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

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
