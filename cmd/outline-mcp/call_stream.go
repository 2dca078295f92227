package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"outline-mcp/internal/script"
	"outline-mcp/internal/toolclient"
	"outline-mcp/outline"
)

// callStream carries out the calls of --stream.
func (o callOptions) callStream(ctx context.Context) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	source := script.Source{Stdin: o.environment.stdin}
	in, err := source.Open(o.stream)
	if err != nil {
		return exitError{exitUsage, err.Error()}
	}
	defer in.Close()
	server, caller, err := o.connect(ctx)
	if err != nil {
		return err
	}
	defer caller.Close()
	// A reader that is gone must not kill the program: the calls that run are
	// waited for, and told of.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	printer := outcomePrinter{options: o, filter: filter}
	if !isTerminalWriter(o.environment.stdout) { // there the outcomes show how far it is
		printer.bar = o.bar("calls:")
	}
	stream := script.Stream{
		Call: func(ctx context.Context, tool string, arguments json.RawMessage) (toolclient.Answer, error) {
			if len(arguments) == 0 {
				return caller.Call(ctx, tool, nil, nil)
			}
			return caller.Call(ctx, tool, arguments, nil)
		},
		Check:       server.Check,
		Concurrency: o.concurrency,
		FailFast:    o.failFast,
		Write:       func(outcome script.Outcome) error { return printer.print(ctx, outcome) },
	}
	sum, err := stream.Run(ctx, in)
	printer.bar.Clear()
	return o.end(sum, err, printer.unfiltered)
}

// end tells how a stream went. The broken error is that which broke it off.
func (o callOptions) end(sum script.Summary, broken error, unfiltered int) error {
	if broken != nil {
		return exitError{exitFailure, outline.Redact(broken.Error()) + ": " + soFar(sum)}
	}
	exit := exitError{code: exitOK}
	switch {
	case sum.Failed > 0:
		exit.code = exitCode(sum.First.Code)
		exit.message = fmt.Sprintf("%d of %d calls failed, the first of them on line %d (%s)", sum.Failed, sum.Done, sum.First.Line, sum.First.Code)
	case unfiltered > 0:
		exit = exitError{exitFailure, fmt.Sprintf("all %d calls are done; --jq failed on %d outcomes", sum.Done, unfiltered)}
	}
	if o.quiet {
		exit.message = ""
	}
	if sum.Stopped != "" {
		exit.code = max(exit.code, exitFailure)
		exit.message = string(sum.Stopped) + ": " + soFar(sum)
	}
	if exit.code == exitOK {
		return nil
	}
	return exit
}

// soFar tells how far a stream came that did not come to its end.
func soFar(sum script.Summary) string {
	told := fmt.Sprintf("%d calls are answered, %d of them with failures; ", sum.Done, sum.Failed)
	if sum.Lost > 0 {
		told += fmt.Sprintf("%d more were carried out whose answers are lost, look before you repeat them; ", sum.Lost)
	}
	return told + fmt.Sprintf("nothing after line %d of the stream was carried out", sum.Last)
}

// An outcomePrinter prints the outcomes of a stream, one line each, or what
// --jq makes of them.
type outcomePrinter struct {
	options      callOptions
	filter       *script.Filter
	bar          *script.Bar
	done, failed int
	unfiltered   int // outcomes on which --jq failed
}

func (p *outcomePrinter) print(ctx context.Context, outcome script.Outcome) error {
	p.done++
	if !outcome.OK {
		p.failed++
	}
	defer func() { p.bar.Calls(p.done, p.failed) }()
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(outcome); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if p.filter != nil {
		raw := bytes.Clone(line.Bytes())
		line.Reset()
		p.filter.Grace = filterGrace
		// An expression that fails must not end calls that work.
		if err := p.filter.Write(ctx, limited{&line}, raw); err != nil {
			p.unfiltered++
			p.bar.Clear()
			fmt.Fprintf(p.options.environment.stderr, "outline-mcp: line %d: %s\n", outcome.Line, outline.Redact(err.Error()))
		}
	}
	if line.Len() == 0 {
		return nil
	}
	// One write for each outcome: whoever reads gets all of it at once.
	_, err := p.options.environment.stdout.Write(line.Bytes())
	return err
}

// limited ends an expression that makes values without end. It has no other
// way in than Write.
type limited struct{ made *bytes.Buffer }

func (l limited) Write(part []byte) (int, error) {
	if l.made.Len()+len(part) > filterLimit {
		return 0, fmt.Errorf("the expression makes more than %d MiB of one outcome", filterLimit>>20)
	}
	return l.made.Write(part)
}
