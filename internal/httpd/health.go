package httpd

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
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
	stopping atomic.Bool

	mu    sync.Mutex
	asked time.Time
	last  error
}

// check returns why requests should not be sent to this server, or nil. It asks
// Outline at most once in readyFor.
func (h *health) check(ctx context.Context) error {
	switch {
	case h.stopping.Load():
		return errors.New("the server is stopping")
	case h.ask == nil:
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.asked.IsZero() && time.Since(h.asked) < readyFor {
		return h.last
	}
	// A client that leaves must not make it look as if Outline did not answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	h.last = h.ask(ctx)
	h.asked = time.Now()
	return h.last
}

// answerProbe answers with a status, or that the server is not ready because of
// err.
func answerProbe(w http.ResponseWriter, r *http.Request, status string, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		(&refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: "GET, HEAD", message: "this path is for GET"}).write(w)
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
