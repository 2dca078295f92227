package auth_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"outline-mcp/internal/auth"
)

func TestAQuestionGoesOnFromOneRequestToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache auth.PerCaller[string]
		var asked atomic.Int32
		slow := func(ctx context.Context) (string, bool) {
			asked.Add(1)
			time.Sleep(time.Second)
			return "known", ctx.Err() == nil
		}
		for range 4 { // as completion asks with each letter, and cancels what it asked before
			ctx, leave := context.WithCancel(t.Context())
			cache.Begin(ctx, slow)
			time.Sleep(200 * time.Millisecond)
			leave()
		}
		if got := cache.Begin(t.Context(), slow)(); got != "known" || asked.Load() != 1 {
			t.Errorf("the last request is told %q; asked %d times", got, asked.Load())
		}
	})
}

func TestAValueOutlivesTheRequestThatAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache auth.PerCaller[string]
		ctx, leave := context.WithCancel(t.Context())
		ask := func(context.Context) (string, bool) { return "known", true }
		if got := cache.Begin(ctx, ask)(); got != "known" {
			t.Errorf("got %q", got)
		}
		leave()
		synctest.Wait()
		if got, known := cache.Known(t.Context()); got != "known" || !known {
			t.Errorf("later it is %q, known: %v", got, known)
		}
	})
}

func TestAKnownValueKeepsNothingOfTheRequestThatAskedForIt(t *testing.T) {
	var cache auth.PerCaller[string]
	request := askInARequest(t, &cache)
	const rounds = 1000 // the goroutine that asked may not have ended at the first
	for range rounds {
		if runtime.GC(); request.Value() == nil {
			break
		}
	}
	if request.Value() != nil {
		t.Error("the request is still in memory")
	}
	if got, known := cache.Known(t.Context()); got != "known" || !known {
		t.Errorf("the value is %q, known: %v", got, known)
	}
}

// askInARequest has the cache ask in a request that ends, and returns what the request
// carried.
func askInARequest(t *testing.T, cache *auth.PerCaller[string]) weak.Pointer[[1024]byte] {
	type key struct{}
	body := new([1024]byte)
	ctx, end := context.WithCancel(context.WithValue(t.Context(), key{}, body))
	defer end()
	cache.Begin(ctx, func(context.Context) (string, bool) { return "known", true })()
	return weak.Make(body)
}
