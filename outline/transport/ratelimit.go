package transport

import (
	"cmp"
	"context"
	"sync"
	"time"

	"outline-mcp/outline/expiring"
)

// A Limit identifies a rate limit: who is limited, and for which endpoint. Of the limits that
// all subjects have in common, those with a Group get together what one subject gets.
type Limit struct{ Subject, Endpoint, Group string }

// Share returns the group, or the subject if it has none.
func (l Limit) Share() string { return cmp.Or(l.Group, l.Subject) }

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
// have in common (see [PerSubjectShare]).
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

// longestLimit bounds the time that a limit is in force, and that callers are told to
// wait, whatever the server asks for: a proxy may send a point in time instead of seconds.
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

// PerSubjectShare is how many requests of a window a subject may have for each one that
// is left. One that sends many requests gets four fifths of them, two get four ninths
// each, and so on. The rest is for requests of others.
const PerSubjectShare = 4

// mostRequests is the largest limit that is counted. A larger one limits nothing.
const mostRequests = 1 << 20

// ForgetLimit returns how long a common limit is kept after the last refusal, by the
// length of its window. Then it is found anew, in case the server allows more.
func ForgetLimit(window time.Duration) time.Duration { return max(time.Hour, 4*window) }

// WindowOf returns the length of the window of which wait is left. Servers count in round
// times: Outline by the minute and by the hour. A result that is too short is corrected by
// the next refusal.
//
// The windows counted here are longer by a fiftieth, since they begin before a request
// arrives, and the server's when it does.
func WindowOf(wait time.Duration) time.Duration {
	for _, round := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		if wait <= round {
			return round + round/50
		}
	}
	return longestLimit + longestLimit/50
}

// Counts reports whether a refusal tells a limit that can be counted.
func (r Refusal) Counts() bool { return r.Requests > 0 && r.Requests <= mostRequests }

// windows are the common limits that the server has told of, by endpoint. Their number is
// that of the endpoints that the program knows.
type windows struct {
	mu sync.Mutex
	by map[string]*window
}

// A window is the time in which a server counts the requests of all subjects together,
// because they come from one address. It begins with the first request after the end of
// the one before.
type window struct {
	limit   int // requests that the server allows in it
	length  time.Duration
	forget  time.Time
	ends    time.Time
	used    int            // requests admitted so far
	mine    map[string]int // those of each subject
	refused string         // subject of the first refusal in the window
}

func (w *windows) admit(what Limit, shared bool) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	counted := w.by[what.Endpoint]
	if counted == nil {
		return 0
	}
	now := time.Now()
	if !now.Before(counted.forget) {
		delete(w.by, what.Endpoint)
		return 0
	}
	if !now.Before(counted.ends) {
		counted.begin(now.Add(counted.length))
	}
	left := counted.limit - counted.used
	if left <= 0 || shared && counted.mine[what.Share()] >= PerSubjectShare*left {
		return counted.ends.Sub(now)
	}
	counted.used++
	counted.mine[what.Share()]++
	return 0
}

func (w *windows) refused(what Limit, r Refusal) {
	if !r.Counts() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	counted := w.by[what.Endpoint]
	if counted == nil {
		counted = &window{}
		if w.by == nil {
			w.by = map[string]*window{}
		}
		w.by[what.Endpoint] = counted
	}
	now := time.Now()
	if !now.Before(counted.ends) {
		counted.begin(now)
	}
	counted.limit, counted.length = r.Requests, max(counted.length, WindowOf(r.Wait))
	counted.forget, counted.ends = now.Add(ForgetLimit(counted.length)), now.Add(min(r.Wait, longestLimit))
	switch {
	case counted.refused == "":
		counted.refused = what.Share()
	case counted.refused != what.Share():
		counted.used = counted.limit
	}
}

// begin starts a new window.
func (w *window) begin(ends time.Time) {
	w.ends, w.used, w.mine, w.refused = ends, 0, map[string]int{}, ""
}
