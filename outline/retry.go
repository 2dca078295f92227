package outline

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// firstBackoff is the mean wait before the first repetition where the server
// named none. It doubles with each further one.
const firstBackoff = 200 * time.Millisecond

// repeat makes attempts until one succeeds, until one fails in a way for which
// may is false, or until the retries are used up, and returns the last
// failure. The wait between two is the server's (Retry-After,
// RateLimit-Reset) or a jittered exponential backoff. A wait that is longer
// than the client allows, or that would pass the context's deadline, is not
// begun: the failure is returned at once and tells the wait. A cancelled
// context ends a wait immediately. After a 429, other calls of the same subject
// to the endpoint wait, too (see rateLimiter).
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
			wait = min(backoff(n), longest)
		}
		if failure.Kind() == ErrRateLimited {
			c.limiter.block(limited, wait)
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
		if err := pause(ctx, wait); err != nil {
			return ended(endpoint, err)
		}
	}
}

// transient reports whether a call that changes nothing is worth repeating:
// after a failure of the connection, a timeout of one attempt, a rate limit,
// and the statuses with which a server or the proxy in front of it says that
// it is not available (502, 503, 504).
func transient(e *Error) bool { return e.transient }

// backoff returns the wait before repetition n, counted from 0: between half
// and one and a half times 200 ms · 2ⁿ, so that clients that failed together
// do not come back together.
func backoff(n int) time.Duration {
	mean := firstBackoff << min(n, 20)
	return mean/2 + rand.N(mean)
}

// longestRetryAfter bounds what is believed: a proxy that sends a moment where
// seconds are meant would set a limit for years.
const longestRetryAfter = 24 * time.Hour

// retryAfter returns how long an answer asks to wait: Retry-After in seconds
// or as a date (RFC 9110, section 10.2.3), which counts from the answer's own,
// else RateLimit-Reset, which Outline sends in seconds from now. It is 0 when
// the answer does not say.
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := seconds(value); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		now, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		return min(max(0, at.Sub(now)), longestRetryAfter)
	}
	d, _ := seconds(strings.TrimSpace(h.Get("RateLimit-Reset")))
	return d
}

// seconds parses a whole number of seconds.
func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), int64(longestRetryAfter/time.Second))) * time.Second, true
}
