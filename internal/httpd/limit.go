package httpd

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// A limiter counts the calls in flight.
type limiter struct {
	most, mostPerKey int

	mu       sync.Mutex
	total    int
	perKey   map[string]int
	stopping chan struct{} // nil until stop; closed when total is 0
}

func newLimiter(most, mostPerKey int) *limiter {
	return &limiter{most: most, mostPerKey: mostPerKey, perKey: map[string]int{}}
}

// enter counts a call with a key, "" for the server's own, until leave is
// called. It refuses one too many.
func (l *limiter) enter(key string) (leave func(), wrong *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stopping != nil:
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: reasonStopping, retry: 1, close: true, message: "the server is stopping; try again, another or the next one will answer"}
	case l.perKey[key] >= l.mostPerKey:
		return nil, &refusal{status: http.StatusTooManyRequests, reason: reasonKeyBusy, retry: 1, message: "too many calls with this key at a time; wait for some to end, and try again"}
	case l.total >= l.most:
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: reasonBusy, retry: 1, message: "the server is busy with as many calls as it takes at a time; try again shortly"}
	}
	l.total++
	l.perKey[key]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		if l.perKey[key]--; l.perKey[key] == 0 {
			delete(l.perKey, key)
		}
		if l.total == 0 && l.stopping != nil {
			close(l.stopping)
		}
	}, nil
}

// stop refuses all further calls. What it returns is closed when those in
// flight have ended.
func (l *limiter) stop() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = make(chan struct{})
	if l.total == 0 {
		close(l.stopping)
	}
	return l.stopping
}

// A timedWriter ends answers that the client does not take.
type timedWriter struct {
	http.ResponseWriter
	within time.Duration // for some of the answer to be taken
}

// Write implements http.ResponseWriter.
func (w timedWriter) Write(p []byte) (int, error) {
	// Writers that are none of a network have no deadline. The connection's
	// next answer begins without one: that is net/http's to see to.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.within))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find what the writer can do.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// readBody reads a request's body, limited in size. The server's own read
// timeout ends one that never ends.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, *refusal) {
	tooLarge := &refusal{status: http.StatusRequestEntityTooLarge, reason: reasonSize, close: true,
		message: "the request is larger than the " + strconv.FormatInt(most, 10) + " bytes that this server takes; send less at a time"}
	if r.ContentLength > most {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &refusal{status: http.StatusRequestTimeout, reason: reasonBody, close: true, message: "the request did not arrive completely in time; send it again"}
	case err != nil:
		return nil, &refusal{status: http.StatusBadRequest, reason: reasonBody, close: true, message: "the request did not arrive completely; send it again"}
	}
	return body, nil
}
