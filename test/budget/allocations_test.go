//go:build !race

// The race detector allocates for itself, and pools keep less under it.

package budget_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

func TestTheUsualCallsKeepTheirBudgetOfAllocations(t *testing.T) {
	chapter := "## A heading with `code` and *emphasis*\n\n" + strings.Repeat("A line of a document, of eighty characters, as a paragraph in it might have it.\n\n", 24)
	document := func(size int) http.RoundTripper {
		return made(t, []string{strings.Repeat(chapter, size/len(chapter))}, 1)
	}
	first := map[string]any{"document_id": numbered(0)}
	for what, ask := range map[string]request{
		"reading a document of 100 KB": {document(100_000), "read_document", first},
		"reading a document of 1 MB":   {document(1_000_000), "read_document", first},
		"the outline of 1 MB":          {document(1_000_000), "get_document_outline", first},
		"an edit of 1 MB": {made(t, []string{strings.Repeat(chapter, 1_000_000/len(chapter)) + "The last line."}, 1), "edit_document", map[string]any{
			"document_id": numbered(0), "edits": []any{map[string]any{"old_text": "The last line.", "new_text": "The very last line."}}}},
		"a search of 25":             search(t),
		"a small call":               {document(1_000_000), "list_trash", map[string]any{}},
		"arguments that are refused": {sampleWorkspace(t), "search_documents", map[string]any{"query": "x", "limit": "many", "color": "blue"}},
	} {
		t.Run(what, func(t *testing.T) {
			s, line := newSession(t, &remembered{of: ask.outline, answers: map[string]rememberedAnswer{}}, "OUTLINE_MAX_RESPONSE_CHARS=0"), ask.line()
			allocated(t, what, func() { s.ask(line) })
			if refused := strings.Contains(string(s.out.line), `"isError":true`); refused != (what == "arguments that are refused") {
				t.Fatalf("%.300s", s.out.line)
			}
		})
	}
}

func TestTheStartKeepsItsBudgetOfAllocations(t *testing.T) {
	loaded := load(t)
	for what, demo := range map[string]bool{"making the server": false, "making the server with --demo": true} {
		allocated(t, what, func() {
			if _, err := app.New(app.Options{Config: loaded, Demo: demo, Version: "test", Log: app.NewLogger(io.Discard, loaded)}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// allocated holds what run allocates against its budgets.
func allocated(t *testing.T, what string, run func()) {
	t.Helper()
	count, size := least(run)
	check(t, "allocations, "+what, count)
	check(t, "bytes allocated, "+what, size)
}

// least returns how often run allocates, and how many bytes, at the mean of five runs:
// the least of some fives, as pools fill up at first. The garbage collector rests, which
// empties them.
func least(run func()) (allocations, bytes int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const rounds, runs = 4, 5
	count, size := uint64(math.MaxInt64), uint64(math.MaxInt64)
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			run()
		}
		runtime.ReadMemStats(&after)
		count, size = min(count, (after.Mallocs-before.Mallocs)/runs), min(size, (after.TotalAlloc-before.TotalAlloc)/runs)
	}
	return int(count), int(size)
}

// remembered answers what was asked before as it was answered then, so that
// what Outline does is no part of what is measured.
type remembered struct {
	of http.RoundTripper

	mu      sync.Mutex
	answers map[string]rememberedAnswer
}

type rememberedAnswer struct {
	status int
	body   []byte
}

// RoundTrip implements http.RoundTripper.
func (m *remembered) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := r.URL.Path + " " + r.Header.Get("x-api-version") + " " + string(asked)
	remembered, known := m.answers[key]
	if !known {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(asked))
		answer, err := m.of.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		remembered.status = answer.StatusCode
		if remembered.body, err = io.ReadAll(answer.Body); err != nil {
			return nil, err
		}
		m.answers[key] = remembered
	}
	return &http.Response{
		StatusCode: remembered.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(remembered.body)),
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(remembered.body)), Request: r,
	}, nil
}

func TestTheServerKeepsItsBudgetOfMemoryHoweverManyCallsItHasAnswered(t *testing.T) {
	outline := &remembered{of: sampleWorkspace(t), answers: map[string]rememberedAnswer{}}
	ask := request{outline, "read_document", map[string]any{"document_id": "1wPyxUCdt9"}}
	kept := math.MaxInt
	for range 8 { // the first ones also keep what all servers of a process share, whichever test ran before
		before := liveHeap()
		s, line := newSession(t, outline), ask.line()
		answer := func(calls int) {
			for range calls {
				s.ask(line)
			}
		}
		answer(200)
		early := liveHeap()
		answer(2000)
		late := liveHeap()
		kept = min(kept, late-before)
		if grown := late - early; grown > 64<<10 {
			t.Errorf("2,000 calls leave %d bytes behind", grown)
		}
	}
	check(t, "bytes of live heap, the server after 2,200 calls", kept)
}

// liveHeap returns the bytes that are in use. What is in pools goes with the second
// collection.
func liveHeap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

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
