package httpd

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
)

// serve serves a request. Probes send whatever host they were given, so /health
// and /ready skip the checks of the endpoint.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, hosts hosts) {
	short := &answer{ResponseWriter: w, within: min(shortAnswer, s.options.WriteTimeout)}
	switch r.URL.Path {
	case "/health": // whatever the state of Outline
		answerProbe(short, r, "ok", nil)
	case "/ready":
		answerProbe(short, r, "ready", s.health.check())
	default:
		if problem := s.endpoint(&answer{ResponseWriter: w, ctx: r.Context(), within: s.options.WriteTimeout, unread: s.unread}, r, hosts); problem != nil {
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
func (s *Server) endpoint(w *answer, r *http.Request, hosts hosts) *refusal {
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
func (s *Server) post(w *answer, r *http.Request) *refusal {
	principal, problem := s.guard.principal(r.Header)
	if problem != nil {
		return problem
	}
	// The body comes first: a request that does not arrive is not a call.
	body, free, problem := s.bodies.read(w, r, principal)
	if problem != nil {
		return problem
	}
	answers, done := outline.WithPlace(r.Context())
	w.begun = sync.OnceFunc(func() {
		free()
		done()
	})
	defer w.begun()
	stranger := principal.Kind == auth.KindAPIKey && s.options.Accepted != nil && !s.options.Accepted(principal)
	end, problem := s.limiter.acquire(principal.Subject, stranger)
	if problem != nil {
		return problem
	}
	defer end()
	ctx := auth.NewContext(answers, principal)
	var to http.ResponseWriter = w
	if principal.Kind == auth.KindLogin {
		var challenge *auth.Challenge
		ctx, challenge = auth.NewChallenge(ctx)
		to = &challengingWriter{ResponseWriter: w, challenge: challenge, refuse: func(w http.ResponseWriter, problem *refusal) { s.refuse(w, r, problem) }}
	}
	s.options.MCP(to, r.WithContext(ctx), body)
	return nil
}

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

	flights singleflight.Group
	answers expiring.Map[string, error] // of Outline's, by one key
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
	const question = "ready"
	if err, known := h.answers.Get(question); known {
		return err
	}
	answer := h.flights.DoChan(question, func() (any, error) {
		ctx, cancel := context.WithTimeout(h.stopping, readyWithin)
		defer cancel()
		err := h.ask(ctx)
		h.answers.Set(question, err, readyFor)
		return nil, err
	})
	late := time.NewTimer(readyWithin + time.Second) // for ask to notice its deadline
	defer late.Stop()
	select {
	case answered := <-answer:
		return answered.Err
	case <-h.stopping.Done():
		return stopping
	case <-late.C:
		return errors.New("no answer from Outline in time; check OUTLINE_API_URL and the network")
	}
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

// A Login lets people log in with Outline: it is an OAuth authorization server. It is
// safe for concurrent use.
type Login interface {
	// ServeHTTP serves the paths for which Serves is true. Of the server's checks, only
	// those of the host, the load and the time that a request takes apply to them.
	http.Handler
	Serves(path string) bool

	// IsToken reports whether a credential has the form of the tokens that it issues.
	// Principal returns who such a token acts for, or an error if it cannot be used. The
	// error is not shown.
	IsToken(credential string) bool
	Principal(token string) (auth.Principal, error)

	// Challenge returns the value of WWW-Authenticate that tells a client how to log in:
	// with the error code and a description of what is wrong with its token, unless the
	// code is "" (RFC 6750, section 3; RFC 9728, section 5.1).
	Challenge(code, description string) string
}

// The error codes of RFC 6750, section 3.1.
const (
	wrongToken = "invalid_token"
	wrongScope = "insufficient_scope"
)

// loggedIn returns who a request acts for if it brought the token of a login. Tokens of
// Outline itself are refused: who has them got them for something else (MCP 2025-11-25,
// basic/authorization, Access Token Privilege Restriction).
func (g guard) loggedIn(h http.Header, bearer, key string) (who auth.Principal, brought bool, problem *refusal) {
	for _, value := range []string{bearer, key, h.Get(headerToken)} {
		if strings.HasPrefix(value, "ol_at_") || strings.HasPrefix(value, "ol_rt_") {
			return who, false, unauthorized(reasonForeign, "this is a token of Outline, not of this server: log in to this server, or send an Outline API key")
		}
	}
	switch {
	case key != "" && g.login.IsToken(key):
		return who, false, unauthorized(reasonLogin, headerKey+" contains a token of a login; send it as Authorization: Bearer")
	case bearer == "" || !g.login.IsToken(bearer):
		return who, false, nil
	case key != "":
		return who, false, unauthorized(reasonKey, "there is an Outline key in "+headerKey+" beside the token of a login; send only one")
	}
	who, err := g.login.Principal(bearer)
	if err != nil {
		return who, false, unauthorized(reasonLogin, "the login has expired or is not valid here; renew it, or log in again")
	}
	who, problem = withLimits(who, h)
	return who, true, problem
}

// A challengingWriter answers a request of a logged-in user with a challenge in
// place of the result, if one is due: Outline rejects their token, or they have to give
// the client more. Once events have been sent, it is too late for that, and while they are
// sent, other parts of the call may still change something.
type challengingWriter struct {
	http.ResponseWriter
	challenge *auth.Challenge
	refuse    func(http.ResponseWriter, *refusal)

	begun, refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *challengingWriter) WriteHeader(status int) {
	w.begun = true
	if w.Header().Get("Content-Type") != "text/event-stream" {
		if problem := w.problem(); problem != nil {
			w.refused = true
			w.refuse(w.ResponseWriter, problem)
			return
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. It drops the result that the challenge replaces.
func (w *challengingWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *challengingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *challengingWriter) problem() *refusal {
	switch {
	case w.challenge.Insufficient():
		return &refusal{status: http.StatusForbidden, reason: reasonScope, wrong: wrongScope, message: "this changes the workspace, and you have allowed the client only to read; log in again and allow it to write"}
	case w.challenge.Rejected():
		return unauthorized(reasonLogin, "Outline no longer accepts the login; renew it, or log in again")
	}
	return nil
}
