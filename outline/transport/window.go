package transport

import (
	"sync"
	"time"
)

// A Window is the time in which a server counts the requests of all subjects together,
// because they come from one address. It begins with the first request after the end of
// the one before.
type Window struct {
	Limit int // requests that the server allows in it
	Used  int // requests admitted so far
	Mine  int // those of the subject that asks
}

// PerSubjectShare is how many requests of a window a subject may have for each one that
// is left. One that sends many requests gets four fifths of them, two get four ninths
// each, and so on. The rest is for requests of others.
const PerSubjectShare = 4

// Admits reports whether one more request of the subject may be sent. With shared, no
// subject gets all of the window.
func (w Window) Admits(shared bool) bool {
	left := w.Limit - w.Used
	return left > 0 && (!shared || w.Mine < PerSubjectShare*left)
}

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

type window struct {
	limit   int
	length  time.Duration
	forget  time.Time
	ends    time.Time
	used    int
	mine    map[string]int // by subject
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
	if !(Window{counted.limit, counted.used, counted.mine[what.Subject]}).Admits(shared) {
		return counted.ends.Sub(now)
	}
	counted.used++
	counted.mine[what.Subject]++
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
		counted.refused = what.Subject
	case counted.refused != what.Subject:
		counted.used = counted.limit
	}
}

// begin starts a new window.
func (w *window) begin(ends time.Time) {
	w.ends, w.used, w.mine, w.refused = ends, 0, map[string]int{}, ""
}
