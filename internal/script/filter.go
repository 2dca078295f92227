package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/itchyny/gojq"
)

// Filter is a jq expression.
type Filter struct {
	code *gojq.Code
	// Raw prints strings as they are, as jq --raw-output does.
	Raw bool
	// Indent prints values on several lines.
	Indent bool
	// Patience is how long each value of the expression may take; 0 means no
	// limit.
	Patience time.Duration
}

// ParseFilter reads an expression in the language of jq. Expressions see the
// value they are given, and neither files nor the environment.
func ParseFilter(expression string) (*Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		var wrong *gojq.ParseError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("--jq: %s, at %s", err, position([]byte(expression), wrong.Offset-len(wrong.Token)))
		}
		return nil, fmt.Errorf("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return &Filter{code: code}, nil
}

// errSlow ends an expression that takes too long.
var errSlow = errors.New("it takes too long")

// Write writes the values that the expression makes of a JSON value, each on a
// line or, with Indent, on several.
func (f *Filter) Write(ctx context.Context, w io.Writer, raw json.RawMessage) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("--jq: read the answer: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	values := f.code.RunWithContext(ctx, value)
	for {
		made, ok := f.next(values, cancel)
		if !ok {
			return nil
		}
		if err, failed := made.(error); failed {
			return f.explain(ctx, err)
		}
		if err := f.print(w, made); err != nil {
			return err
		}
	}
}

// next bounds the time for one value, not that for printing it: whoever reads
// may be slow.
func (f *Filter) next(values gojq.Iter, cancel context.CancelCauseFunc) (any, bool) {
	if f.Patience > 0 {
		defer time.AfterFunc(f.Patience, func() { cancel(errSlow) }).Stop()
	}
	return values.Next()
}

func (f *Filter) explain(ctx context.Context, err error) error {
	var halt *gojq.HaltError
	if errors.As(err, &halt) && halt.Value() == nil {
		return nil // halt is an ordinary end
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("--jq: the expression did not end: %w", cause)
	}
	return fmt.Errorf("--jq: %w", err)
}

func (f *Filter) print(w io.Writer, value any) error {
	if text, ok := value.(string); ok && f.Raw {
		_, err := io.WriteString(w, text+"\n")
		return err
	}
	encoded, err := gojq.Marshal(value)
	if err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	var line bytes.Buffer
	if f.Indent {
		err = json.Indent(&line, encoded, "", "  ")
	} else {
		_, err = line.Write(encoded)
	}
	if err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	line.WriteByte('\n')
	_, err = w.Write(line.Bytes())
	return err
}
