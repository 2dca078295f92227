package outline

import (
	"context"
	"errors"
)

// An acknowledgement is the answer of endpoints that return only success.
type acknowledgement struct {
	OK      bool `json:"ok"`
	Success bool `json:"success"`
}

// command calls an endpoint that changes something, and so repeats the call only
// if it was refused unread. lacks returns what is missing from the data of the
// answer, or "".
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

// acknowledged is like command, for an endpoint whose answer has no data.
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

// refusedUnread reports whether a failed call was refused before it was looked
// at, or was never sent, so that repeating it cannot do anything twice.
func refusedUnread(e *Error) bool {
	return e.Kind() == ErrRateLimited || e.transient && !e.sent
}

// ofCommand marks the failure of a command that may have been carried out. A
// command that was refused, with a status from 300 to 499, or never sent cannot
// have been.
func ofCommand(e *Error) *Error {
	refused := e.Status >= 300 && e.Status < 500
	e.outcomeUnknown = e.sent && !refused
	return e
}

// textNotFound turns an ErrNotFound into an ErrTextNotFound with this message. It
// is for commands that answer an unknown document with ErrForbidden, so that it
// must be the text that Outline has not found.
func textNotFound(err error, message string) error {
	if e, ok := err.(*Error); ok && e.Kind() == ErrNotFound {
		e.kind, e.Message = ErrTextNotFound, message
	}
	return err
}

// OutcomeUnknown reports whether err is the failure of a call that may have
// changed something although no answer says so: after the request was sent, the
// time ran out, the call was cancelled, the connection broke or the server failed
// (status 5xx), or the answer could not be read.
//
// It is false for calls that only read, for calls that Outline or something in
// front of it refused, and for calls that were never sent (no key, no connection,
// a context that had already ended).
func OutcomeUnknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.outcomeUnknown
}
