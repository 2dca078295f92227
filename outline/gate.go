package outline

import (
	"context"
	"sync"
	"time"
)

// gates hold calls back while the rate limit that they would run into is used
// up. Outline counts for each key and endpoint (and for each address, which
// this cannot see), so that there is a gate for each of them: what other keys
// do, and what other endpoints are asked, goes on. The zero value is ready.
type gates struct {
	mu    sync.Mutex
	opens map[gate]time.Time // only gates that are closed, or were lately
}

type gate struct{ key, endpoint string }

// longestShut is how long a gate stays closed at most: after that it is tried
// again, whatever was asked for.
const longestShut = time.Hour

// shut closes a gate for some time, if it is not closed for longer already.
func (g *gates) shut(at gate, wait time.Duration) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for other, opens := range g.opens {
		if !opens.After(now) {
			delete(g.opens, other)
		}
	}
	if g.opens == nil {
		g.opens = map[gate]time.Time{}
	}
	if opens := now.Add(min(wait, longestShut)); opens.After(g.opens[at]) {
		g.opens[at] = opens
	}
}

// closed returns how long a gate stays closed, 0 when it is open.
func (g *gates) closed(at gate) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	opens, ok := g.opens[at]
	if !ok {
		return 0
	}
	return max(0, time.Until(opens))
}

// enter waits until the gate of an endpoint is open, and reports whether it had
// to. Where that would take
// longer than the client may wait or the context leaves, it fails at once and
// tells how long.
func (c *Client) enter(ctx context.Context, endpoint string) (bool, *Error) {
	for held := false; ; held = true {
		wait := c.gates.closed(gate{c.key, endpoint})
		if wait == 0 {
			return held, nil
		}
		if !c.mayWait(ctx, wait) {
			return held, &Error{
				Endpoint: endpoint, RetryAfter: wait, kind: ErrRateLimited,
				Message: "the rate limit is used up; the request was not sent",
			}
		}
		if err := pause(ctx, wait); err != nil {
			return held, ended(endpoint, err)
		}
	}
}

// mayWait reports whether a call may wait so long before it is (re)sent.
func (c *Client) mayWait(ctx context.Context, wait time.Duration) bool {
	if c.maxRetries <= 0 || wait > c.maxRetryWait {
		return false
	}
	deadline, limited := ctx.Deadline()
	return !limited || time.Until(deadline) > wait
}

// pause waits, or returns the context's error should it end first.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
