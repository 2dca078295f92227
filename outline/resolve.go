package outline

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"outline-mcp/outline/transport"
)

// The answer to a command can be lost: the connection breaks, the time runs
// out, or a proxy answers in Outline's place. Whether the command was carried
// out is then found out by reading back what it changes. The table resolutions
// says what follows from what was lost and what is seen.

// A writeFailure is what is known of the requests of a write that has not succeeded.
type writeFailure int

const (
	conflicted  writeFailure = iota // nothing was lost: Outline refused the request, made for a state that is not the current one
	lostPending                     // an answer was lost, and the request may still be carried out
	lostEnded                       // an answer was lost, but Outline has ended the request with an error
	lostRefused                     // an earlier answer was lost, and Outline has since refused the same request for good
	writeFailures
)

// A WriteState is what is seen of a write afterwards.
type WriteState int

// What is seen of a write.
const (
	SeenDone      WriteState = iota // it was carried out
	SeenUnchanged                   // it was not carried out, and what it changes is as it was before
	SeenOvertaken                   // it was not carried out, and cannot be any more: others have changed what it changes
	SeenAmbiguous                   // there were changes, and it may be one of them
	seenUntold                      // what can be read does not tell
	SeenNothing                     // reading failed
	seenHidden                      // the credential may not read it
	writeStates
)

// An action is what follows.
type action int

const (
	succeed       action = iota // return what was seen
	fail                        // return the last failure: certainly, nothing was done
	failUnchanged               // the same, and say that this was checked
	giveUp                      // return the first lost answer: the outcome is unknown
	resend                      // send the same request again if that is safe and may help, otherwise give up
	replan                      // make the command anew for what was seen, and send that
)

// resolutions is what follows from what was lost and what is seen.
var resolutions = [writeFailures][writeStates]action{
	conflicted:  {SeenDone: replan, SeenUnchanged: fail, SeenOvertaken: replan, SeenAmbiguous: replan, seenUntold: fail, SeenNothing: fail, seenHidden: fail},
	lostPending: {SeenDone: succeed, SeenUnchanged: resend, SeenOvertaken: replan, SeenAmbiguous: giveUp, seenUntold: resend, SeenNothing: giveUp, seenHidden: resend},
	lostEnded:   {SeenDone: succeed, SeenUnchanged: failUnchanged, SeenOvertaken: replan, SeenAmbiguous: giveUp, seenUntold: giveUp, SeenNothing: giveUp, seenHidden: giveUp},
	lostRefused: {SeenDone: succeed, SeenUnchanged: fail, SeenOvertaken: fail, SeenAmbiguous: giveUp, seenUntold: giveUp, SeenNothing: giveUp, seenHidden: giveUp},
}

// afterwards is what Error.Afterwards says of a state.
var afterwards = [writeStates]string{
	SeenUnchanged: "a moment later it was not done",
	seenUntold:    "whether it was carried out cannot be seen",
	SeenNothing:   "checking the outcome failed, too",
	seenHidden:    "checking the outcome failed, too",
}

// A Write makes a request that changes something, until its outcome is certain.
type Write struct {
	// Send makes one request.
	Send func(context.Context) error
	// Observe reads back what the write changes. A note takes the place of what an
	// error says of the state. refused tells that no answer was lost: Outline refused
	// the request because it was made for another state.
	Observe func(ctx context.Context, refused bool) (seen WriteState, note string)
	// Repeatable reports whether the same request may be sent again while an earlier
	// one may still be carried out. nil means that it always may.
	Repeatable func() bool
	// Again sends a create again after an internal error of Outline that has made nothing,
	// such as a deadlock in its database, which creates in one collection cause.
	Again bool
	// Replan makes the request anew for the state that was seen. Its error ends the
	// write. nil means that a conflict is like any other failure.
	Replan func(context.Context) error
}

// observation returns the state of something that, unless reading it failed, is as the
// command was to leave it, or is not. It passes the value on.
func observation[T any](value T, done bool, err error) (T, WriteState) {
	switch {
	case errors.Is(err, ErrForbidden):
		return value, seenHidden
	case err != nil:
		return value, SeenNothing
	case done:
		return value, SeenDone
	}
	return value, SeenUnchanged
}

// observationOfNew is like observation, for something under an ID that the client has chosen:
// if it is not found, nothing was created.
func observationOfNew[T any](value T, done bool, err error) (T, WriteState) {
	if errors.Is(err, ErrNotFound) {
		return value, SeenUnchanged
	}
	return observation(value, done, err)
}

// maxConflicts is how often a command is made anew for something that others
// change all the time.
const maxConflicts = 5

