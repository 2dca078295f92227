package resources_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestAListEndsWithTheClientThatAskedForIt(t *testing.T) {
	const clients = 200
	w := newWiki(t, "MCP_MAX_CALLS_PER_KEY=200")
	asked := make(chan struct{}, clients*2)
	w.before = func(r *http.Request) error {
		asked <- struct{}{}
		<-r.Context().Done() // Outline does not answer
		return r.Context().Err()
	}
	c := overHTTP(t, w, handshake)
	ctx, leave := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			_, _, err := c.send(ctx, c, "resources/list", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`, nil)
			if err == nil {
				t.Error("it is answered")
			}
		})
	}
	for range clients * 2 { // each client's first two requests
		select {
		case <-asked:
		case <-time.After(30 * time.Second):
			t.Fatal("requests do not reach Outline")
		}
	}
	leave()
	wait.Wait()
	// That no goroutine is left, TestMain checks.
}
