package outline

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// settlement finds out what became of a command whose answer was lost.
type settlement[T any] struct {
	// send carries the command out.
	send func(ctx context.Context) (T, error)
	// look reads back what the command changes. It reports whether that is as
	// the command was to leave it, and returns what send would have. nil: it
	// cannot be seen.
	look func(ctx context.Context) (T, bool, error)
	// once says that the command must not be sent again while an earlier
	// request may still arrive: it would be done twice.
	once bool
}

// errUndecided is what a look returns that cannot tell whether a command was
// carried out.
var errUndecided = errors.New("cannot be told")

// notThere is what is said of a command that was looked for and not found, and
// may still arrive.
const notThere = "a moment later it was not done"

// settle carries a command out and, where its answer is lost, looks whether it
// was done. If it was not, it is sent again after failures that may pass, as
// often as the client repeats. The failure that is left says for certain that
// nothing was done, or is one whose outcome is unknown (see OutcomeUnknown)
// and tells in Afterwards what was seen.
func settle[T any](ctx context.Context, c *Client, s settlement[T]) (T, error) {
	sending, cancel := leavingTimeToLook(ctx)
	defer cancel()
	retries, _ := c.retries(ctx)
	var none T
	var lost *Error // an attempt that may still arrive, or have arrived
	for n := 0; ; n++ {
		value, err := s.send(sending)
		var failure *Error
		if !errors.As(err, &failure) {
			return value, err
		}
		if lost == nil && !failure.outcomeUnknown {
			return none, failure
		}
		if s.look == nil {
			return none, failure
		}
		found, done, err := s.look(ctx)
		seen, mayRepeat := "", !s.once
		switch {
		case done:
			return found, nil
		case err == errUndecided:
			seen = "whether it was carried out cannot be seen"
		case err != nil:
			seen = "looking what became of it failed, too"
			// A key that may not look may still do it again. A server that
			// cannot tell is better left alone.
			mayRepeat = mayRepeat && errors.Is(err, ErrForbidden)
		case failure.forGood():
			return none, failure
		case lost == nil && failure.final():
			failure.outcomeUnknown, failure.Afterwards = false, "nothing was changed"
			return none, failure
		default:
			seen = notThere
		}
		if lost == nil {
			lost = failure
		}
		lost.Afterwards = seen
		wait := max(failure.RetryAfter, backoff(n))
		if !mayRepeat || n >= retries || !failure.transient || !c.mayWait(sending, wait) || pause(ctx, wait) != nil {
			return none, lost
		}
	}
}

// leavingTimeToLook returns a context that ends so long before the other one
// that there is time to look what became of a command: a quarter of what is
// left, at most 5 s.
func leavingTimeToLook(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(5*time.Second, time.Until(deadline)/4)))
}

// refused reports whether a server refused to do anything.
func (e *Error) refused() bool { return e.Status >= 300 && e.Status < 500 }

// forGood reports whether Outline refused a request for a reason that an earlier
// one would meet, too, should it arrive later. What else says no, such as a
// gateway, says nothing of that one.
func (e *Error) forGood() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return e.Code != ""
	}
	return false
}

// final reports whether Outline has come to an end with the request, so that
// what is not done now will not be done later: it has answered with an error of
// its own. A proxy that gave up or has a page of its own, and a connection that
// broke, leave the request to be carried out behind them.
func (e *Error) final() bool { return e.Code != "" && !isTransient(e.Status) }
