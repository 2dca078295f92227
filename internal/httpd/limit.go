package httpd

import (
	"net/http"
	"sync"
)

// A limiter limits the calls in flight.
type limiter struct {
	most, mostPerSubject int

	mu         sync.Mutex
	total      int
	perSubject map[string]int
	stopping   chan struct{} // nil until stop; closed when total is 0
}

func newLimiter(most, mostPerSubject int) *limiter {
	return &limiter{most: most, mostPerSubject: mostPerSubject, perSubject: map[string]int{}}
}

// acquire counts a call of a subject until release is called. It refuses a call
// that is over a limit.
func (l *limiter) acquire(subject string) (release func(), problem *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stopping != nil:
		return nil, stoppingRefusal()
	case l.perSubject[subject] >= l.mostPerSubject:
		return nil, keyBusyRefusal()
	case l.total >= l.most:
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: reasonBusy, retry: 1, message: "the server is busy with the maximum number of calls; try again shortly"}
	}
	l.total++
	l.perSubject[subject]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		if l.perSubject[subject]--; l.perSubject[subject] == 0 {
			delete(l.perSubject, subject)
		}
		if l.total == 0 && l.stopping != nil {
			close(l.stopping)
		}
	}, nil
}

// stop refuses all further calls. The channel that it returns is closed when
// those in flight have ended.
func (l *limiter) stop() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = make(chan struct{})
	if l.total == 0 {
		close(l.stopping)
	}
	return l.stopping
}

func keyBusyRefusal() *refusal {
	return &refusal{status: http.StatusTooManyRequests, reason: reasonKeyBusy, retry: 1, message: "too many concurrent calls with this key; wait for some to finish, then try again"}
}

func stoppingRefusal() *refusal {
	return &refusal{status: http.StatusServiceUnavailable, reason: reasonStopping, retry: 1, close: true, message: "the server is stopping; try again to reach another one"}
}
