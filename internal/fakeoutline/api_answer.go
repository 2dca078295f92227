package fakeoutline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const jsonType = "application/json; charset=utf-8"

// An apiAnswer is what an endpoint returns: the parts of the API's envelope, a
// file, or a redirection.
type apiAnswer struct {
	Data     apiJSON        // nil leaves it out
	Page     *apiPagination // nil leaves it out
	Success  bool           // adds "success": true
	Body     apiJSON        // replaces the envelope
	File     *apiFile       // replaces the envelope
	Location string         // of a redirection, which replaces the envelope
	// NoContent replaces the envelope by nothing, with the status 204.
	NoContent bool
}

// apiDone is the answer of an endpoint without data.
var apiDone = apiAnswer{Success: true}

// An apiPagination is the position of a page in a list, as an answer shows it.
type apiPagination struct {
	apiPage
	path  string // the path of the request
	total int    // -1 leaves it out
}

// An apiFile is an answer to download, without the envelope.
type apiFile struct {
	ContentType string
	Name        string
	Body        string
	Inline      bool // for a browser to show instead of saving it
}

// An apiReply is an answer or error as the client receives it.
type apiReply struct {
	Status      int
	contentType string
	disposition string
	location    string
	header      http.Header // more headers
	body        apiJSON
}

// newAPIReply returns a response without the envelope. The headers are added to those
// of every response; a response without a content type has none.
func newAPIReply(status int, contentType string, header http.Header, body []byte) apiReply {
	return apiReply{Status: status, contentType: contentType, header: header, body: apiJSON{body}}
}

// apiJSONReply returns a response with v as JSON, without the envelope.
func apiJSONReply(status int, header http.Header, v any) apiReply {
	return apiReply{Status: status, contentType: jsonType, header: header, body: encodeJSON(v)}
}

// apiRedirection returns a response that sends the client to a location.
func apiRedirection(location string) apiReply {
	return apiReply{
		Status:      http.StatusFound,
		contentType: "text/plain; charset=utf-8",
		location:    location,
		body:        apiJSON{[]byte("Redirecting to " + location + ".")},
	}
}

// Header returns the headers of a response sent at now.
func (r apiReply) Header(now time.Time) http.Header {
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
func (r apiReply) Reader() *net.Buffers {
	body := slices.Clone(r.body) // reading consumes it
	return &body
}

// Size returns the length of the body in bytes.
func (r apiReply) Size() int {
	size := 0
	for _, part := range r.body {
		size += len(part)
	}
	return size
}

// apiJSON is a JSON value in parts. The JSON of a document is long and encoded
// only once; in parts it reaches the connection without being copied.
type apiJSON = net.Buffers

// Reply returns the response for the answer.
func (a apiAnswer) Reply() apiReply {
	if a.File != nil {
		disposition := "attachment"
		if a.File.Inline {
			disposition = "inline"
		}
		return apiReply{
			Status:      http.StatusOK,
			contentType: a.File.ContentType,
			disposition: disposition + `; filename="` + a.File.Name + `"`,
			body:        apiJSON{[]byte(a.File.Body)},
		}
	}
	if a.Body != nil {
		return apiReply{Status: http.StatusOK, contentType: jsonType, body: a.Body}
	}
	if a.NoContent {
		return apiReply{Status: http.StatusNoContent}
	}
	if a.Location != "" {
		return apiRedirection(a.Location)
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
	body := make(apiJSON, 0, len(a.Data)+3)
	if a.Data != nil {
		body = append(append(append(body, append(head, `"data":`...)), a.Data...), []byte(","))
	} else {
		body = append(body, head)
	}
	body = append(body, []byte(`"status":200,"ok":true}`))
	return apiReply{Status: http.StatusOK, contentType: jsonType, body: body}
}

// append appends the pagination as JSON to b. nextPath is present even on the
// last page, as recorded.
func (p *apiPagination) append(b []byte) []byte {
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

// jsonArray joins JSON values to a JSON array.
func jsonArray(items ...apiJSON) apiJSON {
	joined := apiJSON{[]byte("[")}
	for i, item := range items {
		if i > 0 {
			joined = append(joined, []byte(","))
		}
		joined = append(joined, item...)
	}
	return append(joined, []byte("]"))
}

// jsonList returns the items of a list as a JSON array.
func jsonList[T any](list []T, present func(T) apiJSON) apiJSON {
	items := make([]apiJSON, len(list))
	for i, item := range list {
		items[i] = present(item)
	}
	return jsonArray(items...)
}

// jsonObject returns a JSON object, with its members in the order of their names.
func jsonObject(members map[string]apiJSON) apiJSON {
	object := apiJSON{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		object = append(append(object, []byte(`,"`+name+`":`)), members[name]...)
	}
	if len(object) == 0 {
		return apiJSON{[]byte("{}")}
	}
	object[0][0] = '{'
	return append(object, []byte("}"))
}

// encodeJSON returns v as JSON in a single part. Like JavaScript, it does not
// escape <, > and &. It panics if v cannot be encoded.
func encodeJSON(v any) apiJSON {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("workspace: " + err.Error())
	}
	return apiJSON{bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}

// stringOrNull returns a pointer to s, or nil, which is null in JSON, if s is
// empty.
func stringOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// apiFileName returns a file name that is safe between the quotes of a header.
func apiFileName(slug, extension string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' || r > '~' {
			return -1
		}
		return r
	}, slug) + extension
}

