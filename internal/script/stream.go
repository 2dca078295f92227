package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"outline-mcp/internal/toolclient"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// MaxConcurrency is the maximum number of calls of a stream that run at a time.
const MaxConcurrency = 16

// Outcome is the result of a line of a stream. Exactly one of Result and
// Failure is set.
type Outcome struct {
	Line    int             `json:"line"`           // from 1
	ID      json.RawMessage `json:"id,omitempty"`   // as the line gave it
	Tool    string          `json:"tool,omitempty"` // absent if the line names none that exists
	OK      bool            `json:"ok"`
	Result  json.RawMessage `json:"result,omitempty"`  // the structured content of a success
	Failure json.RawMessage `json:"failure,omitempty"` // that of a failure: its error and code are always set

	Code output.Code `json:"-"` // of the failure
}

// Stream makes the calls that are written in lines of JSON.
type Stream struct {
	// Call calls a tool. Its error counts as the code internal.
	Call func(ctx context.Context, tool string, arguments json.RawMessage) (toolclient.Answer, error)
	// Check returns an error for a name that no tool has.
	Check func(tool string) error
	// Concurrency is the number of calls that run at a time; values below 1 mean
	// 1. Outcomes are held back until all earlier ones are written, and no more
	// calls start meanwhile.
	Concurrency int
	// FailFast starts no call after one has failed, whichever line it is on.
	FailFast bool
	// Write writes an outcome. It is called in the order of the lines, as soon
	// as an outcome and those before it are known. Its error ends the stream.
	Write func(Outcome) error
}

// Run makes the calls in a stream until it ends or ctx is done. It returns an
// error if the stream cannot be read or an outcome cannot be written; it then
// waits for the running calls. A read of in that is in progress continues after
// Run has returned early.
func (s Stream) Run(ctx context.Context, in io.Reader) (Summary, error) {
	quit := make(chan struct{})
	defer close(quit)
	var (
		sum     Summary
		problem error
		broken  bool // outcomes cannot be written
		lines   = readLines(in, quit)
		cancel  = ctx.Done()
		running []chan Outcome // in the order of the lines
		failure atomic.Bool    // of a call that has ended, written or not
	)
	for lines != nil || len(running) > 0 {
		var next <-chan line
		if len(running) < max(1, s.Concurrency) {
			next = lines
		}
		var first chan Outcome
		if len(running) > 0 {
			first = running[0]
		}
		select {
		case <-cancel:
			lines, cancel, sum.Stopped = nil, nil, Interrupted
		case l, more := <-next:
			switch {
			case !more:
				lines = nil
			case l.ends():
				lines, problem = nil, fmt.Errorf("read line %d of the stream: %w", l.number, l.err)
			case s.FailFast && failure.Load():
				lines, sum.Stopped = nil, FailedFast
			case ctx.Err() == nil: // else the next round ends it
				sum.Last = l.number
				running = append(running, s.start(ctx, l, &failure))
			}
		case outcome := <-first:
			running = running[1:]
			if broken {
				sum.Lost++
				continue
			}
			if err := s.Write(outcome); err != nil {
				lines, broken = nil, true
				sum.Lost++
				problem = cmp.Or(problem, fmt.Errorf("write the outcome of line %d: %w", outcome.Line, err))
				continue
			}
			sum.add(outcome)
			if s.FailFast && sum.Failed > 0 && lines != nil {
				lines, sum.Stopped = nil, FailedFast
			}
		}
	}
	return sum, problem
}

// start starts the call of a line and returns the channel of its outcome. It
// sets failure if the call fails, before the outcome is received.
func (s Stream) start(ctx context.Context, l line, failure *atomic.Bool) chan Outcome {
	result := make(chan Outcome, 1)
	go func() {
		outcome := s.call(ctx, l)
		if !outcome.OK {
			failure.Store(true)
		}
		result <- outcome
	}()
	return result
}

func (s Stream) call(ctx context.Context, l line) Outcome {
	r, err := l.parse(s.Check)
	outcome := Outcome{Line: l.number, ID: r.ID}
	if err != nil {
		return outcome.fail(output.InvalidArguments, fmt.Sprintf("line %d: %s", l.number, err))
	}
	outcome.Tool = r.Tool
	answer, err := s.Call(ctx, r.Tool, r.Arguments)
	switch {
	case err != nil:
		return outcome.fail(output.Internal, err.Error())
	case answer.Code != "":
		outcome.Failure, outcome.Code = answer.Structured, answer.Code
	default:
		outcome.OK, outcome.Result = true, answer.Structured
	}
	return outcome
}

// fail returns the outcome of a call that no tool answered.
func (o Outcome) fail(code output.Code, sentence string) Outcome {
	failure := output.Failure{Code: code, Sentence: outline.Redact(sentence)}
	o.Failure, _ = json.Marshal(failure) // text always encodes
	o.Code = code
	return o
}
