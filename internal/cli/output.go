package cli

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
	// Raw prints strings without quotes, as jq --raw-output does.
	Raw bool
	// Timeout limits the time that the expression may take for all its values,
	// not counting the time for writing them, because the reader may be slow. 0
	// means no limit. ParseFilter sets 10 seconds; expressions that end at all
	// do so within milliseconds.
	Timeout time.Duration
}

// ParseFilter parses a jq expression. The expression has access to the value it
// is given, not to files or the environment.
func ParseFilter(expression string) (*Filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		var syntax *gojq.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("--jq: %s, at %s", err, position([]byte(expression), syntax.Offset-len(syntax.Token)))
		}
		return nil, fmt.Errorf("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return &Filter{code: code, Timeout: 10 * time.Second}, nil
}

// errSlow is the cause of ending an expression that takes too long.
var errSlow = errors.New("it takes too long")

// Write evaluates the expression on a JSON value and writes the results, indented.
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
	left := f.Timeout
	for {
		result, ok := f.next(values, &left, cancel)
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return explain(ctx, err)
		}
		if err := f.print(w, result); err != nil {
			return err
		}
	}
}

// next returns the next value and subtracts the time it took from left.
func (f *Filter) next(values gojq.Iter, left *time.Duration, cancel context.CancelCauseFunc) (any, bool) {
	if f.Timeout <= 0 {
		return values.Next()
	}
	start := time.Now()
	timer := time.AfterFunc(*left, func() { cancel(errSlow) })
	defer func() { timer.Stop(); *left -= time.Since(start) }()
	return values.Next()
}

// explain returns the error for a failure of the expression, nil for halt.
func explain(ctx context.Context, err error) error {
	var halt *gojq.HaltError
	if errors.As(err, &halt) && halt.Value() == nil {
		return nil
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
	if err := json.Indent(&line, encoded, "", "  "); err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	line.WriteByte('\n')
	_, err = w.Write(line.Bytes())
	return err
}
