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

// command calls an endpoint that changes something. lacks returns what is missing
// from the data of the answer, or "".
func command[T any](ctx context.Context, c *Client, r request, lacks func(T) string) (T, error) {
	var answer envelope[T]
	r.command = true
	err := c.call(ctx, r, &answer, func() string {
		if why := answer.lacks(); why != "" {
			return why
		}
		return lacks(*answer.Data)
	})
	if err != nil {
		var none T
		return none, err
	}
	return *answer.Data, nil
}

// acknowledged is like command, for an endpoint whose answer has no data.
func acknowledged(ctx context.Context, c *Client, r request) error {
	var answer acknowledgement
	r.command = true
	return c.call(ctx, r, &answer, func() string {
		if answer.OK && answer.Success {
			return ""
		}
		return "it does not say that it succeeded"
	})
}

// refusedUnread reports whether a failed call was refused before it was looked
// at, or was never sent, so that repeating it cannot do anything twice.
func refusedUnread(e *Error) bool {
	return e.Kind() == ErrRateLimited || e.transient && !e.sent
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
