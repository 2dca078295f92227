// Package cli is what the commands that call tools have in common: `call`, its
// streams and its completion, and `demo`. It calls tools through an MCP client and
// reads both renderings of their answers.
//
// For scripts, it reads arguments from files, applies jq expressions to answers, makes
// many calls in one stream, and shows progress. For the shell, it offers what can stand
// next on the command line: tools, arguments, their values, and the titles of documents
// and collections where an ID is wanted.
package cli

import (
	"bytes"
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

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"outline-mcp/internal/text"
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
	err    error // text.ErrTooLong, or what ended the stream
}

// readLines sends the lines of in until in ends, fails or quit is closed, and
// then closes the channel. It holds one line at a time.
func readLines(in io.Reader, quit <-chan struct{}) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		for reader := text.NewLineReader(in, MaxLine); ; {
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
func (l line) ends() bool { return l.err != nil && !errors.Is(l.err, text.ErrTooLong) }

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

// Answer is a tool's answer in both renderings.
type Answer struct {
	Text       string
	Structured json.RawMessage // absent when structured output is off
	Code       output.Code     // of a failure; "" for a success
}

// Call calls a tool. The arguments are any value that encodes as a JSON
// object, or nil. A tool that fails is an Answer with a Code, not an error.
func Call(ctx context.Context, c *client.Client, tool string, arguments any) (Answer, error) {
	return call(ctx, c, tool, arguments, nil)
}

func call(ctx context.Context, c *client.Client, tool string, arguments any, meta *mcp.Meta) (Answer, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments, request.Params.Meta = tool, arguments, meta
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return Answer{}, fmt.Errorf("call %s: %w", tool, err)
	}
	answer := Answer{Structured: result.RawStructuredContent}
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			answer.Text += text.Text
		}
	}
	if result.IsError {
		failure := struct {
			Code output.Code `json:"code"`
		}{output.Internal}
		if len(answer.Structured) > 0 {
			if err := json.Unmarshal(answer.Structured, &failure); err != nil {
				return answer, fmt.Errorf("read the failure of %s: %w", tool, err)
			}
		}
		answer.Code = failure.Code
	}
	return answer, nil
}

// parseObject parses one JSON object and keeps its numbers as they are written.
// Errors say where in raw they are.
func parseObject(raw []byte) (map[string]any, error) {
	var object map[string]any
	if err := decode(raw, &object, false); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("it is null")
	}
	return object, nil
}

// decode decodes the one JSON value in raw. If strict is set, a key that value
// has no field for is an error; all other fields are set then.
func decode(raw []byte, value any, strict bool) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return errors.New("it is empty")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if strict {
		decoder.DisallowUnknownFields()
	}
	err := decoder.Decode(value)
	if err == nil {
		end := decoder.InputOffset()
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			rest := raw[end:]
			return fmt.Errorf("%s: unexpected text after it", position(raw, int(end)+len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))))
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: it ends too early", position(raw, len(raw)))
	case errors.As(err, &syntax):
		// The offset is that of the byte after the invalid one.
		return fmt.Errorf("%s: %w", position(raw, int(syntax.Offset)-1), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s has the wrong type: %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("it has the wrong type: %s", kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// position returns the line and column of an offset, both from 1.
func position(raw []byte, offset int) string {
	before := raw[:max(0, min(offset, len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// WriteJSON writes JSON, indented and with its keys in the order given. It writes
// <, > and & as they are: encoding/json escapes them for the sake of web pages.
func WriteJSON(w io.Writer, raw json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return fmt.Errorf("indent JSON: %w", err)
	}
	unescape := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // \\u003c is no escape
	_, err := io.WriteString(w, unescape.Replace(indented.String())+"\n")
	return err
}
