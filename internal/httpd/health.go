package httpd

import (
	"context"
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

// health answers the probes for liveness and readiness.
type health struct {
	ask      func(context.Context) error // nil: always ready
	stopping atomic.Bool

	mu    sync.Mutex
	asked time.Time
	last  error
}

type state struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
}

// alive reports that the process serves requests, whatever the state of Outline.
func (h *health) alive(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, http.StatusOK, state{Status: "ok"})
}

// ready reports whether requests should be sent to this server.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	if h.stopping.Load() {
		h.answer(w, r, http.StatusServiceUnavailable, state{"not ready", "the server is stopping"})
		return
	}
	if err := h.check(r.Context()); err != nil {
		h.answer(w, r, http.StatusServiceUnavailable, state{"not ready", err.Error()})
		return
	}
	h.answer(w, r, http.StatusOK, state{Status: "ready"})
}

// check asks Outline at most once in readyFor.
func (h *health) check(ctx context.Context) error {
	if h.ask == nil {
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

func (h *health) answer(w http.ResponseWriter, r *http.Request, status int, s state) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		(&refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: "GET, HEAD", message: "this path is for GET"}).write(w)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, s)
}
