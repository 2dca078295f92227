package httpd

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/auth"
)

// serve serves a request. Probes send whatever host they were given, so /health
// and /ready skip the checks of the endpoint.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, hosts hosts) {
	short := timedWriter{w, min(shortAnswer, s.options.WriteTimeout)}
	switch r.URL.Path {
	case "/health": // whatever the state of Outline
		answerProbe(short, r, "ok", nil)
	case "/ready":
		answerProbe(short, r, "ready", s.health.check())
	default:
		if problem := s.endpoint(timedWriter{w, s.options.WriteTimeout}, r, hosts); problem != nil {
			s.refuse(short, r, problem)
		}
	}
}

// shortAnswer is how long clients may take to make room for the answer to a probe
// or for a refusal. Each has room for as little as that, unless it keeps the server
// waiting on purpose.
const shortAnswer = time.Second

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, problem *refusal) {
	s.log.InfoContext(r.Context(), "request refused", "status", problem.status, "reason", problem.reason)
	if s.options.Refused != nil {
		s.options.Refused(problem.reason)
	}
	if s.options.Login != nil && (problem.status == http.StatusUnauthorized || problem.wrong != "") {
		problem.challenge = s.options.Login.Challenge(problem.wrong, problem.message)
	}
	problem.write(w)
}

// endpoint serves all paths but those of probes.
func (s *Server) endpoint(w http.ResponseWriter, r *http.Request, hosts hosts) *refusal {
	if problem := hosts.check(r); problem != nil {
		return problem
	}
	if s.options.Login != nil && s.options.Login.Serves(r.URL.Path) { // it has its own rules for web pages
		s.options.Login.ServeHTTP(w, r)
		return nil
	}
	w.Header().Add("Vary", "Origin")
	cross, problem := checkOrigin(r, s.options.AllowedOrigins)
	if problem != nil {
		return problem
	}
	if cross {
		allowReading(w.Header(), r.Header.Get("Origin"))
	}
	switch {
	case r.URL.Path == "/metrics" && s.options.Metrics != nil:
		s.options.Metrics.ServeHTTP(w, r)
		return nil
	case strings.TrimSuffix(r.URL.Path, "/") != strings.TrimSuffix(s.options.Path, "/"):
		return &refusal{status: http.StatusNotFound, reason: reasonPath, message: "there is nothing at this path; the MCP endpoint is " + s.options.Path}
	case r.Method == http.MethodOptions:
		answerOptions(w, cross)
		return nil
	case r.Method != http.MethodPost:
		if s.options.Login != nil { // whatever the request, it is told how to log in
			if _, problem := s.guard.principal(r.Header); problem != nil {
				return problem
			}
		}
		return &refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, allow: allowedMethods, message: "this server has no sessions and no streams to GET: send each message with POST"}
	}
	return s.post(w, r)
}

// post serves a message for the MCP endpoint.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *refusal {
	principal, problem := s.guard.principal(r.Header)
	if problem != nil {
		return problem
	}
	// The body comes first: a request that does not arrive is not a call.
	body, free, problem := s.bodies.read(w, r, principal)
	if problem != nil {
		return problem
	}
	defer free()
	done, problem := s.acquire(r.Context(), principal.Subject)
	if problem != nil {
		return problem
	}
	release := sync.OnceFunc(done)
	defer release()
	ctx := context.WithValue(auth.NewContext(r.Context(), principal), releaseKey{}, func() {
		release()
		free()
	})
	if principal.Kind == auth.KindLogin {
		var challenge *auth.Challenge
		ctx, challenge = auth.NewChallenge(ctx)
		w = &challengingWriter{ResponseWriter: w, challenge: challenge, refuse: func(w http.ResponseWriter, problem *refusal) { s.refuse(w, r, problem) }}
	}
	s.options.MCP(w, r.WithContext(ctx), body)
	return nil
}

// acquire counts a call of a subject, here and in the other replicas, until release is
// called.
func (s *Server) acquire(ctx context.Context, subject string) (release func(), problem *refusal) {
	here, problem := s.limiter.acquire(subject)
	if problem != nil || s.options.Acquire == nil {
		return here, problem
	}
	everywhere, ok := s.options.Acquire(ctx, subject, s.limiter.mostPerSubject)
	if !ok {
		here()
		return nil, keyBusyRefusal()
	}
	return func() {
		everywhere()
		here()
	}, nil
}

type releaseKey struct{}

// Release makes the request of a context count no longer as a call: it may stay open
// for as long as the client wants. A server that stops does not wait for it, so whoever
// calls Release limits the number of such requests, and ends them.
func Release(ctx context.Context) {
	if release, ok := ctx.Value(releaseKey{}).(func()); ok {
		release()
	}
}