// An apiTimestamp is a time in the form that Outline writes: UTC with milliseconds.
type apiTimestamp time.Time

// AppendText implements [encoding.TextAppender].
func (t apiTimestamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z"), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t apiTimestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// timeOrNull returns a pointer to t, or nil, which is null in JSON, if t is
// zero.
func timeOrNull(t time.Time) *apiTimestamp {
	if t.IsZero() {
		return nil
	}
	return (*apiTimestamp)(&t)
}

// An apiError is an error of the API. Codes and messages are recorded.
type apiError struct {
	Status  int
	Code    string
	Message string
	Data    any // nil leaves it out
	Header  http.Header
}

// Error returns the message.
func (e *apiError) Error() string { return e.Message }

// apiInvalid returns the error for a request with a field that is not valid.
func apiInvalid(format string, args ...any) error {
	return &apiError{Status: http.StatusBadRequest, Code: "validation_error", Message: fmt.Sprintf(format, args...)}
}

// apiInvalidField is [apiInvalid] for a field. The message names it, and not what is wrong
// with it.
func apiInvalidField(name string) error { return apiInvalid("%s: Invalid input", name) }

// apiInvalidRequest returns the error for a request that is valid but not
// possible.
func apiInvalidRequest(message string) error {
	return &apiError{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// bodyError returns an error of Outline's body parser, which has no code.
func bodyError(status int, message string) error {
	return &apiError{Status: status, Message: message}
}

// apiUnauthorized returns the error for a request without a valid API key.
func apiUnauthorized(message string) error {
	return &apiError{Status: http.StatusUnauthorized, Code: "authentication_required", Message: message}
}

// apiForbidden returns the error for everything that the caller may not do or see,
// and for an unknown ID if the API checks permissions first.
func apiForbidden() error { return apiDenied("Authorization error") }

// apiDenied is [apiForbidden] with another message.
func apiDenied(message string) error {
	return &apiError{Status: http.StatusForbidden, Code: "authorization_error", Message: message}
}

// apiParamRequired returns the error for a missing field that the state of an
// object requires.
func apiParamRequired(message string) error {
	return &apiError{Status: http.StatusBadRequest, Code: "param_required", Message: message}
}

// apiConflict returns the error for a document that has changed in the meantime.
func apiConflict(message string) error {
	return &apiError{Status: http.StatusConflict, Code: "document_conflict", Message: message}
}

// apiNotFound returns the error for an unknown object or method.
func apiNotFound() error {
	return &apiError{Status: http.StatusNotFound, Code: "not_found", Message: "Resource not found"}
}

// apiErrorOf returns the first [apiError] that err wraps, or an internal error.
func apiErrorOf(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return &apiError{Status: http.StatusInternalServerError, Code: "internal_error", Message: err.Error()}
}

// Reply returns the response for the error.
func (e *apiError) Reply() apiReply {
	return apiReply{
		Status:      e.Status,
		contentType: jsonType,
		header:      e.Header,
		body: encodeJSON(struct {
			OK      bool   `json:"ok"`
			Error   string `json:"error"`
			Status  int    `json:"status"`
			Message string `json:"message"`
			Data    any    `json:"data,omitempty"`
		}{false, e.Code, e.Status, e.Message, e.Data}),
	}
}
