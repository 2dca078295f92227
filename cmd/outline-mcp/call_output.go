package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/script"
)

// filterPatience is how long an expression may take for one value. Those that
// end do so within milliseconds.
const filterPatience = 30 * time.Second

// filterLimit is the most that an expression may make of one outcome of a
// stream, in bytes.
const filterLimit = 64 << 20

// printAnswer prints the answer of one call. An expression is for what a
// success holds: of a failure it is not asked.
func (o callOptions) printAnswer(ctx context.Context, answer app.Answer, filter *script.Filter) error {
	p := o.environment
	if o.asJSON && filter == nil {
		if err := app.WriteJSON(p.stdout, answer.Structured); err != nil {
			return exitError{exitFailure, err.Error()}
		}
	}
	switch {
	case answer.Code != "":
		fmt.Fprintln(p.stderr, answer.Text)
		return exitError{code: exitCode(answer.Code)}
	case filter != nil:
		filter.Patience = filterPatience
		if err := filter.Write(ctx, p.stdout, answer.Structured); err != nil {
			return exitError{exitFailure, config.HideKeys(err.Error())}
		}
	case !o.asJSON:
		fmt.Fprintln(p.stdout, answer.Text)
	}
	return nil
}

// bar returns what shows progress on standard error, nil if nothing does.
func (o callOptions) bar(label string) *script.Bar {
	if o.quiet || !isTerminalWriter(o.environment.stderr) || slices.Contains(o.environment.environ, "TERM=dumb") {
		return nil
	}
	return script.NewBar(o.environment.stderr, label)
}

// isTerminalWriter tells whether a person reads what is written.
func isTerminalWriter(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isTerminal(file)
}
