package transport

import (
	"context"
	"time"

	"outline-mcp/outline/expiring"
)

// A Limit identifies a rate limit: who is limited, and for which endpoint.
type Limit struct{ Subject, Endpoint string }

// A Refusal is what a server says when it refuses a request because of a rate limit.
type Refusal struct {
	Wait     time.Duration // until it may be sent again
	Requests int           // that the limit allows in its window; 0 if the server does not say
}

// A Limiter decides when requests may be sent, by what the server has said about its
// rate limits.
type Limiter interface {
	// Admit returns 0 and counts the request, or how long it has to wait.
	Admit(context.Context, Limit) time.Duration
	// Refused records that the server has refused a request.
	Refused(context.Context, Limit, Refusal)
}

// A RateLimiter is a [Limiter] in memory. It records which rate limits of subjects are
// reached, and until when: a bounded number of them. Forgetting one costs a request that
// the server refuses again. It also counts requests against the limits that all subjects
// have in common (see [Window]).
type RateLimiter struct {
	shared  bool
	limits  expiring.Map[Limit, time.Time] // until when they are in force
	windows windows
}

// mostLimits is how many limits of subjects are recorded.
const mostLimits = 1 << 14

// NewRateLimiter returns a limiter. With shared, no subject gets all that a common limit
// allows.
func NewRateLimiter(shared bool) *RateLimiter {
	return &RateLimiter{shared: shared, limits: expiring.Map[Limit, time.Time]{Most: mostLimits}}
}

// Admit implements [Limiter].
func (l *RateLimiter) Admit(_ context.Context, what Limit) time.Duration {
	if wait := l.Remaining(what); wait > 0 {
		return wait
	}
	return l.windows.admit(what, l.shared)
}

// Refused implements [Limiter]. Of a common limit that the server has not told of before,
// the first refusal in a window concerns its subject, because its credential may be used
// elsewhere. A refusal of a second subject concerns all.
func (l *RateLimiter) Refused(_ context.Context, what Limit, r Refusal) {
	l.Block(what, r.Wait)
	l.windows.refused(what, r)
}

// longestLimit bounds the time that a limit is in force, whatever the server
// asks for.
const longestLimit = time.Hour

// Block puts a limit into force for a time of at most an hour, unless it is
// already in force for longer.
func (l *RateLimiter) Block(what Limit, wait time.Duration) {
	until := time.Now().Add(min(wait, longestLimit))
	l.limits.Update(what, func(before time.Time) (time.Time, time.Duration) {
		if before.After(until) {
			until = before
		}
		return until, time.Until(until)
	})
}

// Remaining returns how long a limit is still in force, 0 if it is not.
func (l *RateLimiter) Remaining(what Limit) time.Duration {
	until, _ := l.limits.Get(what)
	return max(0, time.Until(until))
}
