//go:build linux && !race

package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// TestNoRequestsTakeMoreMemoryThanTheContainerHas sends the program everything at
// once that takes more memory than it seems to: with made-up keys and with one that
// Outline accepts, as long as MCP_MAX_BODY allows and just short enough to count as
// small, beside connections whose headers do not end. With the race detector memory means nothing.
func TestNoRequestsTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	s := startHostile(t)
	var bodies [][]byte
	for _, shape := range fixtures.HostileShapes() {
		bodies = append(bodies, shape.Body(8<<20-1024), shape.Body(250<<10), shape.Body(250<<10), shape.Body(190<<10))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	closeAll := fixtures.ConnectMany(ctx, s.address, 3000, 15_000)
	sent := fixtures.Flood(ctx, s.url(), bodies, 4*len(bodies), 64, func(n int) string {
		if n%3 == 0 {
			return fakeoutline.MemberKey
		}
		return fixtures.MadeUpKey(n)
	})
	s.check(t, sent.String(), closeAll)
	if strings.Contains(sent.String(), "× 500") {
		t.Errorf("answers %s", sent)
	}
}

// TestNoUseOfHTTP2TakesMoreMemoryThanTheContainerHas makes each attack on a program of
// its own that serves TLS.
func TestNoUseOfHTTP2TakesMoreMemoryThanTheContainerHas(t *testing.T) {
	certificate, key := certify(t)
	for _, attack := range fixtures.HTTP2Attacks() {
		t.Run(attack.Name, func(t *testing.T) {
			t.Parallel()
			s := startHostile(t, "MCP_TLS_CERT="+certificate, "MCP_TLS_KEY="+key)
			closeAll, err := attack.Run(t.Context(), s.address)
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, "", closeAll)
		})
	}
}

// An attacked program serves over HTTP, with an Outline that has accepted the key of
// the member.
type attacked struct {
	address string
	scheme  string
	pid     int
	outline *httptest.Server
	idle    int64 // bytes of memory
}

func startHostile(t *testing.T, settings ...string) attacked {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{Latency: 100 * time.Millisecond}) // so that calls overlap
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewUnstartedServer(withFiles(sample))
	outline.EnableHTTP2 = true // as Outlines are reached
	outline.StartTLS()
	t.Cleanup(outline.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := attacked{address: listener.Addr().String(), scheme: "http"}
	_ = listener.Close()
	if len(settings) > 0 {
		s.scheme = "https"
	}
	_, port, _ := net.SplitHostPort(s.address)
	cmd := program(t.Context(), append(settings, "MCP_TRANSPORT=http", "MCP_PORT="+port, "OUTLINE_API_URL="+outline.URL, "OUTLINE_VERIFY_SSL=false"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	s.pid, s.outline = cmd.Process.Pid, outline
	s.awaitService(t)
	if s.idle, _, err = fixtures.MemoryOf(s.pid); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s attacked) url() string { return s.scheme + "://" + s.address + "/mcp" }

// awaitService returns when a call is answered.
func (s attacked) awaitService(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	read := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_collections","arguments":{}}}`)
	for fixtures.Flood(ctx, s.url(), [][]byte{read}, 1, 1, func(int) string { return fakeoutline.MemberKey })[http.StatusOK] == 0 {
		if ctx.Err() != nil {
			t.Fatal("the program does not serve")
		}
	}
}

// check reports too much memory, and a program that serves no more when the attack
// has ended.
func (s attacked) check(t *testing.T, answers string, end func()) {
	t.Helper()
	now, most, err := fixtures.MemoryOf(s.pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d MiB above %d MiB, %d now %s", (most-s.idle)>>20, s.idle>>20, now>>20, answers)
	if most-s.idle > 150<<20 || most > 200<<20 { // a container has 256 MiB, of which reading a PDF takes some
		t.Errorf("it takes %d MiB, %d more than when it is idle", most>>20, (most-s.idle)>>20)
	}
	end()
	s.awaitService(t)
}
