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

// MaxConcurrency is the most calls of a stream that run at a time.
const MaxConcurrency = 16

// An Outcome is what became of a line of a stream. Exactly one of Result and
// Failure is there.
type Outcome struct {
	Line    int             `json:"line"`           // from 1
	ID      json.RawMessage `json:"id,omitempty"`   // as the line gave it
	Tool    string          `json:"tool,omitempty"` // absent if the line names none that exists
	OK      bool            `json:"ok"`
	Result  json.RawMessage `json:"result,omitempty"`  // the structured content of a success
	Failure json.RawMessage `json:"failure,omitempty"` // that of a failure: its error and code are always there

	Code output.Code `json:"-"` // of the failure
}

// A Stream carries out calls that stand in lines of JSON.
type Stream struct {
	// Call calls a tool. Its error counts as the code internal.
	Call func(ctx context.Context, tool string, arguments json.RawMessage) (toolclient.Answer, error)
	// Check says what is wrong with the name of a tool; nil if there is one.
	Check func(tool string) error
	// Concurrency is how many calls run at a time, at least 1. Outcomes are
	// held back until those before them are written, and no more calls are
	// started meanwhile.
	Concurrency int
	// FailFast starts no call once one has failed, whichever line it is on.
	FailFast bool
	// Write is given each outcome as soon as it is due, in the order of the
	// lines. Its error ends the stream.
	Write func(Outcome) error
}

// A Summary tells how a stream went.
type Summary struct {
	Done, Failed int        // outcomes that were written, failures among them
	Lost         int        // outcomes after one that could not be written, and that one
	Last         int        // the last line that was carried out
	First        Outcome    // the first failure
	Stopped      StopReason // why lines may be left; "" if the stream came to its end
}

// StopReason says why a stream was not carried out to its end.
type StopReason string

// The reasons.
const (
	Interrupted StopReason = "interrupted"   // ctx was done
	FailedFast  StopReason = "a call failed" // and FailFast is set
)

// Run carries out the calls in a stream until it ends, ctx is done, or the
// stream cannot be read or an outcome not be written, which is an error. Calls
// that are running then are waited for. A read of in that is under way goes on
// when Run returns early.
func (s Stream) Run(ctx context.Context, in io.Reader) (Summary, error) {
	quit := make(chan struct{})
	defer close(quit)
	var (
		sum     Summary
		failed  error
		deaf    bool // nobody reads the outcomes
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
				lines, failed = nil, fmt.Errorf("read line %d of the stream: %w", l.number, l.err)
			case s.FailFast && failure.Load():
				lines, sum.Stopped = nil, FailedFast
			case ctx.Err() == nil: // else the next round ends it
				sum.Last = l.number
				running = append(running, s.start(ctx, l, &failure))
			}
		case outcome := <-first:
			running = running[1:]
			if deaf {
				sum.Lost++
				continue
			}
			if err := s.Write(outcome); err != nil {
				lines, deaf = nil, true
				sum.Lost++
				failed = cmp.Or(failed, fmt.Errorf("write the outcome of line %d: %w", outcome.Line, err))
				continue
			}
			sum.count(outcome)
			if s.FailFast && sum.Failed > 0 && lines != nil {
				lines, sum.Stopped = nil, FailedFast
			}
		}
	}
	return sum, failed
}

func (sum *Summary) count(outcome Outcome) {
	sum.Done++
	if outcome.OK {
		return
	}
	if sum.Failed == 0 {
		sum.First = outcome
	}
	sum.Failed++
}

// start begins the call of a line. The outcome comes through the channel; a
// failure is told before it is that outcome's turn.
func (s Stream) start(ctx context.Context, l line, failure *atomic.Bool) chan Outcome {
	due := make(chan Outcome, 1)
	go func() {
		outcome := s.carryOut(ctx, l)
		if !outcome.OK {
			failure.Store(true)
		}
		due <- outcome
	}()
	return due
}

func (s Stream) carryOut(ctx context.Context, l line) Outcome {
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
