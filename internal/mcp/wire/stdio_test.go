package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/wire"
)

// stage is a server with a tool, whose name is "tool".
func newStdio(tool server.ToolHandlerFunc) wire.Stdio {
	s := server.NewMCPServer("stage", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("tool"), tool)
	return wire.Stdio{MCP: s, Log: slog.New(slog.DiscardHandler), CallTimeout: 10 * time.Second}
}

func done(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("done"), nil
}

const (
	initialize  = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

func callLine(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool","_meta":{"progressToken":%d}}}`+"\n", id, id)
}

// message is a line that the server writes.
type stdioMessage struct {
	ID     any
	Method string
	Params struct {
		Progress      int
		ProgressToken int
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func stdioMessages(t *testing.T, output []byte) []stdioMessage {
	t.Helper()
	var all []stdioMessage
	for line := range bytes.Lines(output) {
		var m stdioMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %q", err, line)
		}
		all = append(all, m)
	}
	return all
}

func answered(all []stdioMessage, id any) *stdioMessage {
	for i := range all {
		if all[i].ID == id && all[i].Method == "" {
			return &all[i]
		}
	}
	return nil
}

func TestAtTheEndOfInputEveryRequestIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 200
		var input strings.Builder
		input.WriteString(initialize + initialized)
		for id := range calls {
			input.WriteString(callLine(id))
		}
		var output bytes.Buffer
		s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			time.Sleep(9 * time.Second)
			return done(ctx, r)
		})
		start := time.Now()
		if err := s.Serve(t.Context(), strings.NewReader(strings.TrimSuffix(input.String(), "\n")), &output); err != nil {
			t.Fatal(err)
		}
		all := stdioMessages(t, output.Bytes())
		for id := range calls {
			if a := answered(all, float64(id)); a == nil || a.Result == nil {
				t.Fatalf("call %d has no answer", id)
			}
		}
		if took := time.Since(start); took != 7*9*time.Second { // 32 at a time
			t.Errorf("200 calls take %s", took)
		}
	})
}

func TestOtherRequestsThatWaitForOutlineShareTheLimitOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStdio(done)
		s.MCP.AddPrompt(mcp.NewPrompt("slow"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			time.Sleep(9 * time.Second)
			return mcp.NewGetPromptResult("", nil), nil
		})
		var input strings.Builder
		input.WriteString(initialize + initialized)
		for id := range 40 {
			fmt.Fprintf(&input, `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"slow"}}`+"\n", id)
		}
		var output bytes.Buffer
		start := time.Now()
		if err := s.Serve(t.Context(), strings.NewReader(input.String()), &output); err != nil {
			t.Fatal(err)
		}
		if a := answered(stdioMessages(t, output.Bytes()), float64(39)); a == nil || a.Result == nil || time.Since(start) != 2*9*time.Second {
			t.Errorf("after %s: %+v", time.Since(start), a)
		}
	})
}

func TestCallsThatDoNotEndAreGivenUpAndReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		s := newStdio(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-release // whatever the context says
			return nil, errors.New("too late")
		})
		var output bytes.Buffer
		start := time.Now()
		err := s.Serve(t.Context(), strings.NewReader(initialize+callLine(1)+callLine(2)), &output)
		if err == nil || !strings.Contains(err.Error(), "2 requests have no answer") {
			t.Errorf("serving ends with %v", err)
		}
		if took := time.Since(start); took != 11*time.Second { // the call's, and twice half a second
			t.Errorf("after %s", took)
		}
	})
}

func TestAnAnswerDoesNotOvertakeTheProgressOfItsCall(t *testing.T) {
	const calls, steps = 100, 20
	s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for step := range steps {
			if err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": step + 1}); err != nil {
				return nil, err
			}
		}
		return done(ctx, r)
	})
	input := initialize + initialized
	for id := range calls {
		input += callLine(id)
	}
	var output bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(input), &output); err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for _, m := range stdioMessages(t, output.Bytes()) {
		switch id, isCall := m.ID.(float64); {
		case m.Method != "":
			if seen[m.Params.ProgressToken]++; seen[m.Params.ProgressToken] != m.Params.Progress {
				t.Fatalf("call %d tells step %d as the %dth", m.Params.ProgressToken, m.Params.Progress, seen[m.Params.ProgressToken])
			}
		case isCall && (seen[int(id)] != steps || m.Result == nil):
			t.Fatalf("call %d is answered after %d of %d steps: %s", int(id), seen[int(id)], steps, m.Result)
		}
	}
	if len(seen) != calls {
		t.Errorf("%d calls told their progress", len(seen))
	}
}

