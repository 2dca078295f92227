package outline

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Bounds limit a client to a part of its instance. They stand between the methods of
// the client and Outline, so that nothing above them sees the rest: no method, and
// nobody who calls one.
type Bounds interface {
	// Apply reports whether the calls of a context are limited.
	Apply(context.Context) bool
	// Do carries out a call. An error that is not an [*Error] makes the call fail with
	// ErrWithheld, which wraps it. Do may be called by several goroutines at a time.
	Do(context.Context, *Exchange) error
}

// An Exchange is a call that [Bounds] carry out. What its methods send is not limited
// by Bounds. Their errors are each an [*Error].
type Exchange struct {
	Endpoint string          // e.g. documents.info
	Params   json.RawMessage // the arguments, an object
	// About is an object with what the call is about if Params do not say: the document
	// with an attachment. It is null otherwise.
	About json.RawMessage

	client  *Client
	request request
	answer  interface{ lacks() string }
	header  http.Header // of the answer to Send
}

// callWithin lets the bounds carry out a call.
func (c *Client) callWithin(ctx context.Context, r request, payload []byte, answer interface{ lacks() string }) error {
	about, err := json.Marshal(r.about)
	if err != nil {
		return &Error{Endpoint: r.endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	err = c.bounds.Do(ctx, &Exchange{Endpoint: r.endpoint, Params: payload, About: about, client: c, request: r, answer: answer})
	if failure, ok := errors.AsType[*Error](err); err == nil || ok {
		if ok {
			return failure
		}
		return nil
	}
	return &Error{Endpoint: r.endpoint, Message: "the request was not sent", Err: err, kind: ErrWithheld}
}

// Pass sends the call with other arguments. Its answer is that of the call.
func (x *Exchange) Pass(ctx context.Context, params json.RawMessage) error {
	if failure := x.client.send(ctx, x.request, params, x.answer); failure != nil {
		return failure
	}
	return nil
}

// Send sends the call with other arguments and returns the whole answer.
func (x *Exchange) Send(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	answer := new(rawAnswer)
	if failure := x.client.send(ctx, x.request, params, answer); failure != nil {
		return nil, failure
	}
	x.header = answer.header
	return answer.body, nil
}

// Answer makes body the answer of the call.
func (x *Exchange) Answer(ctx context.Context, body json.RawMessage) error {
	touchedBy(ctx, x.request).answers(x.request, body)
	if failure := decodeAnswer(body, x.Endpoint, x.answer); failure != nil {
		return failure
	}
	if answer, ok := x.answer.(interface{ dated(http.Header) }); ok {
		answer.dated(x.header)
	}
	if why := x.answer.lacks(); why != "" {
		return wrongShape(x.Endpoint, why)
	}
	return nil
}

// Ask calls an endpoint that changes nothing and returns the whole answer.
func (x *Exchange) Ask(ctx context.Context, endpoint string, params any) (json.RawMessage, error) {
	payload, err := json.Marshal(params)
	if err != nil {
		return nil, &Error{Endpoint: endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	answer := new(rawAnswer)
	if failure := x.client.send(ctx, request{endpoint: endpoint, params: params, passing: true}, payload, answer); failure != nil {
		return nil, failure
	}
	return answer.body, nil
}

// Command reports whether the call changes something.
func (x *Exchange) Command() bool { return x.request.command }

// NotFound returns the error of the call for an ID that Outline does not know, as
// recorded from Outline.
func (x *Exchange) NotFound() error {
	return &Error{Endpoint: x.Endpoint, Status: http.StatusNotFound, Code: "not_found", Message: "Resource not found", sent: true}
}

// A rawAnswer is a successful answer as it came.
type rawAnswer struct {
	body   json.RawMessage
	header http.Header
}

func (a *rawAnswer) UnmarshalJSON(body []byte) error {
	a.body = append(json.RawMessage(nil), body...)
	return nil
}

func (a *rawAnswer) dated(h http.Header) { a.header = h }

func (a *rawAnswer) lacks() string { return "" }
