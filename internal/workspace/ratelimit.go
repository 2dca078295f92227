package workspace

import (
	"cmp"
	"net"
	"net/http"
	"outline-mcp/internal/workspace/api"
	"strconv"
	"sync"
	"time"
)

// A RateLimit is the number of requests that each key, and each address, may send to an
// endpoint in a window. It starts with the first request after the one before (recordings
// 901 to 913 and 1984 to 2015). Outline has other limits for some endpoints.
type RateLimit struct {
	Requests int           // 0 is no limit
	Window   time.Duration // 0 is a minute; it is told in whole seconds
}

type rateLimiter struct {
	RateLimit
	mu      sync.Mutex
	windows map[string]*rateWindow // by endpoint and key, or address
}

type rateWindow struct {
	ends time.Time
	used int
}

func newRateLimiter(limit RateLimit) *rateLimiter {
	limit.Window = cmp.Or(limit.Window, time.Minute)
	return &rateLimiter{RateLimit: limit, windows: map[string]*rateWindow{}}
}

// check returns an error for a request over the limit. Refused requests count, too.
// The time is that of the machine, which the sample's clock does not follow.
func (l *rateLimiter) check(r *http.Request) error {
	if l.Requests == 0 {
		return nil
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var wait time.Duration
	for _, who := range []string{"address " + address, "key " + r.Header.Get("Authorization")} {
		w := l.windows[r.URL.Path+" "+who]
		if w == nil || !now.Before(w.ends) {
			w = &rateWindow{ends: now.Add(l.Window)}
			l.windows[r.URL.Path+" "+who] = w
		}
		if w.used++; w.used > l.Requests {
			wait = max(wait, w.ends.Sub(now))
		}
	}
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	return &api.Error{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "Rate limit exceeded for this operation", Header: http.Header{
		"Retry-After": {seconds}, "Ratelimit-Reset": {seconds}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Limit": {strconv.Itoa(l.Requests)},
	}}
}
