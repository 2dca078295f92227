package workspace

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
type apiError struct {
	status  int
	code    string
	message string
	data    any // further facts, nil for most errors
}

// Error implements error.
func (e *apiError) Error() string { return e.message }

func errValidation(format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, code: "validation_error", message: fmt.Sprintf(format, args...)}
}

func errInvalidRequest(message string) error {
	return &apiError{status: http.StatusBadRequest, code: "invalid_request", message: message}
}

// errBody is what Outline's body parser answers: its errors have no code.
func errBody(status int, message string) error {
	return &apiError{status: status, message: message}
}

func errAuthentication(message string) error {
	return &apiError{status: http.StatusUnauthorized, code: "authentication_required", message: message}
}

// errForbidden is the answer to everything that a caller may not do or see,
// and to an unknown id where the API looks at permission first.
func errForbidden() error { return errAuthorization("Authorization error") }

func errAuthorization(message string) error {
	return &apiError{status: http.StatusForbidden, code: "authorization_error", message: message}
}

// errParamRequired is the answer where a field is missing that the state of an
// object makes necessary.
func errParamRequired(message string) error {
	return &apiError{status: http.StatusBadRequest, code: "param_required", message: message}
}

func errConflict(message string) error {
	return &apiError{status: http.StatusConflict, code: "document_conflict", message: message}
}

func errNotFound() error {
	return &apiError{status: http.StatusNotFound, code: "not_found", message: "Resource not found"}
}

// failure is the error answer for err.
func failure(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return &apiError{status: http.StatusInternalServerError, code: "internal_error", message: err.Error()}
}

// reply renders the error: as a page of HTML for a caller that prefers that,
// else as JSON.
func (e *apiError) reply(accept string) reply {
	if prefersHTML(accept) {
		return reply{
			status:      e.status,
			contentType: "text/html; charset=utf-8",
			body: pieces{fmt.Appendf(nil, "<!doctype html>\n<html lang=\"en\"><head><title>Error - %d</title></head><body><h1>%d</h1><p>%s</p></body></html>\n",
				e.status, e.status, html.EscapeString(e.message))},
		}
	}
	return reply{
		status:      e.status,
		contentType: jsonType,
		body: encode(struct {
			OK      bool   `json:"ok"`
			Error   string `json:"error"`
			Status  int    `json:"status"`
			Message string `json:"message"`
			Data    any    `json:"data,omitempty"`
		}{false, e.code, e.status, e.message, e.data}),
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
