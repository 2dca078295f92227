package outline

import (
	"context"
	"time"

	"outline-mcp/outline/transport"
)

// A limit is what a rate limit applies to. Outline counts by key and endpoint
// (and by address, which cannot be seen here), so that a limit affects no other
// subject and no other endpoint.
type limit struct{ subject, endpoint string }

// awaitLimit waits until a limit is no longer in force, and reports whether it
// had to wait. If that would take longer than the call may wait or the context
// allows, it fails at once and returns the time in RetryAfter.
func (c *Client) awaitLimit(ctx context.Context, what limit) (bool, *Error) {
	for waited := false; ; waited = true {
		wait := c.limiter.Remaining(what)
		if wait == 0 {
			return waited, nil
		}
		if !c.mayWait(ctx, wait) {
			return waited, &Error{
				Endpoint: what.endpoint, RetryAfter: wait, kind: ErrRateLimited,
				Message: "the rate limit is used up; the request was not sent",
			}
		}
		if err := transport.Pause(ctx, wait); err != nil {
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
