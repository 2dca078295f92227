package outline

import (
	"context"
	"errors"
)

// command makes a request that changes something, and returns the data of the answer.
// check is as for query. If the answer is lost, look reads back what the request
// changes, and the request is sent again if that is unchanged.
func command[T any](ctx context.Context, c *Client, r request, check func(T) string, look func(context.Context) observation[T]) (T, error) {
	return resolve(ctx, c, commandOf(c, r, check, look))
}

// commandOnce is like command, for a request that could do harm if it were carried out
// twice: it is not sent again after a lost answer.
func commandOnce[T any](ctx context.Context, c *Client, r request, check func(T) string, look func(context.Context) observation[T]) (T, error) {
	op := commandOf(c, r, check, look)
	op.repeatable = func(context.Context) bool { return false }
	return resolve(ctx, c, op)
}

func commandOf[T any](c *Client, r request, check func(T) string, look func(context.Context) observation[T]) operation[T] {
	return operation[T]{
		send:    func(ctx context.Context) (T, error) { return fetch(ctx, c, r, check) },
		observe: func(ctx context.Context, _ loss) observation[T] { return look(ctx) },
	}
}

// An acknowledgement is the answer of endpoints that return only success.
type acknowledgement struct {
	OK      bool `json:"ok"`
	Success bool `json:"success"`
}

func (a *acknowledgement) lacks() string {
	if a.OK && a.Success {
		return ""
	}
	return "it does not say that it succeeded"
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
