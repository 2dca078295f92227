package api

import (
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// An apiError is an error answer of the API. Codes and messages are recorded.
type Error struct {
	Status  int
	Code    string
	Message string
	Data    any // further facts, nil for most errors
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

func Invalid(format string, args ...any) error {
	return &Error{Status: http.StatusBadRequest, Code: "validation_error", Message: fmt.Sprintf(format, args...)}
}

func InvalidRequest(message string) error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// errBody is what Outline's body parser answers: its errors have no code.
func errBody(status int, message string) error {
	return &Error{Status: status, Message: message}
}

func Unauthorized(message string) error {
	return &Error{Status: http.StatusUnauthorized, Code: "authentication_required", Message: message}
}

// errForbidden is the answer to everything that a caller may not do or see,
// and to an unknown id where the API looks at permission first.
func Forbidden() error { return Denied("Authorization error") }

func Denied(message string) error {
	return &Error{Status: http.StatusForbidden, Code: "authorization_error", Message: message}
}

// errParamRequired is the answer where a field is missing that the state of an
// object makes necessary.
func ParamRequired(message string) error {
	return &Error{Status: http.StatusBadRequest, Code: "param_required", Message: message}
}

func Conflict(message string) error {
	return &Error{Status: http.StatusConflict, Code: "document_conflict", Message: message}
}

func NotFound() error {
	return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "Resource not found"}
}

// failure is the error answer for err.
func ErrorOf(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Status: http.StatusInternalServerError, Code: "internal_error", Message: err.Error()}
}

// reply renders the error: as a page of HTML for a caller that prefers that,
// else as JSON.
func (e *Error) Reply(accept string) Reply {
	if prefersHTML(accept) {
		return Reply{
			Status:      e.Status,
			contentType: "text/html; charset=utf-8",
			body: JSON{fmt.Appendf(nil, "<!doctype html>\n<html lang=\"en\"><head><title>Error - %d</title></head><body><h1>%d</h1><p>%s</p></body></html>\n",
				e.Status, e.Status, html.EscapeString(e.Message))},
		}
	}
	return Reply{
		Status:      e.Status,
		contentType: jsonType,
		body: Encode(struct {
			OK      bool   `json:"ok"`
			Error   string `json:"error"`
			Status  int    `json:"status"`
			Message string `json:"message"`
			Data    any    `json:"data,omitempty"`
		}{false, e.Code, e.Status, e.Message, e.Data}),
	}
}

// prefersHTML reports whether an Accept header (RFC 9110, section 12.5.1)
// ranks text/html above application/json: by quality, then by the order in the
// header. Where both are covered by one range, as in */*, JSON wins.
func prefersHTML(accept string) bool {
	if !strings.Contains(accept, "text/") {
		return false
	}
	var htmlQuality, jsonQuality float64
	var htmlPlace, jsonPlace int
	var htmlExactness, jsonExactness int
	for place, item := range strings.Split(accept, ",") {
		mediaRange, params, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		quality := 1.0
		if q, ok := params["q"]; ok {
			if quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if x := covers(mediaRange, "text", "html"); x > htmlExactness {
			htmlQuality, htmlPlace, htmlExactness = quality, place, x
		}
		if x := covers(mediaRange, "application", "json"); x > jsonExactness {
			jsonQuality, jsonPlace, jsonExactness = quality, place, x
		}
	}
	if htmlQuality != jsonQuality {
		return htmlQuality > jsonQuality
	}
	return htmlPlace < jsonPlace
}

// covers reports how exactly a media range covers a type: 3 by name, 2 by its
// main type, 1 as everything, 0 not at all.
func covers(mediaRange, mainType, subtype string) int {
	switch mediaRange {
	case mainType + "/" + subtype:
		return 3
	case mainType + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}
