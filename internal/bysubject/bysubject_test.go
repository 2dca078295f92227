package bysubject_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"outline-mcp/internal/bysubject"
)

func TestAQuestionEndsWithTheLastRequestThatWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache bysubject.Cache[string]
		asked := 0
		var ended error
		slow := func(ctx context.Context) (string, bool) {
			asked++
			<-ctx.Done()
			ended = ctx.Err()
			return "", false
		}
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		cache.Begin(first, slow)
		wait := cache.Begin(second, slow)
		leaveFirst()
		synctest.Wait()
		if asked != 1 || ended != nil {
			t.Errorf("asked %d times, and the question ended with %v while a request waits for it", asked, ended)
		}
		leaveSecond()
		synctest.Wait()
		if !errors.Is(ended, context.Canceled) || wait() != "" {
			t.Errorf("after the last request: %v", ended)
		}
		if got := cache.Begin(t.Context(), func(context.Context) (string, bool) { return "known", true })(); got != "known" {
			t.Errorf("who comes later is told %q", got)
		}
	})
}

func TestAValueOutlivesTheRequestThatAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cache bysubject.Cache[string]
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
	var cache bysubject.Cache[string]
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
func askInARequest(t *testing.T, cache *bysubject.Cache[string]) weak.Pointer[[1024]byte] {
	type key struct{}
	body := new([1024]byte)
	ctx, end := context.WithCancel(context.WithValue(t.Context(), key{}, body))
	defer end()
	cache.Begin(ctx, func(context.Context) (string, bool) { return "known", true })()
	return weak.Make(body)
}
