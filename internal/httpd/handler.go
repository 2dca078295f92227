package httpd

import (
	"net/http"

	"outline-mcp/internal/auth"
)

// A handler serves the requests of a server that listens.
type handler struct {
	*Server
	hosts   hosts
	origins origins
}

// serve serves a request. Probes send whatever host they were given, so /health
// and /ready skip the checks of the endpoint.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	w = timedWriter{w, h.options.WriteTimeout}
	switch r.URL.Path {
	case "/health":
		h.health.alive(w, r)
		return
	case "/ready":
		h.health.ready(w, r)
		return
	}
	if problem := h.endpoint(w, r); problem != nil {
		h.refuse(w, r, problem)
	}
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, problem *refusal) {
	s.log.InfoContext(r.Context(), "request refused", "status", problem.status, "reason", problem.reason)
	if s.options.Refused != nil {
		s.options.Refused(problem.reason)
	}
	problem.write(w)
}

// endpoint serves all paths but those of probes.
func (h *handler) endpoint(w http.ResponseWriter, r *http.Request) *refusal {
	if problem := h.hosts.check(r); problem != nil {
		return problem
	}
	w.Header().Add("Vary", "Origin")
	cross, problem := h.origins.check(r)
	if problem != nil {
		return problem
	}
	if cross {
		allowReading(w.Header(), r.Header.Get("Origin"))
	}
	switch {
	case r.URL.Path == "/metrics" && h.options.Metrics != nil:
		h.options.Metrics.ServeHTTP(w, r)
		return nil
	case r.URL.Path != h.options.Path:
		return &refusal{status: http.StatusNotFound, reason: reasonPath, message: "there is nothing at this path; the MCP endpoint is " + h.options.Path}
	case r.Method == http.MethodOptions:
		answerOptions(w, cross)
		return nil
	case r.Method != http.MethodPost:
		return &refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: allowedMethods, message: "this server keeps no sessions and no streams: send each message with POST"}
	}
	return h.post(w, r)
}

// post serves a message for the MCP endpoint.
func (h *handler) post(w http.ResponseWriter, r *http.Request) *refusal {
	principal, problem := h.guard.principal(r.Header)
	if problem != nil {
		return problem
	}
	// The body comes first: a request that does not arrive is not a call.
	body, free, problem := h.bodies.read(w, r)
	if problem != nil {
		return problem
	}
	defer free()
	release, problem := h.limiter.acquire(principal.Subject)
	if problem != nil {
		return problem
	}
	defer release()
	h.options.MCP(w, r.WithContext(auth.NewContext(r.Context(), principal)), body)
	return nil
}
