package app_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/app"
)

// switching is an Outline that answers each request with 101, and keeps its
// connection.
func switching(t *testing.T) *outlineServer {
	t.Helper()
	outline := newOutlineServer(t)
	ctx, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	outline.fail(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		context.AfterFunc(ctx, func() { connection.Close() })
		io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
	})
	return outline
}

func TestAnUpstreamThatSwitchesProtocolsHoldsNothingUp(t *testing.T) {
	outline := switching(t)
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY=ol_api_test", "MCP_MAX_CALLS_PER_KEY=1")
	within := func(what string, do func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			do()
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			outline.CloseClientConnections()
			t.Fatal(what + " does not end")
		}
	}
	for range 2 { // the slot of the first is free again
		within("a call", func() {
			r, err := s.send(t.Context(), "tools/call", listCollections)
			if err != nil || !r.Result.IsError || !strings.Contains(r.body, "status 101") {
				t.Errorf("%v: %s", err, r.body)
			}
		})
	}
	within("/ready", func() {
		response, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/ready")
		if err != nil {
			t.Error(err)
			return
		}
		response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("ready: status %d", response.StatusCode)
		}
	})
	within("stopping", func() {
		s.stop()
		s.ended <- <-s.ended
	})
}
