package outline

import (
	"bytes"
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
	// ToChange says that the caller will change what the call reads.
	ToChange bool

	client  *Client
	request request
	answer  reply
}

// askWithin lets the bounds carry out a call.
func (c *Client) askWithin(ctx context.Context, r request, payload []byte) (reply, error) {
	about, err := marshal(r.endpoint, r.about)
	if err != nil {
		return reply{}, err
	}
	x := Exchange{Endpoint: r.endpoint, Params: payload, About: about, ToChange: optionsOf(ctx).toChange, client: c, request: r, answer: reply{request: r, done: func() {}}}
	if err = c.bounds.Do(ctx, &x); err == nil {
		return x.answer, nil
	}
	x.answer.done()
	if failure, ok := errors.AsType[*Error](err); ok {
		return reply{}, failure
	}
	return reply{}, &Error{Endpoint: r.endpoint, Message: "the request was not sent", Err: err, kind: ErrWithheld}
}

// Pass sends the call with other arguments. Its answer is that of the call.
func (x *Exchange) Pass(ctx context.Context, params json.RawMessage) error {
	answer, failure := x.client.send(ctx, x.request, params)
	if failure != nil {
		return failure
	}
	x.answer.done()
	x.answer = answer
	return nil
}

// Send sends the call with other arguments and returns the whole answer, which does not
// become that of the call.
func (x *Exchange) Send(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	answer, err := x.client.whole(ctx, x.request, params)
	x.answer.header = answer.header
	return answer.body, err
}

// Answer makes body the answer of the call.
func (x *Exchange) Answer(body json.RawMessage) { x.answer.body = body }

// Ask calls an endpoint that changes nothing and returns the whole answer.
func (x *Exchange) Ask(ctx context.Context, endpoint string, params any) (json.RawMessage, error) {
	payload, err := marshal(endpoint, params)
	if err != nil {
		return nil, err
	}
	answer, err := x.client.whole(ctx, listing.request(endpoint, params), payload)
	return answer.body, err
}

// whole returns the answer to a request. What it took of the memory for large answers is
// free again: further requests may wait for it.
func (c *Client) whole(ctx context.Context, r request, params json.RawMessage) (reply, error) {
	answer, failure := c.send(ctx, r, params)
	if failure != nil {
		return reply{}, failure
	}
	defer answer.done()
	answer.body = bytes.Clone(answer.body)
	return answer, nil
}

// Command reports whether the call changes something.
func (x *Exchange) Command() bool { return x.request.command() }

// NotFound returns the error of the call for an ID that Outline does not know, as
// recorded from Outline.
func (x *Exchange) NotFound() error {
	return &Error{Endpoint: x.Endpoint, Status: http.StatusNotFound, Code: "not_found", Message: "Resource not found", sent: true}
}
