package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"outline-mcp/internal/mcp/wire"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// A stage is a server whose tools do what tests need to see.
type stage struct {
	*httptest.Server
	entered chan string   // the names of callers whose wait has begun
	leave   chan struct{} // closed to end all waits
}

// newStage starts a server that is served by this package, or by the library
// alone if plain is set.
func newStage(t *testing.T, plain bool) *stage {
	t.Helper()
	s := &stage{entered: make(chan string, 1000), leave: make(chan struct{})}
	tools := server.NewMCPServer("stage", "1", server.WithToolCapabilities(false))
	tools.AddTool(mcp.NewTool("steps", mcp.WithNumber("steps")), s.steps)
	tools.AddTool(mcp.NewTool("wait", mcp.WithString("name")), s.wait)
	tools.AddTool(mcp.NewTool("header"), func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		parent, state := wire.Trace(ctx)
		return mcp.NewToolResultText(fmt.Sprint(request.Header, parent, state)), nil
	})
	tools.AddTool(mcp.NewTool("session"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(server.ClientSessionFromContext(ctx).SessionID()), nil
	})
	tools.AddTool(mcp.NewTool("panics"), s.panics)
	tools.AddTool(mcp.NewTool("broken"), s.broken)
	var handler http.Handler
	if plain {
		handler = server.NewStreamableHTTPServer(tools, server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	} else {
		ours := wire.NewHTTP(tools, slog.New(slog.DiscardHandler))
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			ours.Serve(w, r, body)
		})
	}
	s.Server = httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// steps sends as many progress notifications as it is asked for, and ends.
func (s *stage) steps(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for step := range request.GetInt("steps", 0) {
		err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": request.Params.Meta.ProgressToken, "progress": step + 1,
		})
		if err != nil {
			return nil, err
		}
	}
	return mcp.NewToolResultText("done"), nil
}

// panics panics after it has told its progress.
func (s *stage) panics(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_ = server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": request.Params.Meta.ProgressToken, "progress": 1})
	panic("as it is asked to")
}

// broken answers what cannot be encoded, after as many steps as it is asked for.
func (s *stage) broken(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := s.steps(ctx, request); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: func() {}}, nil
}

// wait waits until the stage lets it go, or its call is cancelled.
func (s *stage) wait(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.entered <- request.GetString("name", "")
	select {
	case <-s.leave:
		return mcp.NewToolResultText("waited"), nil
	case <-ctx.Done():
		s.entered <- "cancelled"
		return mcp.NewToolResultError("cancelled"), nil
	}
}

// An answer is what came back: the messages of a stream, or the one of a body.
type answer struct {
	status   int
	header   http.Header
	body     string
	messages []httpMessage
}

type httpMessage struct {
	JSONRPC string
	ID      json.RawMessage
	Method  string
	Params  struct {
		ProgressToken any
		Progress      int
	}
	Result struct {
		Content           []struct{ Text string }
		IsError           bool
		ProtocolVersion   string
		SupportedVersions []string
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// revisions are the ways of asking in each version of the protocol.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// request makes a request of a version of the protocol, "" for one that does
// not say.
func (s *stage) request(t *testing.T, version, id, method, params string, headers ...string) *http.Request {
	t.Helper()
	if version == mcp.ProtocolVersion20260728 {
		meta := `"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}`
		if strings.Contains(params, `"_meta":{`) {
			params = strings.Replace(params, `"_meta":{`, `"_meta":{`+meta+`,`, 1)
		} else {
			params = `{"_meta":{` + meta + `}` + strings.Replace(","+strings.TrimPrefix(params, "{"), ",}", "}", 1)
		}
		var named struct{ Name string }
		if err := json.Unmarshal([]byte(params), &named); err != nil {
			t.Fatalf("%s: %v", params, err)
		}
		headers = append([]string{"Mcp-Method: " + method, "Mcp-Name: " + named.Name}, headers...)
	}
	if version != "" {
		headers = append([]string{"Mcp-Protocol-Version: " + version}, headers...)
	}
	return s.raw(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+`}`, headers...)
}

// raw makes a request with any body; later headers replace earlier ones.
func (s *stage) raw(t *testing.T, body string, headers ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		if value = strings.TrimSpace(value); value == "" {
			request.Header.Del(name)
			continue
		}
		request.Header.Set(name, value)
	}
	return request
}

// send sends a request and reads all of the answer.
func (s *stage) send(t *testing.T, request *http.Request) answer {
	t.Helper()
	response, err := s.Client().Do(request)
	if err != nil {
		t.Error(err)
		return answer{}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(raw)}
	parts := [][]byte{raw}
	if response.Header.Get("Content-Type") == "text/event-stream" {
		parts = bytes.Split(bytes.TrimSuffix(raw, []byte("\n\n")), []byte("\n\n"))
	}
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		var m httpMessage
		if err := json.Unmarshal(bytes.TrimPrefix(part, []byte("event: message\ndata: ")), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("%q is no message: %v", part, err)
		}
		a.messages = append(a.messages, m)
	}
	return a
}

// last is the last message, which answers the request.
func (a answer) last() httpMessage {
	if len(a.messages) == 0 {
		return httpMessage{}
	}
	return a.messages[len(a.messages)-1]
}

// text is what a tool answered.
func (a answer) text() string {
	if content := a.last().Result.Content; len(content) > 0 {
		return content[0].Text
	}
	return a.body
}
