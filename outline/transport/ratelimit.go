package transport

import (
	"maps"
	"sync"
	"time"
)

// A Limit identifies a rate limit: who is limited, and for which endpoint.
type Limit struct{ Subject, Endpoint string }

// A RateLimiter records which rate limits are used up, and until when. The zero
// value is ready to use.
type RateLimiter struct {
	mu    sync.Mutex
	until map[Limit]time.Time // only limits that are in force, or were lately
	swept time.Time           // when those no longer in force were removed last
}

// longestLimit bounds how long a limit is in force, whatever the server asks for.
const longestLimit = time.Hour

// Block puts a limit into force for a time of at most an hour, unless it already is
// for longer.
func (l *RateLimiter) Block(what Limit, wait time.Duration) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > time.Minute { // not each time, as there may be many
		maps.DeleteFunc(l.until, func(_ Limit, until time.Time) bool { return !until.After(now) })
		l.swept = now
	}
	if l.until == nil {
		l.until = map[Limit]time.Time{}
	}
	if until := now.Add(min(wait, longestLimit)); until.After(l.until[what]) {
		l.until[what] = until
	}
}

// Remaining returns how long a limit is still in force, 0 if it is not.
func (l *RateLimiter) Remaining(what Limit) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.until[what]))
}
