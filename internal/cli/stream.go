package cli

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"outline-mcp/internal/mcp/wire"
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
	Call func(ctx context.Context, tool string, arguments json.RawMessage) (Answer, error)
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

// MaxLine is the maximum length of a line of a stream, in bytes. It is the same
// as for a call over HTTP.
const MaxLine = 8 << 20

// line is a line of a stream that is not blank.
type line struct {
	number int // from 1
	text   []byte
	err    error // wire.ErrTooLong, or what ended the stream
}

// readLines sends the lines of in until in ends, fails or quit is closed, and
// then closes the channel. It holds one line at a time.
func readLines(in io.Reader, quit <-chan struct{}) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		for reader := wire.NewReader(in, MaxLine); ; {
			text, err := reader.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			next := line{reader.Number(), text, err}
			select {
			case lines <- next:
			case <-quit:
				return
			}
			if next.ends() {
				return
			}
		}
	}()
	return lines
}

// ends reports whether the stream cannot be read any further.
func (l line) ends() bool { return l.err != nil && !errors.Is(l.err, wire.ErrTooLong) }

// request is a call as it is written in a line.
type request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	ID        json.RawMessage `json:"id"`
}

// parse reads a call and passes the name of its tool to check. With an error,
// which is addressed to the author of the line, it returns what could be read.
func (l line) parse(check func(tool string) error) (request, error) {
	var r request
	if l.err != nil {
		return r, fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)
	}
	if !utf8.Valid(l.text) { // encoding/json would put U+FFFD there
		return r, errors.New("the line is not text in UTF-8")
	}
	if err := decode(l.text, &r, true); err != nil {
		why := strings.TrimPrefix(err.Error(), "line 1, ") // there is no other
		return r, fmt.Errorf(`the line is not {"tool": ..., "arguments": {...}, "id": ...}: %s`, why)
	}
	switch {
	case r.Tool == "":
		return r, errors.New(`the line names no "tool"`)
	case len(r.Arguments) > 0 && r.Arguments[0] != '{' && string(r.Arguments) != "null":
		return r, errors.New(`"arguments" must be an object`)
	}
	return r, check(r.Tool)
}

// wordsForBash lets the script for bash work where the package bash-completion
// is not installed, as on a new Mac.
//
//go:embed completion.bash
var wordsForBash string

// Shells returns the shells that WriteScript knows.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// WriteScript writes the script that completes the command lines of a program
// in a shell.
func WriteScript(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		if _, err := io.WriteString(w, wordsForBash); err != nil {
			return err
		}
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return fmt.Errorf("unknown shell %q", shell)
}
