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

	"outline-mcp/internal/streamable"
)

// A bareSession is a session of the library as another version may have it.
type bareSession struct{ server.ClientSession }

func TestARequestWithoutASessionOfItsOwnIsRefused(t *testing.T) {
	tools := server.NewMCPServer("stage", "1", server.WithToolCapabilities(false))
	tools.AddTool(mcp.NewTool("runs"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		t.Error("the tool runs")
		return mcp.NewToolResultText("ran"), nil
	})
	for name, session := range map[string]server.ClientSession{"none": nil, "another type": bareSession{}} {
		var log bytes.Buffer
		handler := streamable.New(tools, slog.New(slog.NewTextHandler(&log, nil)))
		streamable.ReplaceSessions(handler, session)
		for range 2 {
			request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
			for name, value := range map[string]string{"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "runs"} {
				request.Header.Set(name, value)
			}
			recorder := httptest.NewRecorder()
			handler.Serve(recorder, request, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"runs","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
			if answer := recorder.Body.String(); recorder.Code != http.StatusInternalServerError || !strings.Contains(answer, `"id":7,"error":{"code":-32603,`) {
				t.Errorf("%s: status %d, %s", name, recorder.Code, answer)
			}
		}
		if strings.Count(log.String(), "level=ERROR") != 1 {
			t.Errorf("%s: the log is %s", name, log.String())
		}
	}
}
