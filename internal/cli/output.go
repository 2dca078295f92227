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
	// Indent prints values on several lines.
	Indent bool
	// Timeout limits the time that the expression may take for all its values,
	// not counting the time for writing them, because the reader may be slow. 0
	// means no limit. ParseFilter sets 10 seconds; expressions that end at all
	// do so within milliseconds.
	Timeout time.Duration
	// Grace is how long the expression may continue after ctx is done, so that
	// the outcomes of the last calls are still printed.
	Grace time.Duration
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

// Write evaluates the expression on a JSON value and writes the results, each
// on one line or, with Indent, on several.
func (f *Filter) Write(ctx context.Context, w io.Writer, raw json.RawMessage) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("--jq: read the answer: %w", err)
	}
	ctx, cancel := f.withGrace(ctx)
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

// withGrace returns a context that is done when ctx is and Grace has passed.
func (f *Filter) withGrace(ctx context.Context) (context.Context, context.CancelCauseFunc) {
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
	line := bytes.NewBuffer(encoded)
	if f.Indent {
		line = new(bytes.Buffer)
		if err := json.Indent(line, encoded, "", "  "); err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
	}
	line.WriteByte('\n')
	_, err = w.Write(line.Bytes())
	return err
}

const (
	// outcomeGrace is how long an expression may continue after a signal, so
	// that the outcomes of the calls that the signal ended are printed.
	outcomeGrace = 250 * time.Millisecond
	// maxFiltered limits the output of an expression for one outcome, in bytes.
	maxFiltered = 64 << 20
)

// Printer prints the outcomes of a stream, one line each.
type Printer struct {
	W io.Writer
	// Filter is an expression whose values are printed instead of the
	// outcomes, if it is not nil.
	Filter *Filter
	// Bar shows how many calls are done. A nil Bar shows nothing.
	Bar *Bar
	// Warn is called with what goes wrong in Filter.
	Warn func(line int, err error)
	// Unfiltered is the number of outcomes on which Filter failed.
	Unfiltered int

	done, failed int
}

// Print prints an outcome. It uses one write, so that a reader gets all of the
// outcome at once.
func (p *Printer) Print(ctx context.Context, outcome Outcome) error {
	p.done++
	if !outcome.OK {
		p.failed++
	}
	defer func() { p.Bar.Calls(p.done, p.failed) }()
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(outcome); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if p.Filter != nil {
		raw := bytes.Clone(line.Bytes())
		line.Reset()
		p.Filter.Grace = outcomeGrace
		// A failing expression must not end calls that work.
		if err := p.Filter.Write(ctx, limited{&line}, raw); err != nil {
			p.Unfiltered++
			p.Bar.Clear()
			p.Warn(outcome.Line, err)
		}
	}
	if line.Len() == 0 {
		return nil
	}
	_, err := p.W.Write(line.Bytes())
	return err
}

// limited is a writer that fails after maxFiltered bytes, to end an expression
// that never stops producing values.
type limited struct{ made *bytes.Buffer }

func (l limited) Write(part []byte) (int, error) {
	if l.made.Len()+len(part) > maxFiltered {
		return 0, fmt.Errorf("the expression makes more than %d MiB of one outcome", maxFiltered>>20)
	}
	return l.made.Write(part)
}
