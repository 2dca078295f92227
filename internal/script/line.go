package script

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxLine is the longest line of a stream, in bytes. It is what a server over
// HTTP takes for a call.
const MaxLine = 8 << 20

// A line is a line of a stream, without its end.
type line struct {
	number int // from 1
	text   []byte
	long   bool  // it is longer than MaxLine, and its text is left out
	err    error // the stream cannot be read on from here
}

// readLines sends the lines of in that are not blank, until in ends or quit is
// closed, and closes the channel then. It holds one line at a time.
func readLines(in io.Reader, quit <-chan struct{}) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		buffered := bufio.NewReaderSize(in, 64<<10)
		for number := 1; ; number++ {
			text, long, err := readLine(buffered)
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\ufeff"))
			}
			next := line{number: number, text: bytes.TrimSpace(text), long: long}
			if err != nil && !errors.Is(err, io.EOF) {
				next = line{number: number, err: err}
			}
			if len(next.text) > 0 || long || next.err != nil {
				select {
				case lines <- next:
				case <-quit:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine returns the next line, whose memory is the caller's. Of one that is
// too long it reads the rest and returns nothing.
func readLine(in *bufio.Reader) (text []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > MaxLine+1; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// A request is a call as it stands in a line.
type request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	ID        json.RawMessage `json:"id"`
}

// parse reads a call. Its error is for whoever wrote the line; what could be
// read of the call is returned with it. What is wrong with the tool, check says.
func (l line) parse(check func(tool string) error) (request, error) {
	var r request
	if l.long {
		return r, fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)
	}
	if !utf8.Valid(l.text) { // encoding/json would put U+FFFD there
		return r, errors.New("the line is not text in UTF-8")
	}
	if err := decode(l.text, &r, true); err != nil {
		why := strings.TrimPrefix(err.Error(), "line 1, ") // of which it is the only one
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
