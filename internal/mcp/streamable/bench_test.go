package streamable_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/streamable"
)

// What this package costs beside the library alone.
func BenchmarkCall(b *testing.B) {
	tools := server.NewMCPServer("stage", "1", server.WithToolCapabilities(false))
	tools.AddTool(mcp.NewTool("echo"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	})
	log := slog.New(slog.DiscardHandler)
	library := server.NewStreamableHTTPServer(tools, server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(log))
	ours := streamable.New(tools, log)
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 200) + `"}}}`)
	request := func() *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		return r
	}
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			library.ServeHTTP(httptest.NewRecorder(), request())
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ours.Serve(httptest.NewRecorder(), request(), body)
		}
	})
}
