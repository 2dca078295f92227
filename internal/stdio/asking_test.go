package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/stdio"
)

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

func begin(t *testing.T, s stdio.Server) *talk {
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
				c := begin(t, stage(asking))
				defer c.end(t)
				c.say(t, call(1))
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
		c := begin(t, stage(asking))
		c.say(t, call(1))
		c.next(t)
		start := time.Now()
		c.in.Close()
		if answer := c.next(t); !strings.Contains(answer, "the client sends nothing any more") || time.Since(start) > 0 {
			t.Errorf("after %s: %s", time.Since(start), answer)
		}
		c.end(t)
	})
}

func TestOpenQuestionsDoNotHoldUpOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(asking)
		s.MCP.AddTool(mcp.NewTool("other"), done)
		c := begin(t, s)
		const questions = 40 // more than there are calls at a time
		for id := range questions {
			c.say(t, call(id+1))
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