func TestTheClientCanCancelACall(t *testing.T) {
	started := make(chan struct{})
	s := newStdio(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		return mcp.NewToolResultError("cancelled"), nil
	})
	in, feed := io.Pipe()
	go func() {
		_, _ = io.WriteString(feed, initialize+initialized+callLine(1))
		<-started
		_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		feed.Close()
	}()
	if err := s.Serve(t.Context(), in, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestServingEndsWithItsContextWithoutAnError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		cancel(errors.New("terminated"))
		<-ctx.Done()
		return done(ctx, r)
	})
	in, feed := io.Pipe()
	defer feed.Close()
	go func() { _, _ = io.WriteString(feed, initialize+callLine(1)) }()
	if err := s.Serve(ctx, in, io.Discard); err != nil {
		t.Error(err)
	}
}

// gone is an output that nobody reads any more.
type goneReader struct{ writes atomic.Int64 }

func (g *goneReader) Write([]byte) (int, error) {
	g.writes.Add(1)
	return 0, errors.New("broken pipe")
}

func TestServingEndsWhenTheClientNoLongerReads(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	go func() { _, _ = io.WriteString(feed, initialize+callLine(1)) }()
	out := &goneReader{}
	err := newStdio(done).Serve(t.Context(), in, out)
	if err == nil || !strings.Contains(err.Error(), "write a message: broken pipe") || out.writes.Load() != 1 {
		t.Errorf("after %d writes: %v", out.writes.Load(), err)
	}
}

func TestServingEndsWhenTheInputFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader(initialize), failingInput{})
	if err := newStdio(done).Serve(t.Context(), in, io.Discard); err == nil || !strings.Contains(err.Error(), "read a message: bad disk") {
		t.Error(err)
	}
}

type failingInput struct{}

func (failingInput) Read([]byte) (int, error) { return 0, errors.New("bad disk") }

func TestAMessageThatMakesTheLibraryPanicIsAnsweredAndTheNextToo(t *testing.T) {
	var calls atomic.Int64
	s := newStdio(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if calls.Add(1) == 1 {
			panic("secret value")
		}
		return done(ctx, r)
	})
	var output bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(initialize+callLine(1)+callLine(2)), &output); err != nil {
		t.Fatal(err)
	}
	all := stdioMessages(t, output.Bytes())
	failed, fine := 0, 0
	for _, id := range []float64{1, 2} {
		switch a := answered(all, id); {
		case a == nil:
			t.Fatalf("no answer to %v: %s", id, output.String())
		case a.Error != nil && a.Error.Code == mcp.INTERNAL_ERROR:
			failed++
		case a.Result != nil:
			fine++
		}
	}
	if failed != 1 || fine != 1 || strings.Contains(output.String(), "secret") {
		t.Errorf("%s", output.String())
	}
}

func TestWhatIsNoRequestIsAnsweredOnlyWhereJSONRPCSaysSo(t *testing.T) {
	tests := []struct {
		name, line string
		answer     string // "" for none
	}{
		{"no JSON", "not JSON", `"id":null,"error":{"code":-32700`},
		{"an empty batch", "[]", `"id":null,"error":{"code":-32600`},
		{"another version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"id":7,"error":{"code":-32600`},
		{"an unknown method", `{"jsonrpc":"2.0","id":"x","method":"fly"}`, `"id":"x","error":{"code":-32601`},
		{"an ID that is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"an ID that is true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"an ID that is not UTF-8", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"a large ID", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `"id":9007199254740993,"result"`},
		{"an ID that is a fraction", `{"jsonrpc":"2.0","id":1.50,"method":"fly"}`, `"id":1.50,"error":{"code":-32601`},
		{"a method with a long name", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("fly", 1000) + `"}`, `"message":"unknown method \"` + strings.Repeat("fly", 33) + `f…`},
		{"a tool with a long name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("fly", 1000) + `"}}`, `"message":"unknown name`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/fly"}`, ""},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"a blank line", " \t\r", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var output bytes.Buffer
			if err := newStdio(done).Serve(t.Context(), strings.NewReader(test.line+"\r\n\n"), &output); err != nil {
				t.Fatal(err)
			}
			if got := output.String(); (got == "") != (test.answer == "") || !strings.Contains(got, test.answer) || strings.Count(got, "\n") > 1 {
				t.Errorf("the answer is %q", got)
			}
		})
	}
}

func TestASubscriptionIsNotOffered(t *testing.T) {
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	line := `{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modern + `}}`
	var output bytes.Buffer
	if err := newStdio(done).Serve(t.Context(), strings.NewReader(line), &output); err != nil {
		t.Fatal(err)
	}
	all := stdioMessages(t, output.Bytes())
	if refusal := answered(all, 5.0); len(all) != 1 || refusal == nil || refusal.Error == nil || refusal.Error.Code != mcp.METHOD_NOT_FOUND {
		t.Errorf("%s", output.String())
	}
}

func TestAMessageThatIsTooLongIsRefusedAndTheNextAnswered(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"x":"`), strings.NewReader(strings.Repeat("x", 17<<20)), strings.NewReader("\"}\n"+callLine(3)))
	var output bytes.Buffer
	if err := newStdio(done).Serve(t.Context(), in, &output); err != nil {
		t.Fatal(err)
	}
	all := stdioMessages(t, output.Bytes())
	if refusal := answered(all, nil); refusal == nil || refusal.Error == nil || refusal.Error.Message != "message longer than 16 MiB" || answered(all, 3.0) == nil {
		t.Errorf("%s", output.String())
	}
}

