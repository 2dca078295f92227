package outline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// maxErrorBytes limits how much is read of an answer that is an error or not
// JSON. Outline's own errors are much shorter.
const maxErrorBytes = 64 << 10

// errBroken is the kind, within this package, of an answer that could not be
// read to the end. Err is the reason.
var errBroken = errors.New("answer broke off")

// An envelope surrounds every successful answer.
type envelope[T any] struct {
	OK         bool       `json:"ok"`
	Data       *T         `json:"data"`
	Pagination pagination `json:"pagination"`

	sent  string         // the Date header of the answer
	check func(T) string // returns what is missing from the data, or ""; may be nil

	trees   *trees            // decodes the tree of the document in data; nil if none is asked for
	tree    *prosemirror.Node // nil if the server sent none
	treeErr error
}

// prepare takes the tree out of an answer that is to be decoded.
func (e *envelope[T]) prepare(answer []byte) []byte {
	if e.trees != nil {
		answer, e.tree, e.treeErr = e.trees.take(answer)
	}
	return answer
}

// dated keeps the Date header (RFC 9110, section 6.6.1).
func (e *envelope[T]) dated(h http.Header) { e.sent = h.Get("Date") }

// date returns when the answer was sent, by the server's clock, or by the local clock if
// the server does not say it.
func (e *envelope[T]) date() time.Time {
	date, err := http.ParseTime(e.sent)
	if err != nil {
		return time.Now()
	}
	return date
}

// lacks returns what is missing from an answer, or "".
func (e *envelope[T]) lacks() string {
	switch {
	case !e.OK:
		return `it lacks "ok": true`
	case e.Data == nil:
		return `it has no "data"`
	case e.treeErr != nil:
		return `"data" of the document is not its tree`
	case e.check == nil:
		return ""
	}
	return e.check(*e.Data)
}

// read decodes an answer of the API. reserve is called as it arrives (see
// transport.Buffer), and seen with the JSON of a success before it is decoded.
func (c *Client) read(r *http.Response, endpoint, token string, answer any, reserve func(bytes int64) error, seen func(body []byte)) *Error {
	if to, ok := answer.(*location); ok && r.StatusCode == http.StatusFound {
		to.url = r.Header.Get("Location")
		return nil
	}
	buf := c.buffers.Get()
	defer c.buffers.Put(buf)

	if r.StatusCode/100 == 2 && isJSON(r.Header) {
		switch err := buf.Read(r, c.maxAnswer, reserve); {
		case err == transport.ErrTooLong:
			return &Error{
				Endpoint: endpoint, Status: r.StatusCode,
				Message: fmt.Sprintf("the answer is longer than %d bytes", c.maxAnswer), Remedy: RaiseAnswerLimit,
				kind: ErrAnswerTooLarge,
			}
		case errors.Is(err, ErrBusy):
			return &Error{Endpoint: endpoint, Message: err.Error(), Err: err, kind: ErrTimeout}
		case err != nil:
			return &Error{Endpoint: endpoint, Err: err, kind: errBroken}
		}
		seen(buf.Bytes)
		if failure := decodeAnswer(buf.Bytes, endpoint, answer); failure != nil {
			return failure
		}
		if answer, ok := answer.(interface{ dated(http.Header) }); ok {
			answer.dated(r.Header)
		}
		return nil
	}

	failure := &Error{
		Endpoint:   endpoint,
		Status:     r.StatusCode,
		RetryAfter: transport.RetryAfter(r.Header),
		allowed:    transport.RateLimit(r.Header),
		transient:  isTransient(r.StatusCode),
	}
	if transport.Switched(r) {
		foreign(r, c.base, token, failure)
		return failure
	}
	err := buf.Read(r, maxErrorBytes, nil)
	if err == nil && isJSON(r.Header) && outlineError(buf.Bytes, token, failure) {
		return failure
	}
	if err != nil && err != transport.ErrTooLong && !failure.transient {
		// Without its end the answer is unknown. Only for transient failures the
		// status says enough.
		return &Error{Endpoint: endpoint, Err: err, kind: errBroken}
	}
	foreign(r, c.base, token, failure)
	return failure
}

