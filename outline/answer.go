package outline

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

	check func(T) string // returns what is missing from the data, or ""; may be nil
}

// lacks returns what is missing from an answer, or "".
func (e *envelope[T]) lacks() string {
	switch {
	case !e.OK:
		return `it lacks "ok": true`
	case e.Data == nil:
		return `it has no "data"`
	case e.check == nil:
		return ""
	}
	return e.check(*e.Data)
}

// A reply is a successful answer that has been read, but not decoded.
type reply struct {
	request request
	status  int
	header  http.Header
	body    []byte // until done is called
	done    func() // gives back the memory that the reply takes
}

// sent returns when the reply was sent, by the server's clock (RFC 9110, section 6.6.1),
// or by the local clock if the server does not say it.
func (r reply) sent() time.Time {
	date, err := http.ParseTime(r.header.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return date
}

// decode decodes the reply into answer, which tells what it lacks.
func (r reply) decode(answer interface{ lacks() string }) *Error {
	var failure *Error
	if err := decode(r.body, answer); err != nil {
		failure = decodeError(r.request.endpoint, err, len(r.body))
	} else if why := answer.lacks(); why != "" {
		failure = wrongShape(r.request.endpoint, why)
	} else {
		return nil
	}
	failure.outcomeUnknown = r.request.command()
	return failure
}

// decode decodes JSON of Outline. As in most programs, the last of several members with
// one name counts, and text that is not UTF-8 is replaced.
func decode(body []byte, to any) error {
	return json.Unmarshal(body, to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// read reads the answer to a request into buf, of which the body of the reply is a part.
// takePlace is called as it arrives (see transport.Buffer).
func (c *Client) read(r *http.Response, to request, token string, buf *transport.Buffer, takePlace func(bytes int64) error) (reply, *Error) {
	answer := reply{request: to, status: r.StatusCode, header: r.Header}
	if to.kind == linking && r.StatusCode == http.StatusFound && !isLogin(c.base, r.Header) {
		return answer, nil
	}
	if r.StatusCode == http.StatusNoContent && to.endpoint == "shares.info" { // there is none
		answer.body = []byte(`{"ok":true,"data":{"shares":[]}}`)
		return answer, nil
	}
	if r.StatusCode/100 == 2 && isJSON(r.Header) {
		err, tooMany := buf.Read(r, c.maxAnswer, takePlace), ""
		answer.body = buf.Bytes
		if err == nil {
			var values int
			if values, tooMany = countValues(buf.Bytes); tooMany == "" {
				err = takePlace(int64(len(buf.Bytes) + perValue*values + perMark*MarksInJSON(buf.Bytes)))
			}
		}
		switch {
		case tooMany != "":
			return answer, &Error{Endpoint: to.endpoint, Status: r.StatusCode, Message: tooMany, kind: ErrAnswerTooLarge}
		case err == nil:
			return answer, nil
		case err == transport.ErrTooLong:
			return answer, &Error{
				Endpoint: to.endpoint, Status: r.StatusCode,
				Message: fmt.Sprintf("the answer is longer than %d bytes", c.maxAnswer), Remedy: RaiseAnswerLimit,
				kind: ErrAnswerTooLarge,
			}
		case errors.Is(err, ErrBusy):
			return answer, &Error{Endpoint: to.endpoint, Message: err.Error(), Err: err, kind: ErrTimeout}
		}
		return answer, &Error{Endpoint: to.endpoint, Err: err, kind: errBroken}
	}
	return answer, c.refusal(r, to.endpoint, token)
}

// refusal reads an answer that is not a successful one of Outline.
func (c *Client) refusal(r *http.Response, endpoint, token string) *Error {
	failure := &Error{
		Endpoint:   endpoint,
		Status:     r.StatusCode,
		RetryAfter: transport.RetryAfter(r.Header),
		allowed:    transport.RateLimit(r.Header),
		transient:  isTransient(r.StatusCode),
	}
	var body []byte
	if !transport.Switched(r) {
		var err error
		body, err = io.ReadAll(io.LimitReader(r.Body, maxErrorBytes))
		if err != nil && !failure.transient {
			// Without its end the answer is unknown. Only for transient failures the
			// status says enough.
			return &Error{Endpoint: endpoint, Err: err, kind: errBroken}
		}
	}
	if isJSON(r.Header) && outlineError(body, token, failure) {
		return failure
	}
	failure.foreign(Identify(c.base, r.StatusCode, r.Header, body), token)
	return failure
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
	if decode(body, &answer) != nil || answer.OK == nil || *answer.OK || e.Status < 400 {
		return false
	}
	e.Code, e.Message = presentable(answer.Error, token), presentable(answer.Message, token)
	return true
}

// foreign completes the failure for an answer that Outline did not send. If the status
// would mean something specific from Outline, above all that a document does not exist,
// the failure is ErrBadAnswer.
func (e *Error) foreign(f Foreign, token string) {
	e.Remedy = f.Remedy
	switch f.Kind {
	case Unavailable, GatewayRateLimit, GatewaySizeLimit:
		e.Message = presentable(f.Finding, token)
	default:
		e.kind, e.Message = ErrBadAnswer, presentable(f.String(), token)
	}
}

// decodeError describes what is wrong with the JSON of a successful answer
// without repeating any of it.
func decodeError(endpoint string, err error, length int) *Error {
	var field *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooManyItems):
		return wrongShape(endpoint, errTooManyItems.Error())
	case errors.Is(err, errNoTree):
		return wrongShape(endpoint, errNoTree.Error())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return badAnswer(endpoint, CheckGateway, fmt.Sprintf("the JSON of the answer is cut off after %d bytes", length))
	case errors.As(err, &syntax):
		return badAnswer(endpoint, CheckAddress, fmt.Sprintf("the answer is not JSON from byte %d on", syntax.ByteOffset))
	case errors.As(err, &field) && field.JSONPointer != "":
		return wrongShape(endpoint, memberNames(field.JSONPointer)+" is of another type")
	}
	return wrongShape(endpoint, "a value is of another form")
}

// memberNames returns the names on the way to a value, without the places in lists.
func memberNames(to jsontext.Pointer) string {
	names := slices.DeleteFunc(slices.Collect(to.Tokens()), func(name string) bool { return strings.Trim(name, "0123456789") == "" })
	return strings.Join(names, ".")
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
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooEarly:
		return true
	}
	if brokenOff(status) {
		return true
	}
	return status >= 520 && status <= 527 // Cloudflare cannot reach Outline, or Outline is still working
}

// brokenOff reports whether a status says that the connection of the client ended, or that
// its request took too long to arrive. Whether the request was carried out is not known.
func brokenOff(status int) bool {
	const clientClosedRequest = 499 // of nginx, and of Outline's newest source
	return status == http.StatusRequestTimeout || status == clientClosedRequest
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

// incompletePage returns what is wrong with the id and the url of something that
// has a page on the instance, or "". Outline sends a UUID and a path with each;
// without them links would be broken.
func incompletePage(what, id, url string) string {
	if why := incompleteID(what, id); why != "" || url != "" {
		return why
	}
	return what + " has no url"
}

// incompleteAmong returns what is missing from the first incomplete one of some items,
// or "".
func incompleteAmong[T any](items []T, incomplete func(T) string) string {
	for _, item := range items {
		if why := incomplete(item); why != "" {
			return why
		}
	}
	return ""
}

func incompleteID(what, id string) string {
	switch {
	case id == "":
		return what + " has no id"
	case !IsUUID(id):
		return what + " has an id that is no UUID"
	}
	return ""
}
