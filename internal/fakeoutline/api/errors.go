package api

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"
)

// An Error is an error of the API. Codes and messages are recorded.
type Error struct {
	Status  int
	Code    string
	Message string
	Data    any // nil leaves it out
	Header  http.Header
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Invalid returns the error for a request with a field that is not valid.
func Invalid(format string, args ...any) error {
	return &Error{Status: http.StatusBadRequest, Code: "validation_error", Message: fmt.Sprintf(format, args...)}
}

// InvalidField is [Invalid] for what is wrong with one field.
func InvalidField(name, format string, args ...any) error {
	return Invalid("%s: %s", name, fmt.Sprintf(format, args...))
}

// InvalidRequest returns the error for a request that is valid but not
// possible.
func InvalidRequest(message string) error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// bodyError returns an error of Outline's body parser, which has no code.
func bodyError(status int, message string) error {
	return &Error{Status: status, Message: message}
}

// Unauthorized returns the error for a request without a valid API key.
func Unauthorized(message string) error {
	return &Error{Status: http.StatusUnauthorized, Code: "authentication_required", Message: message}
}

// Forbidden returns the error for everything that the caller may not do or see,
// and for an unknown ID if the API checks permissions first.
func Forbidden() error { return Denied("Authorization error") }

// Denied is [Forbidden] with another message.
func Denied(message string) error {
	return &Error{Status: http.StatusForbidden, Code: "authorization_error", Message: message}
}

// ParamRequired returns the error for a missing field that the state of an
// object requires.
func ParamRequired(message string) error {
	return &Error{Status: http.StatusBadRequest, Code: "param_required", Message: message}
}

// Conflict returns the error for a document that has changed in the meantime.
func Conflict(message string) error {
	return &Error{Status: http.StatusConflict, Code: "document_conflict", Message: message}
}

// NotFound returns the error for an unknown object or method.
func NotFound() error {
	return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "Resource not found"}
}

// ErrorOf returns the first [Error] that err wraps, or an internal error.
func ErrorOf(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Status: http.StatusInternalServerError, Code: "internal_error", Message: err.Error()}
}

// Reply returns the response for the error, given the Accept header of the
// request: a page if the client prefers HTML, otherwise JSON.
func (e *Error) Reply(accept string) Reply {
	if prefersHTML(accept) {
		return Reply{
			Status:      e.Status,
			contentType: "text/html; charset=utf-8",
			header:      e.Header,
			body: JSON{fmt.Appendf(nil, "<!doctype html>\n<html lang=\"en\"><head><title>Error - %d</title></head><body><h1>%d</h1><p>%s</p></body></html>\n",
				e.Status, e.Status, html.EscapeString(e.Message))},
		}
	}
	return Reply{
		Status:      e.Status,
		contentType: jsonType,
		header:      e.Header,
		body: Encode(struct {
			OK      bool   `json:"ok"`
			Error   string `json:"error"`
			Status  int    `json:"status"`
			Message string `json:"message"`
			Data    any    `json:"data,omitempty"`
		}{false, e.Code, e.Status, e.Message, e.Data}),
	}
}

// prefersHTML reports whether an Accept header names text/html before JSON, as that of a
// browser does. Quality values are ignored.
func prefersHTML(accept string) bool {
	for mediaRange := range strings.SplitSeq(accept, ",") {
		switch mediaRange, _, _ := strings.Cut(strings.TrimSpace(mediaRange), ";"); mediaRange {
		case "text/html", "text/*":
			return true
		case "application/json", "application/*", "*/*":
			return false
		}
	}
	return false
}
