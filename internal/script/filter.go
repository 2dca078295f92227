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
	// Patience is how long the expression may take for all its values, without
	// the time for writing them: whoever reads may be slow. 0 means no limit.
	Patience time.Duration
	// Grace is how long the expression may go on once ctx is done. It lets
	// those that end at once say what became of the last calls.
	Grace time.Duration
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
	ctx, cancel := f.outlive(ctx)
	defer cancel(nil)
	values := f.code.RunWithContext(ctx, value)
	patience := f.Patience
	for {
		made, ok := f.next(values, &patience, cancel)
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

// outlive returns a context that is done when ctx is and Grace has passed.
func (f *Filter) outlive(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	if f.Grace <= 0 {
		return context.WithCancelCause(ctx)
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		grace := time.NewTimer(f.Grace)
		defer grace.Stop()
		select {
		case <-grace.C:
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func(cause error) { stop(); cancel(cause) }
}

// next takes the time for a value from the patience that is left.
func (f *Filter) next(values gojq.Iter, left *time.Duration, cancel context.CancelCauseFunc) (any, bool) {
	if f.Patience <= 0 {
		return values.Next()
	}
	begun := time.Now()
	slow := time.AfterFunc(*left, func() { cancel(errSlow) })
	defer func() { slow.Stop(); *left -= time.Since(begun) }()
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
