package outline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"outline-mcp/internal/text"
	"outline-mcp/outline/transport"
)

// The kinds of failure. Every error of a call is an [*Error] of exactly one of
// these kinds, which [errors.Is] finds.
var (
	// ErrNoKey: there is no credential. Nothing was sent.
	ErrNoKey = errors.New("no API key")
	// ErrInvalid: Outline rejected the arguments (status 400).
	ErrInvalid = errors.New("invalid request")
	// ErrUnauthorized: the token is unknown, expired or malformed (401).
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden: the token, its scopes or its user do not allow this (403).
	// Several endpoints also answer so if the id is unknown.
	ErrForbidden = errors.New("forbidden")
	// ErrNotFound: there is no such document, collection or endpoint (404).
	ErrNotFound = errors.New("not found")
	// ErrTextNotFound: the text to replace, or to anchor a comment to, does not
	// occur in the document (404).
	ErrTextNotFound = errors.New("text not found")
	// ErrCannotAnchor: comments cannot be attached to passages of the document,
	// because nobody has opened it in the editor of this release of Outline (400).
	ErrCannotAnchor = errors.New("cannot anchor comments")
	// ErrUnsupported: this Outline is older than the versions that the client supports.
	ErrUnsupported = errors.New("unsupported version")
	// ErrConflict: the document has changed in the meantime (409).
	ErrConflict = errors.New("conflict")
	// ErrTooLarge: the request is larger than the server accepts (413).
	ErrTooLarge = errors.New("request too large")
	// ErrTables: the tables of the text have too many cells. Nothing was sent.
	ErrTables = errors.New("too many table cells")
	// ErrRateLimited: too many requests (429); see [Error.RetryAfter].
	ErrRateLimited = errors.New("rate limited")
	// ErrUpstream: the server failed (5xx), or answered with a status that the
	// API does not use.
	ErrUpstream = errors.New("upstream error")
	// ErrBadAnswer: the answer is not Outline's: a redirect, not JSON, truncated
	// JSON, or JSON of another shape.
	ErrBadAnswer = errors.New("bad answer")
	// ErrAnswerTooLarge: the answer is longer than Options.MaxAnswerBytes.
	ErrAnswerTooLarge = errors.New("answer too large")
	// ErrTimeout: an attempt took longer than Options.RequestTimeout, or the
	// deadline of the context passed. Such errors are also
	// context.DeadlineExceeded.
	ErrTimeout = errors.New("timeout")
	// ErrCancelled: the context was cancelled. Such errors are also
	// context.Canceled.
	ErrCancelled = errors.New("cancelled")
	// ErrUnreachable: there was no connection, none that can be trusted, or it
	// broke before the answer was complete.
	ErrUnreachable = errors.New("unreachable")
	// ErrWithheld: the function of BeforeCommands did not let the request be sent.
	ErrWithheld = errors.New("withheld")
)

// An Error is the failure of a call. Neither its fields nor its text contain the
// token or the body of an answer.
type Error struct {
	Endpoint   string        // e.g. documents.info
	Status     int           // HTTP status of the answer, 0 if there was none
	Code       string        // Outline's error code, e.g. not_found; "" if there was none
	Message    string        // Outline's message, or what went wrong
	Remedy     Remedy        // what may help; NoRemedy if nothing is known to
	RetryAfter time.Duration // how long the server asks to wait, 0 if it does not
	Afterwards string        // what was seen after the answer to a command was lost; "" if nothing was looked up
	Err        error         // the error of the network or the context; may be nil

	kind           error // takes precedence over the kind of Status
	allowed        int   // requests in the window of the rate limit that was reached; 0 if unknown
	transient      bool  // a repetition may succeed
	sent           bool  // the request may have reached the server
	unsent         bool  // the call had ended before there was anything to send
	outcomeUnknown bool  // see OutcomeUnknown
}

