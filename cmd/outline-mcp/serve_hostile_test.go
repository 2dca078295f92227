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

	"outline-mcp/internal/hostile"
	"outline-mcp/internal/workspace"
)

// TestNoRequestsTakeMoreMemoryThanTheContainerHas sends the program everything at
// once that takes more memory than it seems to: with made-up keys and with one that
// Outline accepts, as long as MCP_MAX_BODY allows and just short enough to count as
// small, beside connections whose headers do not end. With the race detector memory means nothing.
func TestNoRequestsTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	sample, err := workspace.New(workspace.Options{Latency: 100 * time.Millisecond}) // so that calls overlap
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := program(t.Context(), []string{"MCP_TRANSPORT=http", "MCP_PORT=" + port, "OUTLINE_API_URL=" + outline.URL})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	url := "http://" + address + "/mcp"
	read := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_collections","arguments":{}}}`)
	accepted := func(int) string { return workspace.MemberKey }
	for deadline := time.Now().Add(20 * time.Second); hostile.Flood(t.Context(), url, [][]byte{read}, 1, 1, accepted)[http.StatusOK] == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the program does not serve")
		}
	}
	idle, _, err := hostile.Memory(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for _, shape := range hostile.Shapes() {
		bodies = append(bodies, shape.Body(8<<20-1024), shape.Body(250<<10), shape.Body(250<<10), shape.Body(190<<10))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	closeAll := hostile.Connect(ctx, address, 3000, 15_000)
	defer closeAll()
	sent := hostile.Flood(ctx, url, bodies, 4*len(bodies), 64, func(n int) string {
		if n%3 == 0 {
			return workspace.MemberKey
		}
		return hostile.Key(n)
	})
	_, most, err := hostile.Memory(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB above %d MiB, answers %s", (most-idle)>>20, idle>>20, sent)
	if most-idle > 150<<20 {
		t.Errorf("it takes %d MiB more than when it is idle", (most-idle)>>20)
	}
	if served := hostile.Flood(ctx, url, [][]byte{read}, 1, 1, accepted); served[http.StatusOK] != 1 || strings.Contains(sent.String(), "× 500") {
		t.Errorf("afterwards it answers %s; before, %s", served, sent)
	}
}
