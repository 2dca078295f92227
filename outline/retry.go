package outline

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"outline-mcp/outline/transport"
)

// repeat makes attempts until one succeeds, until one fails in a way for which
// may is false, or until the retries are used up, and returns the last
// failure. The wait between two is the server's (Retry-After,
// RateLimit-Reset) or a jittered exponential backoff. A wait that is longer
// than the client allows, or that would pass the context's deadline, is not
// begun: the failure is returned at once and tells the wait. A cancelled
// context ends a wait immediately. After a 429, other calls of the same subject
// to the endpoint wait, too (see transport.RateLimiter).
//
// Resty's own retry is not used: it clips a Retry-After to its maximum and
// then repeats too early, knows nothing of the deadline, cannot give back the
// answer's error when it is the wait that is too long, and by default repeats
// any POST after a transport error, also one that must not be.
func (c *Client) repeat(ctx context.Context, endpoint string, may func(*Error) bool, attempt func(token string) *Error) *Error {
	retries, longest := c.retries(ctx)
	for n := 0; ; n++ {
		arrived := time.Now()
		credential, failure := c.credential(ctx, endpoint)
		if failure != nil {
			return failure
		}
		limited := limit{credential.subject(), endpoint}
		held, failure := c.awaitLimit(ctx, limited)
		if failure != nil {
			return failure
		}
		start := time.Now()
		failure = attempt(credential.Token)
		if c.observe != nil {
			did := Attempt{Endpoint: endpoint, Status: http.StatusOK, Duration: time.Since(start), Retry: n > 0}
			if held {
				did.Waited = start.Sub(arrived)
			}
			if failure != nil {
				did.Status = failure.Status
			}
			c.observe(ctx, did)
		}
		if failure == nil {
			return nil
		}
		wait := failure.RetryAfter
		if wait <= 0 {
			wait = min(transport.Backoff(n), longest)
		}
		if failure.Kind() == ErrRateLimited {
			c.limiter.Block(limited, wait)
		}
		if n >= retries || !may(failure) || !c.mayWait(ctx, wait) {
			return failure
		}
		c.log.LogAttrs(ctx, slog.LevelInfo, "repeating an Outline request",
			slog.String("endpoint", endpoint), slog.String("reason", failure.Kind().Error()),
			slog.Int("status", failure.Status), slog.Duration("wait", wait), slog.Int("retry", n+1))
		if failure.Kind() == ErrRateLimited {
			continue // the rate limiter holds it back
		}
		if err := transport.Pause(ctx, wait); err != nil {
			return ended(endpoint, err)
		}
	}
}

// transient reports whether a call that changes nothing is worth repeating:
// after a failure of the connection, a timeout of one attempt, a rate limit,
// and the statuses with which a server or the proxy in front of it says that
// it is not available (502, 503, 504).
func transient(e *Error) bool { return e.transient }