// asking is a tool that asks the client something, and answers with what came of it.
func asking(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	answer, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{
		Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: mcp.ElicitationParams{Message: "Really?", RequestedSchema: map[string]any{"type": "object"}},
	})
	if err != nil {
		return mcp.NewToolResultText(err.Error()), nil
	}
	return mcp.NewToolResultText(string(answer.Action)), nil
}

// talk is a conversation with a server, line by line.
type talk struct {
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func begin(t *testing.T, s wire.Stdio) *talk {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	c := &talk{in, bufio.NewScanner(out), make(chan error, 1)}
	go func() {
		c.ended <- s.Serve(t.Context(), toServer, fromServer)
		fromServer.Close()
	}()
	c.say(t, initialize)
	c.next(t)
	return c
}

func (c *talk) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line); err != nil {
		t.Fatal(err)
	}
}

func (c *talk) next(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the server ends: %v", c.lines.Err())
	}
	return c.lines.Text()
}

func (c *talk) end(t *testing.T) {
	t.Helper()
	c.in.Close()
	for c.lines.Scan() {
	}
	if err := <-c.ended; err != nil {
		t.Errorf("serving ends with %v", err)
	}
}

func TestWhatBecomesOfAQuestionToTheClient(t *testing.T) {
	for name, test := range map[string]struct{ reply, says string }{
		"it is answered":                {`{"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept","content":{}}}`, "accept"},
		"the client answers an error":   {`{"jsonrpc":"2.0","id":"ask-1","error":{"code":-32601,"message":"what?"}}`, "the client answered with an error"},
		"the answer makes no sense":     {`{"jsonrpc":"2.0","id":"ask-1","result":7}`, "read the answer of the client"},
		"the client cancels the call":   {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ""},
		"an answer to another question": {`{"jsonrpc":"2.0","id":"ask-2","result":{"action":"accept"}}`, "context deadline exceeded"},
		"nobody answers":                {`{"jsonrpc":"2.0","id":5,"method":"ping"}`, "context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := begin(t, newStdio(asking))
				defer c.end(t)
				c.say(t, callLine(1))
				question := c.next(t)
				var asked struct {
					ID, Method string
					Params     struct{ Message string }
				}
				if err := json.Unmarshal([]byte(question), &asked); err != nil || asked.Method != "elicitation/create" || asked.Params.Message != "Really?" || asked.ID != "ask-1" {
					t.Fatalf("%v: %s", err, question)
				}
				c.say(t, test.reply+"\n")
				answer := c.next(t)
				if strings.Contains(answer, `"id":5`) {
					answer = c.next(t) // of the ping
				}
				if unanswered := test.says == "" || strings.HasPrefix(test.says, "context"); unanswered {
					if !strings.Contains(answer, `"method":"notifications/cancelled"`) || !strings.Contains(answer, `"requestId":"ask-1"`) {
						t.Errorf("the question is not withdrawn: %s", answer)
					}
					if test.says == "" {
						return
					}
					answer = c.next(t)
				}
				if !strings.Contains(answer, test.says) || !strings.Contains(answer, `"id":1`) {
					t.Errorf("the call is answered with %s", answer)
				}
			})
		})
	}
}

func TestTheEndOfInputEndsAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := begin(t, newStdio(asking))
		c.say(t, callLine(1))
		c.next(t)
		start := time.Now()
		c.in.Close()
		if answer := c.next(t); !strings.Contains(answer, "the client no longer sends anything") || time.Since(start) > 0 {
			t.Errorf("after %s: %s", time.Since(start), answer)
		}
		c.end(t)
	})
}

func TestOpenQuestionsDoNotHoldUpOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStdio(asking)
		s.MCP.AddTool(mcp.NewTool("other"), done)
		c := begin(t, s)
		const questions = 40 // more than there are calls at a time
		for id := range questions {
			c.say(t, callLine(id+1))
			c.next(t)
		}
		start := time.Now()
		c.say(t, `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"other"}}`+"\n")
		if answer := c.next(t); !strings.Contains(answer, "done") || time.Since(start) > 0 {
			t.Errorf("after %s: %s", time.Since(start), answer)
		}
		for id := range questions {
			c.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask-%d","result":{"action":"decline"}}`, id+1)+"\n")
			if answer := c.next(t); !strings.Contains(answer, "decline") {
				t.Error(answer)
			}
		}
		c.end(t)
	})
}