// Error returns one sentence: what was called, what went wrong, the status if it
// is Outline's own, and when to try again if that is known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Endpoint != "" {
		b.WriteString(e.Endpoint + ": ")
	}
	text := cmp.Or(strings.Trim(e.Message, ". "), e.Code, http.StatusText(e.Status))
	if text == "" && e.Kind() != nil {
		text = e.Kind().Error()
	}
	b.WriteString(cmp.Or(text, "failed"))
	if e.kind == nil && e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; try again in %s", roundUp(e.RetryAfter))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return target != nil && target == e.Kind() }

// Kind returns the Err… value that the error matches, or nil for the zero Error.
func (e *Error) Kind() error {
	if e.kind != nil {
		return e.kind
	}
	if kind, ok := kindOf[e.Status]; ok {
		return kind
	}
	return ErrUpstream
}

// Suspended reports whether Outline refused a call because an admin has suspended
// the owner of the token. Such an error is also ErrForbidden. Every other call
// with the token fails as well.
func Suspended(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Is(ErrForbidden) && e.Code == "user_suspended"
}

// OutOfScope reports whether Outline refused a call because the scopes of the token do
// not include the endpoint. Such an error is also ErrForbidden. A missing right has
// another message, as recorded from Outline 1.9.1.
func OutOfScope(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Is(ErrForbidden) && strings.HasSuffix(e.Message, " does not have access to this resource")
}

// kindOf is the kind of a failure by the status of the answer.
var kindOf = map[int]error{
	0:                                nil,
	http.StatusBadRequest:            ErrInvalid,
	http.StatusUnauthorized:          ErrUnauthorized,
	http.StatusForbidden:             ErrForbidden,
	http.StatusNotFound:              ErrNotFound,
	http.StatusConflict:              ErrConflict,
	http.StatusRequestEntityTooLarge: ErrTooLarge,
	http.StatusTooManyRequests:       ErrRateLimited,
}

// roundUp rounds a wait for display, never to less.
func roundUp(d time.Duration) time.Duration {
	unit := time.Second
	if d < time.Second {
		unit = 10 * time.Millisecond
	}
	return (d + unit - 1).Truncate(unit)
}

