package httpd

import (
	"net/http"
	"strings"

	"outline-mcp/internal/auth"
)

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
	who, problem = narrowed(who, h)
	return who, true, problem
}

// A challengingWriter answers a request of somebody who has logged in with a challenge in
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
