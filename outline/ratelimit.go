package outline

import (
	"context"
	"sync"
	"time"
)

// A rateLimiter holds calls back while the rate limit that they would run into
// is used up. Outline counts by key and endpoint (and by address, which cannot
// be seen here). A limit therefore affects no other subject and no other
// endpoint. The zero value is ready to use.
type rateLimiter struct {
	mu    sync.Mutex
	until map[limit]time.Time // only limits that are in force, or were lately
}

// A limit is what a rate limit applies to.
type limit struct{ subject, endpoint string }

// longestLimit is how long a limit is kept at most, whatever the server asked
// for. After that it is tried again.
const longestLimit = time.Hour

// block sets a limit for some time, unless it is set for longer already.
func (l *rateLimiter) block(what limit, wait time.Duration) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, until := range l.until {
		if !until.After(now) {
			delete(l.until, other)
		}
	}
	if l.until == nil {
		l.until = map[limit]time.Time{}
	}
	if until := now.Add(min(wait, longestLimit)); until.After(l.until[what]) {
		l.until[what] = until
	}
}

// remaining returns how long a limit is still in force, 0 when it is not.
func (l *rateLimiter) remaining(what limit) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, ok := l.until[what]
	if !ok {
		return 0
	}
	return max(0, time.Until(until))
}

// awaitLimit waits until a limit is no longer in force, and reports whether it
// had to wait. If that would take longer than the call may wait or the context
// allows, it fails at once and returns the time in RetryAfter.
func (c *Client) awaitLimit(ctx context.Context, what limit) (bool, *Error) {
	for waited := false; ; waited = true {
		wait := c.limiter.remaining(what)
		if wait == 0 {
			return waited, nil
		}
		if !c.mayWait(ctx, wait) {
			return waited, &Error{
				Endpoint: what.endpoint, RetryAfter: wait, kind: ErrRateLimited,
				Message: "the rate limit is used up; the request was not sent",
			}
		}
		if err := pause(ctx, wait); err != nil {
			return waited, ended(what.endpoint, err)
		}
	}
}

// mayWait reports whether a call may wait this long before it is (re)sent.
func (c *Client) mayWait(ctx context.Context, wait time.Duration) bool {
	retries, longest := c.retries(ctx)
	if retries <= 0 || wait > longest {
		return false
	}
	deadline, limited := ctx.Deadline()
	return !limited || time.Until(deadline) > wait
}

// pause waits, or returns the context's error if it ends first.
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
