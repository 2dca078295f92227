package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const jsonType = "application/json; charset=utf-8"

// An Answer is what an endpoint returns: the parts of the API's envelope, a
// file, or a redirection.
type Answer struct {
	Data     JSON        // nil leaves it out
	Page     *Pagination // nil leaves it out
	Success  bool        // adds "success": true
	Body     JSON        // replaces the envelope
	File     *File       // replaces the envelope
	Location string      // of a redirection, which replaces the envelope
	// NoContent replaces the envelope by nothing, with the status 204.
	NoContent bool
}

// Done is the answer of an endpoint without data.
var Done = Answer{Success: true}

// A Pagination is the position of a page in a list, as an answer shows it.
type Pagination struct {
	Page
	path  string // the path of the request
	total int    // -1 leaves it out
}

// A File is an answer to download, without the envelope.
type File struct {
	ContentType string
	Name        string
	Body        string
	Inline      bool // for a browser to show instead of saving it
}

// A Reply is an answer or error as the client receives it.
type Reply struct {
	Status      int
	contentType string
	disposition string
	location    string
	header      http.Header // more headers
	body        JSON
}

// NewReply returns a response without the envelope. The headers are added to those
// of every response; a response without a content type has none.
func NewReply(status int, contentType string, header http.Header, body []byte) Reply {
	return Reply{Status: status, contentType: contentType, header: header, body: JSON{body}}
}

// JSONReply returns a response with v as JSON, without the envelope.
func JSONReply(status int, header http.Header, v any) Reply {
	return Reply{Status: status, contentType: jsonType, header: header, body: Encode(v)}
}

// Redirection returns a response that sends the client to a location.
func Redirection(location string) Reply {
	return Reply{
		Status:      http.StatusFound,
		contentType: "text/plain; charset=utf-8",
		location:    location,
		body:        JSON{[]byte("Redirecting to " + location + ".")},
	}
}

// Header returns the headers of a response sent at now.
func (r Reply) Header(now time.Time) http.Header {
	h := http.Header{
		"Date": {now.UTC().Format(http.TimeFormat)},
	}
	if r.contentType != "" {
		h["Content-Type"] = []string{r.contentType}
		h["Content-Length"] = []string{strconv.Itoa(r.Size())}
	}
	maps.Copy(h, r.header)
	if r.disposition != "" {
		h["Content-Disposition"] = []string{r.disposition}
	}
	if r.location != "" {
		h["Location"] = []string{r.location}
	}
	return h
}

// Reader returns a new reader of the body.
func (r Reply) Reader() *net.Buffers {
	body := slices.Clone(r.body) // reading consumes it
	return &body
}

// Size returns the length of the body in bytes.
func (r Reply) Size() int {
	size := 0
	for _, part := range r.body {
		size += len(part)
	}
	return size
}

// JSON is a JSON value in parts. The JSON of a document is long and encoded
// only once; in parts it reaches the connection without being copied.
type JSON = net.Buffers

// Reply returns the response for the answer.
func (a Answer) Reply() Reply {
	if a.File != nil {
		disposition := "attachment"
		if a.File.Inline {
			disposition = "inline"
		}
		return Reply{
			Status:      http.StatusOK,
			contentType: a.File.ContentType,
			disposition: disposition + `; filename="` + a.File.Name + `"`,
			body:        JSON{[]byte(a.File.Body)},
		}
	}
	if a.Body != nil {
		return Reply{Status: http.StatusOK, contentType: jsonType, body: a.Body}
	}
	if a.NoContent {
		return Reply{Status: http.StatusNoContent}
	}
	if a.Location != "" {
		return Redirection(a.Location)
	}
	head := []byte{'{'}
	if a.Page != nil {
		head = append(head, `"pagination":`...)
		head = a.Page.append(head)
		head = append(head, ',')
	}
	if a.Success {
		head = append(head, `"success":true,`...)
	}
	body := make(JSON, 0, len(a.Data)+3)
	if a.Data != nil {
		body = append(append(append(body, append(head, `"data":`...)), a.Data...), []byte(","))
	} else {
		body = append(body, head)
	}
	body = append(body, []byte(`"status":200,"ok":true}`))
	return Reply{Status: http.StatusOK, contentType: jsonType, body: body}
}

// append appends the pagination as JSON to b. nextPath is present even on the
// last page, as recorded.
func (p *Pagination) append(b []byte) []byte {
	b = append(b, `{"limit":`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, int64(p.offset), 10)
	b = append(b, `,"nextPath":"`...)
	b = append(b, p.path...)
	b = append(b, `?limit=`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `&offset=`...)
	b = strconv.AppendInt(b, int64(p.offset)+int64(p.limit), 10)
	b = append(b, '"')
	if p.total >= 0 {
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(p.total), 10)
	}
	return append(b, '}')
}

// Array joins JSON values to a JSON array.
func Array(items ...JSON) JSON {
	joined := JSON{[]byte("[")}
	for i, item := range items {
		if i > 0 {
			joined = append(joined, []byte(","))
		}
		joined = append(joined, item...)
	}
	return append(joined, []byte("]"))
}

// List returns the items of a list as a JSON array.
func List[T any](list []T, present func(T) JSON) JSON {
	items := make([]JSON, len(list))
	for i, item := range list {
		items[i] = present(item)
	}
	return Array(items...)
}

// Object returns a JSON object, with its members in the order of their names.
func Object(members map[string]JSON) JSON {
	object := JSON{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		object = append(append(object, []byte(`,"`+name+`":`)), members[name]...)
	}
	if len(object) == 0 {
		return JSON{[]byte("{}")}
	}
	object[0][0] = '{'
	return append(object, []byte("}"))
}

// Encode returns v as JSON in a single part. Like JavaScript, it does not
// escape <, > and &. It panics if v cannot be encoded.
func Encode(v any) JSON {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("workspace: " + err.Error())
	}
	return JSON{bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}

// StringOrNull returns a pointer to s, or nil, which is null in JSON, if s is
// empty.
func StringOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// FileName returns a file name that is safe between the quotes of a header.
func FileName(slug, extension string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' || r > '~' {
			return -1
		}
		return r
	}, slug) + extension
}

// A Timestamp is a time in the form that Outline writes: UTC with milliseconds.
type Timestamp time.Time

// AppendText implements [encoding.TextAppender].
func (t Timestamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z"), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t Timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// TimeOrNull returns a pointer to t, or nil, which is null in JSON, if t is
// zero.
func TimeOrNull(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return (*Timestamp)(&t)
}

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