// presentable makes text from outside fit for an error: one line, of limited
// length, and without the key in case the server has repeated it.
func presentable(s, key string) string {
	const longest = 500
	if len(key) >= 8 {
		// In upper or lower case, because host names and media types become lower case.
		s = regexp.MustCompile("(?i)"+regexp.QuoteMeta(key)).ReplaceAllLiteralString(s, "[key]")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return text.Truncate(s, longest)
}

// apiKey matches an API key of Outline, a token, code or client secret of its OAuth
// (shared/oauth in its source), or one that this server issues (omcp_), and everything
// up to the next space.
var apiKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:ol_(?:api|at|rt|ac|sk|rat)|omcp_(?:at|rt|ac))_\S+`)
})

// Redact replaces everything in s that looks like an API key of Outline (ol_api_ in
// upper or lower case, up to the next space), or a secret of OAuth, with "****". It is
// for values that are shown and into which a user may have pasted a key.
func Redact(s string) string {
	if !hasPrefix(s) || !apiKey().MatchString(s) {
		return s // ReplaceAll would copy it
	}
	return apiKey().ReplaceAllLiteralString(s, "****")
}

// hasPrefix reports whether the first letters of what apiKey matches occur in s. Most
// texts do not have them, and a regular expression that ignores case takes longer to
// say so than writing a log line.
func hasPrefix(s string) bool {
	for {
		before, after, found := strings.Cut(s, "_")
		if !found {
			return false
		}
		if endsWith(before, "ol") || endsWith(before, "omcp") {
			return true
		}
		s = after
	}
}

// endsWith reports whether s ends with letters, in upper or lower case.
func endsWith(s, letters string) bool {
	return len(s) >= len(letters) && strings.EqualFold(s[len(s)-len(letters):], letters)
}

// A Remedy is what the operator of a program can do about a failed call. It says
// what to check; the program knows the names of its settings.
type Remedy int

// The remedies.
const (
	NoRemedy              Remedy = iota // nothing is known to help
	SetCredential                       // there is no credential: set one
	CheckCredential                     // the credential is malformed: check how it is set
	CheckAddress                        // Options.BaseURL is not the address of Outline's API
	CheckAddressOrGateway               // Options.BaseURL is wrong, or a gateway in front of Outline answered
	CheckAddressNetwork                 // nothing responds there: check the address and the network
	CheckAddressServer                  // the connection was refused: check the address and whether Outline is running
	CheckGateway                        // a proxy or gateway in front of Outline answered: check the address and what is in front of it
	PassGateway                         // a gateway in front of Outline wants a login: identify to it with transport.Options, or have it let the API through
	ExemptAPI                           // a gateway in front of Outline blocks programs: exempt the API, or identify to it
	CheckProxy                          // the proxy cannot be reached: check the proxy settings of the environment
	TrustIssuer                         // the issuer of the server's certificate is unknown: add it to transport.Options.CAFile if it is a private one
	RaiseAnswerLimit                    // the answer is longer than Options.MaxAnswerBytes: raise the limit or ask for less
)

// ctxErr is like ctx.Err, but also reports a deadline that has just passed: the
// network uses its own clock and can notice it a moment earlier.
func ctxErr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// endError returns the failure of a call whose context has ended.
func endError(endpoint string, err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Endpoint: endpoint, Message: "the call was cancelled", Err: err, kind: ErrCancelled}
	}
	return &Error{Endpoint: endpoint, Message: "the time for the call ran out before Outline answered", Err: err, kind: ErrTimeout}
}

// unsentEndError is endError for an attempt that sent nothing.
func unsentEndError(endpoint string, err error) *Error {
	failure := endError(endpoint, err)
	failure.unsent = true
	return failure
}

// sentEndError is endError for an attempt that may have reached the server.
func sentEndError(endpoint string, err error) *Error {
	failure := endError(endpoint, err)
	failure.sent = true
	return failure
}

// transportFailure returns the failure of an attempt that got no answer or only
// a part of it, and notes whether anything was sent as far as the error tells.
func (c *Client) transportFailure(ctx, attempt context.Context, endpoint, token string, err error) *Error {
	if err := ctxErr(ctx); err != nil {
		return sentEndError(endpoint, err)
	}
	problem, connecting := transport.Diagnose(err)
	e := &Error{
		Endpoint: endpoint, kind: ErrUnreachable, transient: true, sent: !connecting,
		Err: transport.Cause(err, func(text string) string { return presentable(text, token) }),
	}
	if ctxErr(attempt) != nil {
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = fmt.Sprintf("no complete answer from %s within %s", c.host, c.requestTimeout)
		return e
	}
	switch problem {
	case transport.Late:
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = "no answer from " + c.host + " in the time that the connection allows"
	case transport.Untrusted:
		e.transient, e.Remedy = false, TrustIssuer
		e.Message = fmt.Sprintf("the certificate of %s cannot be trusted (%s)", c.host, e.Err)
	case transport.NoTLS:
		e.transient, e.Remedy = false, CheckAddress
		e.Message = c.host + " speaks HTTP, not HTTPS"
	case transport.NoProxy:
		e.Remedy = CheckProxy
		e.Message = fmt.Sprintf("cannot connect to the proxy for %s (%s)", c.host, e.Err)
	case transport.UnknownHost:
		e.Remedy = CheckAddress
		reason := e.Err
		var lookup *net.DNSError
		if errors.As(err, &lookup) {
			reason = errors.New(lookup.Err)
		}
		e.Message = fmt.Sprintf("cannot find the host %s (%s)", c.host, reason)
	case transport.Silent:
		e.Remedy = CheckAddressNetwork
		e.Message = fmt.Sprintf("cannot connect to %s (it does not respond)", c.host)
	case transport.Unreachable:
		e.Remedy = CheckAddressServer
		e.Message = fmt.Sprintf("cannot connect to %s (%s)", c.host, e.Err)
	default:
		e.Message = fmt.Sprintf("the connection to %s failed before the answer was complete (%s)", c.host, e.Err)
	}
	return e
}
