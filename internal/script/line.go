package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/jsonlines"
)

// MaxLine is the maximum length of a line of a stream, in bytes. It is the same
// as for a call over HTTP.
const MaxLine = 8 << 20

// line is a line of a stream that is not blank.
type line struct {
	number int // from 1
	text   []byte
	err    error // jsonlines.ErrTooLong, or what ended the stream
}

// readLines sends the lines of in until in ends, fails or quit is closed, and
// then closes the channel. It holds one line at a time.
func readLines(in io.Reader, quit <-chan struct{}) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		for reader := jsonlines.NewReader(in, MaxLine); ; {
			text, err := reader.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			next := line{reader.Number(), text, err}
			select {
			case lines <- next:
			case <-quit:
				return
			}
			if next.ends() {
				return
			}
		}
	}()
	return lines
}

// ends reports whether the stream cannot be read any further.
func (l line) ends() bool { return l.err != nil && !errors.Is(l.err, jsonlines.ErrTooLong) }

// request is a call as it is written in a line.
type request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	ID        json.RawMessage `json:"id"`
}

// parse reads a call and passes the name of its tool to check. With an error,
// which is addressed to the author of the line, it returns what could be read.
func (l line) parse(check func(tool string) error) (request, error) {
	var r request
	if l.err != nil {
		return r, fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)
	}
	if !utf8.Valid(l.text) { // encoding/json would put U+FFFD there
		return r, errors.New("the line is not text in UTF-8")
	}
	if err := decode(l.text, &r, true); err != nil {
		why := strings.TrimPrefix(err.Error(), "line 1, ") // there is no other
		return r, fmt.Errorf(`the line is not {"tool": ..., "arguments": {...}, "id": ...}: %s`, why)
	}
	switch {
	case r.Tool == "":
		return r, errors.New(`the line names no "tool"`)
	case len(r.Arguments) > 0 && r.Arguments[0] != '{' && string(r.Arguments) != "null":
		return r, errors.New(`"arguments" must be an object`)
	}
	return r, check(r.Tool)
}
