package oauth

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// A problem is why a request is refused, as the client is told (RFC 6749, section 5.2).
type problem struct {
	status      int
	code        string
	description string // ASCII, without what the request contains
	reason      Reason
	retryAfter  string // of the header; "" for none
	cause       error  // for the log; nil if there is nothing to say
}

func (p *problem) Error() string { return p.code + ": " + p.description }

func invalidRequest(reason Reason, description string) *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid_request", description: description, reason: reason}
}

func invalidGrant(reason Reason, description string) *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid_grant", description: description, reason: reason}
}

// isGrantProblem reports whether an error means that a code or a token is not valid.
func isGrantProblem(err error) bool {
	p, ok := errors.AsType[*problem](err)
	return ok && p.code == "invalid_grant"
}

// tooManyCodes refuses a login that could use up what Outline allows this server.
func tooManyCodes(wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many logins have failed; try again later", reason: OutlineBusy,
		retryAfter: seconds(wait), cause: errors.New("Outline has refused too many codes in the last hour; until the hour is over, nobody can log in, but logins are renewed")}
}

// seconds returns a time to wait for Retry-After, rounded up.
func seconds(wait time.Duration) string {
	return strconv.Itoa(int((wait + time.Second - 1) / time.Second))
}

// invalidClient makes clients register anew.
func invalidClient() *problem {
	return &problem{status: http.StatusUnauthorized, code: "invalid_client", description: "unknown or expired client_id; register again", reason: BadClient}
}

func invalidTarget() *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid_target", description: "resource is not the URL of this server's MCP endpoint", reason: BadTarget}
}

// fail answers a client with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = misconfigured(err)
	}
	s.refused(r, p)
	if p.retryAfter != "" {
		w.Header().Set("Retry-After", p.retryAfter)
	}
	writeJSON(w, p.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{p.code, p.description})
}

// refused counts a refusal, and logs it: what the operator can do something about as a
// warning, what strangers send for debugging only.
func (s *Server) refused(r *http.Request, p *problem) {
	s.options.Observe(Event{Refused, p.reason})
	level := slog.LevelDebug
	if p.reason == Misconfigured || p.reason == OutlineDown || p.reason == OutlineBusy {
		level = slog.LevelWarn
	}
	attributes := []slog.Attr{slog.String("endpoint", r.URL.Path), slog.String("reason", string(p.reason)), slog.Int("status", p.status)}
	if p.cause != nil {
		attributes = append(attributes, slog.String("cause", p.cause.Error()))
	}
	s.options.Log.LogAttrs(r.Context(), level, "login refused", attributes...)
}

// did logs what a person has done with an app, and counts it.
func (s *Server) did(r *http.Request, what EventKind, subject string) {
	s.options.Observe(Event{Kind: what})
	s.options.Log.InfoContext(r.Context(), "login", "event", string(what), "subject", subject)
}

func writeJSON(w http.ResponseWriter, status int, content any) {
	body, err := json.Marshal(content)
	if err != nil {
		panic(err) // texts, lists and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