// decodeAnswer decodes the body of a successful answer.
func decodeAnswer(body []byte, endpoint string, answer any) *Error {
	decode := func(body []byte) error { return json.Unmarshal(body, answer) }
	if answer, ok := answer.(interface {
		prepare([]byte) []byte
		decode([]byte) error
	}); ok {
		body, decode = answer.prepare(body), answer.decode
	}
	if err := decode(body); err != nil {
		return undecodable(endpoint, err, len(body))
	}
	return nil
}

// outlineError reads an error of Outline into e and reports whether the answer
// is one: {"ok": false, "error": code, "message": text}. The JSON of other
// servers has no "ok".
func outlineError(body []byte, token string, e *Error) bool {
	var answer struct {
		OK      *bool  `json:"ok"`
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.OK == nil || *answer.OK || e.Status < 400 {
		return false
	}
	e.Code, e.Message = presentable(answer.Error, token), presentable(answer.Message, token)
	return true
}

// foreign completes the failure for an answer that Outline did not send: a login
// page, the error page of a proxy, a redirect, another API. If the status would
// mean something specific from Outline, above all that a document does not
// exist, the failure is ErrBadAnswer.
func foreign(r *http.Response, base, token string, e *Error) {
	what := presentable(cmp.Or(mediaType(r.Header), "an answer without content type"), token)
	switch {
	case e.Status/100 == 3:
		e.kind, e.Remedy = ErrBadAnswer, CheckAddress
		e.Message = fmt.Sprintf("the server redirects%s (status %d, %s), which is not followed", presentable(target(r), token), e.Status, what)
	case e.Status/100 == 5 && e.Status != http.StatusNotImplemented, e.Status == http.StatusTooManyRequests, e.Status == http.StatusRequestEntityTooLarge:
		e.Remedy = CheckGateway
		e.Message = cmp.Or(http.StatusText(e.Status), "server error") + ", answered with " + what + " instead of Outline's JSON"
	default:
		e.kind, e.Remedy = ErrBadAnswer, CheckAddress
		e.Message = fmt.Sprintf("there is no Outline API at %s (got %s with status %d)", base, what, e.Status)
	}
}

// target returns the origin that a redirect leads to, which is enough to correct
// the address. A path or query could contain a secret.
func target(r *http.Response) string {
	u, err := url.Parse(r.Header.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return " to " + (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// undecodable describes what is wrong with the JSON of a successful answer
// without repeating any of it.
func undecodable(endpoint string, err error, length int) *Error {
	var syntax *json.SyntaxError
	var field *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(length):
		return badAnswer(endpoint, CheckGateway, fmt.Sprintf("the JSON of the answer is cut off after %d bytes", length))
	case errors.As(err, &syntax):
		return badAnswer(endpoint, CheckAddress, fmt.Sprintf("the answer is not JSON from byte %d on", syntax.Offset))
	case errors.As(err, &field) && field.Field != "":
		return wrongShape(endpoint, jsonPath(field.Field)+" is of another type")
	}
	return wrongShape(endpoint, "a value is of another form")
}

// jsonPath removes the names of embedded structs, which the API does not know,
// from a path of encoding/json.
func jsonPath(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(part string) bool {
		return part != "" && 'A' <= part[0] && part[0] <= 'Z'
	})
	return strings.Join(parts, ".")
}

// wrongShape returns the failure for JSON that the endpoint does not answer with.
func wrongShape(endpoint, why string) *Error {
	return badAnswer(endpoint, CheckAddress, "the answer is JSON, but not what Outline answers here ("+why+")")
}

func badAnswer(endpoint string, remedy Remedy, message string) *Error {
	return &Error{Endpoint: endpoint, Status: http.StatusOK, Message: message, Remedy: remedy, kind: ErrBadAnswer, sent: true}
}

func isTransient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return status >= 520 && status <= 527 // Cloudflare cannot reach Outline, or Outline is still working
}

func mediaType(h http.Header) string {
	value := h.Get("Content-Type")
	if value == "application/json; charset=utf-8" || value == "application/json" { // as Outline writes it
		return "application/json"
	}
	t, _, err := mime.ParseMediaType(value)
	if err != nil {
		return ""
	}
	return t
}

func isJSON(h http.Header) bool {
	t := mediaType(h)
	return t == "application/json" || strings.HasSuffix(t, "+json")
}
