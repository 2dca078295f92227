package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A FairQueue limits the requests that run at a time, and divides them among the
// subjects that make them. If it spares places, no subject has more requests running than
// could still start: one that sends many requests gets half of the places, two get a
// third each, and so on. Another subject finds a place without waiting.
//
// Where requests have to wait, subjects take turns, and the requests of a subject run
// in their order.
type FairQueue struct {
	size   int
	spares bool

	mu      sync.Mutex
	total   int
	running map[string]int
	waiting []*line // subjects with requests that wait; the first has had its turn longest ago
}

// A line holds the requests of a subject that wait.
type line struct {
	subject  string
	requests []chan struct{} // closed when the request may run
}

// NewFairQueue returns a queue for size requests at a time, at least one. spares
// keeps places free for other subjects.
func NewFairQueue(size int, spares bool) *FairQueue {
	return &FairQueue{size: max(size, 1), spares: spares, running: map[string]int{}}
}

// Acquire waits until a request of a subject may run, and reports whether it had to
// wait. release ends the request; only its first call counts. If ctx ends first,
// Acquire returns its error.
func (q *FairQueue) Acquire(ctx context.Context, subject string) (release func(), waited bool, err error) {
	q.mu.Lock()
	if q.lineOf(subject) < 0 && q.mayRun(subject) {
		q.start(subject)
		q.mu.Unlock()
		return q.releaser(subject), false, nil
	}
	may := make(chan struct{})
	q.add(subject, may)
	q.mu.Unlock()

	select {
	case <-may:
		return q.releaser(subject), true, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-may: // at the same time
		q.end(subject)
	default:
		q.remove(subject, may)
	}
	return nil, true, ctx.Err()
}

// lineOf returns the index of a subject's line, -1 if none of its requests waits.
func (q *FairQueue) lineOf(subject string) int {
	return slices.IndexFunc(q.waiting, func(l *line) bool { return l.subject == subject })
}

func (q *FairQueue) mayRun(subject string) bool {
	free := q.size - q.total
	return free > 0 && (!q.spares || q.running[subject] < free)
}

func (q *FairQueue) add(subject string, may chan struct{}) {
	if i := q.lineOf(subject); i >= 0 {
		q.waiting[i].requests = append(q.waiting[i].requests, may)
		return
	}
	q.waiting = append(q.waiting, &line{subject, []chan struct{}{may}})
}

func (q *FairQueue) remove(subject string, may chan struct{}) {
	i := q.lineOf(subject)
	l := q.waiting[i]
	l.requests = slices.DeleteFunc(l.requests, func(c chan struct{}) bool { return c == may })
	if len(l.requests) == 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
}

func (q *FairQueue) start(subject string) {
	q.total++
	q.running[subject]++
}

// end frees a place, and starts what may run now.
func (q *FairQueue) end(subject string) {
	q.total--
	if q.running[subject]--; q.running[subject] == 0 {
		delete(q.running, subject)
	}
	for {
		i := slices.IndexFunc(q.waiting, func(l *line) bool { return q.mayRun(l.subject) })
		if i < 0 {
			return
		}
		next := q.waiting[i]
		q.start(next.subject)
		close(next.requests[0])
		next.requests = next.requests[1:]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(next.requests) > 0 {
			q.waiting = append(q.waiting, next)
		}
	}
}

func (q *FairQueue) releaser(subject string) func() {
	released := false
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !released {
			released = true
			q.end(subject)
		}
	}
}

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

// RetryAfter returns how long an answer asks to wait, at most an hour, or 0 if it
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
		return min(max(0, at.Sub(now)), longestLimit)
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
	return time.Duration(min(max(n, 0), int64(longestLimit/time.Second))) * time.Second, true
}
