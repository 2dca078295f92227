package mcptool_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/observe"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// newServer returns a server of notes: made-up resources, a prompt and
// completions, as docs/architecture.md shows them.
func newServer(p mcptool.Pipeline) *server.MCPServer {
	note := mcptool.Item{Name: "note", Group: "notes"}
	rewrite := mcptool.Item{Name: "rewrite_note", Group: "notes", Writes: true}

	items := map[string]mcptool.Item{rewrite.Name: rewrite}
	hooks := &server.Hooks{}
	p.RecordUnknown(hooks)
	s := server.NewMCPServer("notes", "1",
		server.WithHooks(hooks),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithPromptFilter(func(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
			return slices.DeleteFunc(list, func(prompt mcp.Prompt) bool { return !p.Allows(ctx, items[prompt.Name]) })
		}),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(p.Completion(note, completeNote)),
		server.WithResourceCompletionProvider(p.Completion(note, completeNote)),
	)
	s.AddResourceTemplate(mcp.NewResourceTemplate("note://{id}", "note"), p.Resource(note, readNote))
	s.AddPrompt(mcp.NewPrompt(rewrite.Name, mcp.WithArgument("id")), p.Prompt(rewrite, promptForNote))

	// Resources have no filter in the library: what a request may not use is
	// refused when it is read.
	opened := mcptool.Item{Name: "open_note", Group: "notes", Writes: true}
	secret := mcptool.Item{Name: "secret", Group: "secrets"}
	s.AddResourceTemplate(mcp.NewResourceTemplate("open://{id}", "open"), p.Resource(opened, readNote))
	s.AddResourceTemplate(mcp.NewResourceTemplate("secret://{id}", "secret"), p.Resource(secret, readNote))
	return s
}

func readNote(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	_, id, _ := strings.Cut(request.Params.URI, "://")
	text, err := note(ctx, id)
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: text}}, err
}

func promptForNote(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text, err := note(ctx, request.Params.Arguments["id"])
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Rewrite it:")),
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "note://it", Text: text})),
	}}, err
}

func completeNote(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	text, err := note(ctx, argument.Value)
	return &mcp.Completion{Values: []string{text}}, err
}

// A transport connects to a server. The function that it returns sends a request
// of a client, which may limit itself to reading, and returns the answer.
type transport func(*testing.T, *server.MCPServer) func(readOnly bool, method, params string) string

func message(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func transports() map[string]transport {
	return map[string]transport{"stdio": overStdio, "HTTP": overHTTP}
}

func overStdio(t *testing.T, s *server.MCPServer) func(bool, string, string) string {
	return func(readOnly bool, method, params string) string {
		principal := auth.ForOperator("ol_api_test")
		principal.ReadOnly = readOnly
		var out bytes.Buffer
		served := wire.Stdio{MCP: s, Log: slog.New(slog.DiscardHandler), CallTimeout: 10 * time.Second}
		if err := served.Serve(auth.NewContext(t.Context(), principal), strings.NewReader(message(method, params)), &out); err != nil {
			t.Error(err)
		}
		return out.String()
	}
}

func overHTTP(t *testing.T, s *server.MCPServer) func(bool, string, string) string {
	h, err := httpd.New(httpd.Options{MCP: wire.NewHTTP(s, slog.New(slog.DiscardHandler)).Serve})
	if err != nil {
		t.Fatal(err)
	}
	return func(readOnly bool, method, params string) string {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(message(method, params)))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer ol_api_test")
		if readOnly {
			request.Header.Set("X-Outline-Read-Only", "true")
		}
		recorder := httptest.NewRecorder()
		h.Handler(true).ServeHTTP(recorder, request)
		return recorder.Body.String()
	}
}

// A record is what a pipeline writes and counts.
type record struct {
	metrics *observe.Metrics

	mu  sync.Mutex
	log bytes.Buffer
}

func newRecord() *record {
	return &record{metrics: observe.NewMetrics(observe.MetricsOptions{Outcomes: mcptool.Outcomes()})}
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

// logged returns what was logged since it was called last.
func (r *record) logged() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.log.Reset()
	return r.log.String()
}

func (r *record) counted() string {
	recorder := httptest.NewRecorder()
	r.metrics.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return recorder.Body.String()
}
