package outline

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"

	"outline-mcp/internal/text"
)

// The kinds of failure. Every error of a call is an [*Error] of exactly one
// kind, to be asked for with [errors.Is].
var (
	// ErrNoKey: the client has no API key; nothing was sent.
	ErrNoKey = errors.New("no API key")
	// ErrInvalid: Outline refused the arguments (status 400).
	ErrInvalid = errors.New("invalid request")
	// ErrUnauthorized: the key is unknown, expired or malformed (401).
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden: the key, its scopes or its user may not do this (403).
	// For several endpoints Outline answers so for an unknown id, too.
	ErrForbidden = errors.New("forbidden")
	// ErrNotFound: no such document, collection or endpoint (404).
	ErrNotFound = errors.New("not found")
	// ErrTextNotFound: Outline does not find the text to replace, or the text
	// to anchor a comment to, in the document (404).
	ErrTextNotFound = errors.New("text not found")
	// ErrConflict: the document has changed in the meantime (409).
	ErrConflict = errors.New("conflict")
	// ErrTooLarge: the request is larger than the server takes (413).
	ErrTooLarge = errors.New("request too large")
	// ErrRateLimited: too many requests (429); see [Error.RetryAfter].
	ErrRateLimited = errors.New("rate limited")
	// ErrUpstream: the server failed (5xx) or answered with another status
	// that the API does not use.
	ErrUpstream = errors.New("upstream error")
	// ErrBadAnswer: what came is no answer of Outline: a redirect, not JSON,
	// cut JSON or JSON of another shape.
	ErrBadAnswer = errors.New("bad answer")
	// ErrAnswerTooLarge: the answer is longer than Options.MaxAnswerBytes.
	ErrAnswerTooLarge = errors.New("answer too large")
	// ErrTimeout: an attempt took longer than Options.RequestTimeout, or the
	// context's deadline passed. Such errors are context.DeadlineExceeded too.
	ErrTimeout = errors.New("timeout")
	// ErrCancelled: the context was cancelled. Such errors are
	// context.Canceled too.
	ErrCancelled = errors.New("cancelled")
	// ErrUnreachable: no connection, none that can be trusted, or one that
	// broke before the answer was complete.
	ErrUnreachable = errors.New("unreachable")
)

// Error is everything a call can fail with. Neither its fields nor its text
// hold the API key or the body of an answer.
type Error struct {
	Endpoint   string        // e.g. documents.info
	Status     int           // HTTP status of the answer; 0 when there was none
	Code       string        // Outline's error code, e.g. not_found; "" when there was none
	Message    string        // Outline's message, or what went wrong; no advice, see Remedy
	Remedy     Remedy        // what may help; NoRemedy when nothing is known to
	RetryAfter time.Duration // how long the server asked to wait; 0 when it did not
	Afterwards string        // what looking showed after the answer to a command was lost; "" when nobody looked
	Err        error         // the cause below HTTP or the context's error; may be nil

	kind           error // overrides the kind that Status stands for
	transient      bool  // a repetition may succeed
	sent           bool  // the request may have reached the server
	outcomeUnknown bool  // see OutcomeUnknown
}

// Error returns one sentence: what was called, what went wrong, the status
// where it is Outline's own, and when to try again where that is known.
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

// Kind returns the one Err… value of this package that the error is, nil for
// the zero Error.
func (e *Error) Kind() error {
	if e.kind != nil {
		return e.kind
	}
	switch e.Status {
	case 0:
		return nil
	case http.StatusBadRequest:
		return ErrInvalid
	case http.StatusUnauthorized:
		return ErrUnauthorized
	case http.StatusForbidden:
		return ErrForbidden
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusConflict:
		return ErrConflict
	case http.StatusRequestEntityTooLarge:
		return ErrTooLarge
	case http.StatusTooManyRequests:
		return ErrRateLimited
	}
	return ErrUpstream
}

// roundUp makes a wait readable without promising too early a moment.
func roundUp(d time.Duration) time.Duration {
	unit := time.Second
	if d < time.Second {
		unit = 10 * time.Millisecond
	}
	if whole := d.Truncate(unit); whole < d {
		return whole + unit
	}
	return d
}

// presentable makes text from outside fit for an error: one line, bounded,
// and without the key should the server have repeated it.
func presentable(s, key string) string {
	const longest = 500
	if len(key) >= 8 {
		// In any case, since names of hosts and media types become lower case.
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