// Resolve makes a write. The failure that it returns either says with certainty that
// nothing was done, or has an unknown outcome (see OutcomeUnknown) and tells in
// Afterwards what was seen.
func (c *Client) Resolve(ctx context.Context, w Write) error {
	sending, cancel := leavingTimeToObserve(ctx)
	defer cancel()
	var lost *Error // the first lost answer that may matter still
	retries, _ := c.retries(ctx)
	resent, conflicts := 0, 0
	for {
		err := w.Send(sending)
		var failure *Error
		if !errors.As(err, &failure) {
			return err
		}
		what := failureAfter(lost, failure)
		if lost == nil && failure.outcomeUnknown {
			lost = failure
		}
		if lost == nil && (failure.Kind() != ErrConflict || w.Replan == nil) {
			return failure
		}
		if what == conflicted {
			// The pause comes before the reading: the next request is made for
			// what is there after it.
			if conflicts == maxConflicts || transport.Pause(sending, transport.Backoff(min(conflicts, 2))) != nil {
				return failure
			}
		}
		seen, note := w.Observe(ctx, what == conflicted)
		if lost != nil {
			lost.Afterwards = cmp.Or(note, afterwards[seen])
		}
		switch resolutions[what][seen] {
		case succeed:
			return nil
		case failUnchanged:
			if w.Again && resent < retries && transport.Pause(sending, transport.Backoff(resent)) == nil {
				resent++
				lost = nil
				c.createsAlone.Store(true)
				continue
			}
			failure.outcomeUnknown, failure.Afterwards = false, "nothing was changed"
			return failure
		case fail:
			return failure
		case giveUp:
			return lost
		case resend:
			wait := max(failure.RetryAfter, transport.Backoff(resent))
			if !failure.transient || resent >= retries || w.Repeatable != nil && !w.Repeatable() ||
				!c.mayWait(sending, wait) || transport.Pause(sending, wait) != nil {
				return lost
			}
			resent++
		case replan:
			lost, failure.outcomeUnknown, failure.Afterwards = nil, false, ""
			if conflicts == maxConflicts {
				return failure
			}
			conflicts++
			if err := w.Replan(ctx); err != nil {
				return err
			}
		}
	}
}

// failureAfter returns what is lost after another failure.
func failureAfter(lost, failure *Error) writeFailure {
	switch {
	case lost == nil && !failure.outcomeUnknown:
		return conflicted
	case failure.refusedForGood():
		return lostRefused
	case lost == nil && failure.ended():
		return lostEnded
	}
	return lostPending
}

// leavingTimeToObserve returns a context that ends early enough before the
// other one to leave time to observe what became of a command: a quarter of
// what is left, at most 5 s.
func leavingTimeToObserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(5*time.Second, time.Until(deadline)/4)))
}

// refusedForGood reports whether Outline refused a request for a reason that an
// earlier one would meet, too, if it arrived later. What else refuses requests,
// such as a gateway, says nothing of the earlier one.
func (e *Error) refusedForGood() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return e.Code != ""
	}
	return false
}

// ended reports whether Outline has come to an end with the request, so that
// what is not done now will not be done later: it has answered with an error of
// its own. A proxy that gave up or has its own page, and a connection that
// broke, leave the request to be carried out behind them.
func (e *Error) ended() bool { return e.Code != "" && !isTransient(e.Status) }

// command makes a request that changes something, and returns the data of the answer.
// check is as for query. If the answer is lost, look reads back what the request
// changes, and the request is sent again if that is unchanged.
func command[T any](ctx context.Context, c *Client, r request, check func(T) string, look func(context.Context) (T, WriteState)) (T, error) {
	return resolve(ctx, c, func(ctx context.Context) (T, error) { return fetch(ctx, c, r, check) }, look, nil)
}

// commandOnce is like command, for a request that could do harm if it were carried out
// twice: it is not sent again after a lost answer.
func commandOnce[T any](ctx context.Context, c *Client, r request, check func(T) string, look func(context.Context) (T, WriteState)) (T, error) {
	return resolve(ctx, c, func(ctx context.Context) (T, error) { return fetch(ctx, c, r, check) }, look, func() bool { return false })
}

// resolve makes a write of which send and look return the result.
func resolve[T any](ctx context.Context, c *Client, send func(context.Context) (T, error), look func(context.Context) (T, WriteState), repeatable func() bool) (T, error) {
	var value T
	err := c.Resolve(ctx, Write{
		Send: func(ctx context.Context) (err error) { value, err = send(ctx); return err },
		Observe: func(ctx context.Context, _ bool) (seen WriteState, _ string) {
			value, seen = look(ctx)
			return seen, ""
		},
		Repeatable: repeatable,
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
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
// (status 5xx, and 408 and 499, which say so of the request), or the answer could not be
// read.
//
// It is false for calls that only read, for calls that Outline or something in
// front of it refused, and for calls that were never sent (no key, no connection,
// a context that had already ended).
func OutcomeUnknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.outcomeUnknown
}
