package outline

import (
	"context"
	"errors"
)

// acknowledgement is the answer of endpoints that return nothing but success.
type acknowledgement struct {
	OK      bool `json:"ok"`
	Success bool `json:"success"`
}

// command calls an endpoint that changes something, and therefore repeats the
// call only where it was refused unread. lacks tells what the data of the
// answer must have and has not; "": nothing.
func command[T any](ctx context.Context, c *Client, r request, lacks func(T) string) (T, error) {
	var answer envelope[T]
	failure := c.call(ctx, r, refusedUnread, &answer)
	if failure == nil {
		failure = answer.failure(r.endpoint)
	}
	if failure == nil {
		if why := lacks(*answer.Data); why != "" {
			failure = wrongShape(r.endpoint, why)
		}
	}
	if failure != nil {
		var none T
		return none, ofCommand(failure)
	}
	return *answer.Data, nil
}

// acknowledged is [command] for an endpoint whose answer has no data.
func acknowledged(ctx context.Context, c *Client, r request) error {
	var answer acknowledgement
	failure := c.call(ctx, r, refusedUnread, &answer)
	if failure == nil && !(answer.OK && answer.Success) {
		failure = wrongShape(r.endpoint, "it does not say that it succeeded")
	}
	if failure != nil {
		return ofCommand(failure)
	}
	return nil
}

// refusedUnread reports whether a failed call was refused before anything was
// done about it, or never left, so that repeating it cannot do anything twice.
func refusedUnread(e *Error) bool {
	return e.Kind() == ErrRateLimited || e.transient && !e.sent
}

// ofCommand marks a command's failure when the command may have been carried
// out. Neither what was refused, with a status from 300 to 499, nor what never
// left can have been.
func ofCommand(e *Error) *Error {
	refused := e.Status >= 300 && e.Status < 500
	e.outcomeUnknown = e.sent && !refused
	return e
}

// textNotFound returns err as an ErrTextNotFound with this message if it is an
// ErrNotFound. It is for commands that answer an unknown document with
// ErrForbidden: what Outline has not found there is the text.
func textNotFound(err error, message string) error {
	if e, ok := err.(*Error); ok && e.Kind() == ErrNotFound {
		e.kind, e.Message = ErrTextNotFound, message
	}
	return err
}

// OutcomeUnknown reports whether err is the failure of a call that changes
// something and may have done so, though no answer says it: the time ran out,
// the call was cancelled or the connection broke after the request was sent,
// the server failed (status 5xx), or an answer of success could not be read.
//
// It is false for what Outline or something in front of it refused, for what
// was never sent (no key, no connection, a context that was done before), and
// for calls that only read.
func OutcomeUnknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.outcomeUnknown
}
