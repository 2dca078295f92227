package streamable_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/streamable"
)

func FuzzWhateverIsSentIsAnsweredInJSON(f *testing.F) {
	for _, body := range []string{
		"", "[]", "{}", "null", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"tools/call","params":{"name":"x","arguments":{"a":1e400}}}`,
		`{"params":{"arguments":[{}],"name":"x"},"id":9007199254740993,"method":"tools/call","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 100) + `","error":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`,
	} {
		f.Add(body, "2025-11-25", "tools/list")
		f.Add(body, "2026-07-28", "tools/list")
		f.Add(body, "", "")
	}
	handler := streamable.New(server.NewMCPServer("stage", "1", server.WithToolCapabilities(false)), slog.New(slog.DiscardHandler))
	handler.HoldArguments = true
	f.Fuzz(func(t *testing.T, body, version, method string) {
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Header["Content-Type"] = []string{"application/json"}
		if version != "" {
			request.Header["Mcp-Protocol-Version"] = []string{version}
		}
		request.Header["Mcp-Method"] = []string{method}
		recorder := httptest.NewRecorder()
		handler.Serve(recorder, request, []byte(body))
		got := recorder.Body.String()
		switch {
		case recorder.Code == http.StatusAccepted && got == "":
		case recorder.Header().Get("Content-Type") == "text/event-stream":
			if !strings.HasPrefix(got, "event: message\ndata: {") || !strings.HasSuffix(got, "}\n\n") {
				t.Errorf("%q: %q", body, got)
			}
		case recorder.Header().Get("Content-Type") != "application/json" || !json.Valid([]byte(got)) || !strings.Contains(got, `"jsonrpc":"2.0"`):
			t.Errorf("%q is answered with status %d, %s: %q", body, recorder.Code, recorder.Header().Get("Content-Type"), got)
		}
	})
}
