package httpd

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

const (
	// readyFor is how long an answer about Outline is valid.
	readyFor = 10 * time.Second
	// readyWithin is how long Outline may take to answer.
	readyWithin = 5 * time.Second
)

// health finds out whether the server is ready.
type health struct {
	ask      func(context.Context) error // nil: always ready
	stopping context.Context             // done when the server stops

	mu   sync.Mutex // never held while Outline is asked
	last *question  // nil before the first
}

// A question is what Outline was asked, and its answer once done is closed.
type question struct {
	asked time.Time
	done  chan struct{}
	err   error
}

func (q *question) answered() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// check returns why requests should not be sent to this server, or nil. All
// probes wait for the same answer of Outline's, which is asked at most once in
// readyFor, and none of them longer than it may take.
func (h *health) check() error {
	stopping := errors.New("the server is stopping")
	switch {
	case h.stopping.Err() != nil:
		return stopping
	case h.ask == nil:
		return nil
	}
	q := h.current()
	if q.answered() {
		return q.err
	}
	late := time.NewTimer(time.Until(q.asked.Add(readyWithin + time.Second))) // for ask to notice its deadline
	defer late.Stop()
	select {
	case <-q.done:
		return q.err
	case <-h.stopping.Done():
		return stopping
	case <-late.C:
		return errors.New("no answer from Outline in time; check OUTLINE_API_URL and the network")
	}
}

// current returns the latest question, or asks again if its answer is too old.
// It does not ask again while there is no answer yet.
func (h *health) current() *question {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != nil && (!h.last.answered() || time.Since(h.last.asked) < readyFor) {
		return h.last
	}
	q := &question{asked: time.Now(), done: make(chan struct{})}
	h.last = q
	go func() {
		defer close(q.done)
		ctx, cancel := context.WithTimeout(h.stopping, readyWithin)
		defer cancel()
		q.err = h.ask(ctx)
	}()
	return q
}

// answerProbe answers with a status, or that the server is not ready because of
// err.
func answerProbe(w http.ResponseWriter, r *http.Request, status string, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		(&refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: "GET, HEAD", message: "use GET for this path"}).write(w)
		return
	}
	code, message := http.StatusOK, ""
	if err != nil {
		code, status, message = http.StatusServiceUnavailable, "not ready", err.Error()
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, code, struct {
		Status  string `json:"status"`
		Message string `json:"message,omitempty"`
	}{status, message})
}
