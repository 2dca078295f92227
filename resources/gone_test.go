package resources_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAListEndsWithTheClientThatAskedForIt(t *testing.T) {
	const clients = 200
	w := newWiki(t, "MCP_MAX_CALLS_PER_KEY=200", "OUTLINE_MAX_REQUESTS=800")
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

func TestAListMakesTwoRequestsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWiki(t)
		release := make(chan struct{})
		var inFlight atomic.Int64
		w.before = func(*http.Request) error {
			inFlight.Add(1)
			<-release
			inFlight.Add(-1)
			return nil
		}
		c := overStdio(t, w, handshake)
		done := make(chan answer)
		go func() { done <- c.ask(t, "resources/list", nil) }()
		for range 2 {
			synctest.Wait()
			if n := inFlight.Load(); n != 2 {
				t.Errorf("%d requests at a time", n)
			}
			release <- struct{}{}
			release <- struct{}{}
		}
		if a := <-done; len(a.Result.Resources) == 0 {
			t.Error(a.body)
		}
	})
}
