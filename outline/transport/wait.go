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

// Backoff returns the wait before repetition n, counted from 0: between half
// and one and a half times 200 ms · 2ⁿ, so that clients that failed together
// do not come back together.
func Backoff(n int) time.Duration {
	mean := firstBackoff << min(n, 20)
	return mean/2 + rand.N(mean)
}

// longestRetryAfter bounds what is believed: a proxy that sends a moment where
// seconds are meant would set a limit for years.
const longestRetryAfter = 24 * time.Hour

// RetryAfter returns how long an answer asks to wait: Retry-After in seconds
// or as a date (RFC 9110, section 10.2.3), which counts from the answer's own,
// else RateLimit-Reset in seconds from now. It is 0 when the answer does not
// say, and at most a day.
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

// seconds parses a whole number of seconds.
func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), int64(longestRetryAfter/time.Second))) * time.Second, true
}
