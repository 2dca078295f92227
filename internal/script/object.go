package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// parseObject parses one JSON object and keeps its numbers as they are written.
// Errors say where in raw they are.
func parseObject(raw []byte) (map[string]any, error) {
	var object map[string]any
	if err := decode(raw, &object, false); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("it is null")
	}
	return object, nil
}

// decode decodes the one JSON value in raw. If strict is set, a key that value
// has no field for is an error; all other fields are set then.
func decode(raw []byte, value any, strict bool) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return errors.New("it is empty")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if strict {
		decoder.DisallowUnknownFields()
	}
	err := decoder.Decode(value)
	if err == nil {
		end := decoder.InputOffset()
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			rest := raw[end:]
			return fmt.Errorf("%s: unexpected text after it", position(raw, int(end)+len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))))
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: it ends too early", position(raw, len(raw)))
	case errors.As(err, &syntax):
		// The offset is that of the byte after the invalid one.
		return fmt.Errorf("%s: %w", position(raw, int(syntax.Offset)-1), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s has the wrong type: %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("it has the wrong type: %s", kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// position returns the line and column of an offset, both from 1.
func position(raw []byte, offset int) string {
	before := raw[:max(0, min(offset, len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}
