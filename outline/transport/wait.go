package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Pause waits, or returns the context's error if it ends first.
func Pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// firstBackoff is the mean wait before the first repetition.
const firstBackoff = 200 * time.Millisecond

// Backoff returns a random wait before repetition n, counted from 0: between half
// and one and a half times 200 ms · 2ⁿ, so that clients that failed at the same
// time do not come back at the same time.
func Backoff(n int) time.Duration {
	mean := firstBackoff << min(n, 20)
	return mean/2 + rand.N(mean)
}

// longestRetryAfter is the longest wait that is accepted: a proxy may send a
// point in time instead of seconds.
const longestRetryAfter = 24 * time.Hour

// RetryAfter returns how long an answer asks to wait, at most a day, or 0 if it
// does not ask. It reads Retry-After, in seconds or as a date relative to that of
// the answer (RFC 9110, section 10.2.3), or else RateLimit-Reset in seconds.
func RetryAfter(h http.Header) time.Duration {
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

// RateLimit returns the number of requests that the rate limit of an answer allows
// (RateLimit-Limit), or 0 if it does not say.
func RateLimit(h http.Header) int {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("RateLimit-Limit")))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// seconds parses a whole number of seconds.
func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), int64(longestRetryAfter/time.Second))) * time.Second, true
}
