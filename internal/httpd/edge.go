package httpd

import (
	"net/http"

	"outline-mcp/internal/auth"
)

// An edge is the way of a request to the endpoint.
type edge struct {
	*Server
	hosts   hosts
	origins origins
}

// serve sends a request where its path says. Probes ask with whatever host
// they were given, so that /health and /ready are free of the checks.
func (e *edge) serve(w http.ResponseWriter, r *http.Request) {
	w = timedWriter{w, e.options.WriteTimeout}
	switch r.URL.Path {
	case "/health":
		e.health.alive(w, r)
		return
	case "/ready":
		e.health.ready(w, r)
		return
	}
	if wrong := e.endpoint(w, r); wrong != nil {
		e.refuse(w, r, wrong)
	}
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, wrong *refusal) {
	s.log.InfoContext(r.Context(), "request refused", "status", wrong.status, "reason", wrong.reason)
	if s.options.Refused != nil {
		s.options.Refused(wrong.reason)
	}
	wrong.write(w)
}

// endpoint serves all other paths.
func (e *edge) endpoint(w http.ResponseWriter, r *http.Request) *refusal {
	if wrong := e.hosts.check(r); wrong != nil {
		return wrong
	}
	w.Header().Add("Vary", "Origin")
	cross, wrong := e.origins.check(r)
	if wrong != nil {
		return wrong
	}
	if cross {
		allowReading(w.Header(), r.Header.Get("Origin"))
	}
	switch {
	case r.URL.Path == "/metrics" && e.options.Metrics != nil:
		e.options.Metrics.ServeHTTP(w, r)
		return nil
	case r.URL.Path != e.options.Path:
		return &refusal{status: http.StatusNotFound, reason: reasonPath, message: "there is nothing at this path; the MCP endpoint is " + e.options.Path}
	case r.Method == http.MethodOptions:
		answerOptions(w, cross)
		return nil
	case r.Method != http.MethodPost:
		return &refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: allowedMethods, message: "this server keeps no sessions and no streams: send each message with POST"}
	}
	return e.post(w, r)
}

// post serves a message to the MCP endpoint.
func (e *edge) post(w http.ResponseWriter, r *http.Request) *refusal {
	principal, wrong := e.guard.principal(r.Header)
	if wrong != nil {
		return wrong
	}
	// The body comes first: one that does not arrive is no call.
	body, free, wrong := e.bodies.read(w, r)
	if wrong != nil {
		return wrong
	}
	defer free()
	leave, wrong := e.limiter.enter(principal.Subject)
	if wrong != nil {
		return wrong
	}
	defer leave()
	e.options.MCP(w, r.WithContext(auth.NewContext(r.Context(), principal)), body)
	return nil
}
