//go:build !race

package budget_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// A call over HTTP is compared with the same call of the least server that the MCP
// library makes. What both do, net/http and the library, is not counted.
func TestACallOverHTTPKeepsItsBudgetOfAllocationsAboveTheMinimalServer(t *testing.T) {
	outline := &remembered{of: sampleWorkspace(t), answers: map[string]rememberedAnswer{}}
	ours, floor := dial(t, serve(t, outline), "read_document"), dial(t, serveMinimal(t, outline), "title")
	count, size := least(ours.call)
	floorCount, floorSize := least(floor.call)
	t.Logf("the minimal server: %d allocations, %d bytes", floorCount, floorSize)
	check(t, "allocations, a small call over HTTP above the minimal server", count-floorCount)
	check(t, "bytes allocated, a small call over HTTP", size) // the minimal server's are as many
}

func BenchmarkCallOverHTTP(b *testing.B) {
	outline := &remembered{of: sampleWorkspace(b), answers: map[string]rememberedAnswer{}}
	for name, c := range map[string]*caller{
		"outline-mcp": dial(b, serve(b, outline), "read_document"),
		"minimal":     dial(b, serveMinimal(b, outline), "title"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.call()
			}
		})
	}
}

// serve returns the address of the server, over HTTP on loopback.
func serve(t testing.TB, outline http.RoundTripper) net.Addr {
	t.Helper()
	loaded := load(t, "MCP_TRANSPORT=http")
	a, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline, Log: app.NewLogger(io.Discard, loaded)})
	if err != nil {
		t.Fatal(err)
	}
	listener, ctx := listen(t), t.Context()
	ended := make(chan error, 1)
	stopping, stop := context.WithCancel(ctx)
	go func() { ended <- a.ServeHTTP(stopping, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr()
}

// serveMinimal returns the address of the least server: the library's, without
// sessions, whose tool asks Outline by plain net/http and answers with the title.
func serveMinimal(t testing.TB, outline http.RoundTripper) net.Addr {
	t.Helper()
	s, client := server.NewMCPServer("minimal", "1", server.WithToolCapabilities(false)), &http.Client{Transport: outline}
	s.AddTool(mcp.NewTool("title", mcp.WithString("document_id", mcp.Required())), func(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		body, err := json.Marshal(map[string]string{"id": call.GetString("document_id", "")})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, fakeoutline.BaseURL+"/documents.info", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
		request.Header.Set("Authorization", "Bearer "+call.Header.Get("X-Outline-API-Key"))
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		var answer struct{ Data struct{ Title string } }
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(answer.Data.Title), nil
	})
	web := &http.Server{Handler: server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true)), ReadHeaderTimeout: time.Minute}
	listener := listen(t)
	go func() { _ = web.Serve(listener) }() // ends with the test
	t.Cleanup(func() { web.Close() })
	return listener.Addr()
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// A caller makes one call over and over. It allocates nothing: its request is ready,
// and all answers have the length of the first.
type caller struct {
	t       testing.TB
	net     net.Conn
	request []byte
	answer  []byte
}

func dial(t testing.TB, to net.Addr, tool string) *caller {
	t.Helper()
	connection, err := net.Dial(to.Network(), to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	body := request{tool: tool, arguments: map[string]any{"document_id": "1wPyxUCdt9"}}.line()
	c := &caller{t: t, net: connection, request: fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nX-Outline-API-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		to, fakeoutline.AdminKey, len(body), body)}
	for range 3 { // the first calls fill what is kept between calls
		if _, err := c.net.Write(c.request); err != nil {
			t.Fatal(err)
		}
		var read bytes.Buffer
		response, err := http.ReadResponse(bufio.NewReader(io.TeeReader(connection, &read)), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(answer), "Friday soup") || strings.Contains(string(answer), `"isError":true`) {
			t.Fatalf("%s answers %.300s, %v", tool, answer, err)
		}
		c.answer = read.Bytes()
	}
	return c
}

func (c *caller) call() {
	if _, err := c.net.Write(c.request); err != nil {
		c.t.Fatal(err)
	}
	if _, err := io.ReadFull(c.net, c.answer); err != nil {
		c.t.Fatal(err)
	}
}
