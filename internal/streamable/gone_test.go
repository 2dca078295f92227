package streamable_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/streamable"
)

// gone is a client that has closed its connection.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestAClientThatHasGoneIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	h := streamable.New(server.NewMCPServer("stage", "1"), slog.New(slog.NewTextHandler(&log, nil)))
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Content-Type", "application/json")
	h.Serve(gone{httptest.NewRecorder()}, r, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if log.Len() > 0 {
		t.Error(&log)
	}
}
