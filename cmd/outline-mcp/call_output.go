package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"outline-mcp/internal/script"
	"outline-mcp/internal/toolclient"
)

const (
	// filterPatience is how long an expression may take for one answer. Those
	// that end do so within milliseconds.
	filterPatience = 10 * time.Second
	// filterGrace is how long it may go on after a signal, for the outcomes of
	// the calls that the signal ended.
	filterGrace = 250 * time.Millisecond
)

// filterLimit is the most that an expression may make of one outcome of a
// stream, in bytes.
const filterLimit = 64 << 20

// printAnswer prints the answer of one call. An expression is for what a
// success holds: of a failure it is not asked.
func (o callOptions) printAnswer(ctx context.Context, answer toolclient.Answer, filter *script.Filter) error {
	p, failed := o.environment, answer.Code != ""
	var err error
	switch {
	case o.asJSON:
		err = toolclient.WriteJSON(p.stdout, answer.Structured)
	case failed:
	case filter != nil:
		err = filter.Write(ctx, p.stdout, answer.Structured)
	default:
		_, err = fmt.Fprintln(p.stdout, answer.Text)
	}
	switch {
	case failed:
		fmt.Fprintln(p.stderr, answer.Text)
		return exitError{code: exitCode(answer.Code)}
	case err != nil: // whoever sees the exit code must not repeat a write for it
		return exitError{exitFailure, fmt.Sprintf("the call is done, but its answer is not printed whole: %s", err)}
	}
	return nil
}

// bar returns what shows progress on standard error, nil if nothing does.
func (o callOptions) bar(label string) *script.Bar {
	if o.quiet || !isTerminalWriter(o.environment.stderr) || slices.Contains(o.environment.environ, "TERM=dumb") {
		return nil
	}
	return script.NewBar(o.environment.stderr, label, func() int { return columns(o.environment.stderr) })
}

// columns returns how wide a terminal is, 0 if it does not say.
func columns(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// isTerminalWriter tells whether a person reads what is written.
func isTerminalWriter(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isTerminal(file)
}
