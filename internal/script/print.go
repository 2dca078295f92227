package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

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
