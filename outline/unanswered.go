package outline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"outline-mcp/outline/transport"
)

// ctxErr is like ctx.Err, but also reports a deadline that has just passed: the
// network uses its own clock and can notice it a moment earlier.
func ctxErr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// ended returns the failure of a call whose context has ended.
func ended(endpoint string, err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Endpoint: endpoint, Message: "the call was cancelled", Err: err, kind: ErrCancelled}
	}
	return &Error{Endpoint: endpoint, Message: "the time for the call ran out before Outline answered", Err: err, kind: ErrTimeout}
}

// endedUnsent is ended for an attempt that sent nothing.
func endedUnsent(endpoint string, err error) *Error {
	failure := ended(endpoint, err)
	failure.unsent = true
	return failure
}

// transportFailure returns the failure of an attempt that got no answer or only
// a part of it, and notes whether anything was sent as far as the error tells.
func (c *Client) transportFailure(ctx, attempt context.Context, endpoint, token string, err error) *Error {
	if err := ctxErr(ctx); err != nil {
		e := ended(endpoint, err)
		e.sent = true
		return e
	}
	problem, connecting := transport.Diagnose(err)
	e := &Error{
		Endpoint: endpoint, kind: ErrUnreachable, transient: true, sent: !connecting,
		Err: transport.Cause(err, func(text string) string { return presentable(text, token) }),
	}
	if ctxErr(attempt) != nil {
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = fmt.Sprintf("no complete answer from %s within %s", c.host, c.requestTimeout)
		return e
	}
	switch problem {
	case transport.Late:
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = "no answer from " + c.host + " in the time that the connection allows"
	case transport.Untrusted:
		e.transient, e.Remedy = false, TrustIssuer
		e.Message = fmt.Sprintf("the certificate of %s cannot be trusted (%s)", c.host, e.Err)
	case transport.NoTLS:
		e.transient, e.Remedy = false, CheckAddress
		e.Message = c.host + " speaks HTTP, not HTTPS"
	case transport.NoProxy:
		e.Remedy = CheckProxy
		e.Message = fmt.Sprintf("cannot connect to the proxy for %s (%s)", c.host, e.Err)
	case transport.UnknownHost:
		e.Remedy = CheckAddress
		reason := e.Err
		var lookup *net.DNSError
		if errors.As(err, &lookup) {
			reason = errors.New(lookup.Err)
		}
		e.Message = fmt.Sprintf("cannot find the host %s (%s)", c.host, reason)
	case transport.Silent:
		e.Remedy = CheckAddressNetwork
		e.Message = fmt.Sprintf("cannot connect to %s (it does not respond)", c.host)
	case transport.Unreachable:
		e.Remedy = CheckAddressServer
		e.Message = fmt.Sprintf("cannot connect to %s (%s)", c.host, e.Err)
	default:
		e.Message = fmt.Sprintf("the connection to %s failed before the answer was complete (%s)", c.host, e.Err)
	}
	return e
}
