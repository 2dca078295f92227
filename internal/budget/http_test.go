//go:build !race

package budget_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/workspace"
)

func TestCallsOverHTTPKeepTheirBudgetOfAllocations(t *testing.T) {
	document := func(size int) http.RoundTripper {
		return made(t, []string{strings.Repeat(line, size/len(line))}, 1)
	}
	for what, ask := range map[string]request{
		"a read over HTTP":                     {document(500), "read_document", map[string]any{"document_id": numbered(0)}},
		"reading a document of 1 MB over HTTP": {document(1_000_000), "read_document", map[string]any{"document_id": numbered(0)}},
	} {
		t.Run(what, func(t *testing.T) {
			c := dial(t, &remembered{of: ask.outline, answers: map[string]rememberedAnswer{}})
			body := ask.line()
			if size := c.post(t, body); size < 500 {
				t.Fatalf("the answer has %d bytes", size)
			}
			allocated(t, what, func() { c.post(t, body) })
		})
	}
}

const line = "A line of a document, of eighty characters, as a paragraph in it might have it.\n\n"

// A connection is to a server over HTTP in this process. Its own allocations are few,
// and the same for each call.
type connection struct {
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, outline http.RoundTripper) connection {
	t.Helper()
	loaded := load(t, "MCP_TRANSPORT=http", "OUTLINE_MAX_RESPONSE_CHARS=0")
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline, Log: app.NewLogger(io.Discard, loaded)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.ServeHTTP(ctx, listener) }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return connection{conn, bufio.NewReaderSize(conn, 64<<10)}
}

// post makes a call and returns the size of the answer.
func (c connection) post(t *testing.T, body string) int64 {
	_, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: 2025-11-25\r\nX-Outline-API-Key: %s\r\nContent-Length: %d\r\n\r\n%s", c.RemoteAddr(), workspace.AdminKey, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	size, err := io.Copy(io.Discard, response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return size
}
