package outline

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"syscall"
	"time"
)

// ctxErr is ctx.Err, except that a deadline counts as soon as it has passed:
// the network notices it by its own clock, which can be a moment earlier.
func ctxErr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// ended is the failure of a call whose context is done.
func ended(endpoint string, err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Endpoint: endpoint, Message: "the call was cancelled", Err: err, kind: ErrCancelled}
	}
	return &Error{Endpoint: endpoint, Message: "the time for the call ran out before Outline answered", Err: err, kind: ErrTimeout}
}

// transportFailure explains why an attempt got no answer, or not all of it,
// and whether anything was sent as far as the error tells.
func (c *Client) transportFailure(ctx, attempt context.Context, endpoint, token string, err error) *Error {
	if err := ctxErr(ctx); err != nil {
		e := ended(endpoint, err)
		e.sent = true
		return e
	}
	e := &Error{Endpoint: endpoint, Err: cause(err, token), kind: ErrUnreachable, transient: true}
	var (
		operation   *net.OpError
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
	)
	connecting := errors.As(err, &operation) && (operation.Op == "dial" || operation.Op == "proxyconnect")
	e.sent = !connecting
	switch {
	case ctxErr(attempt) != nil:
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = fmt.Sprintf("no complete answer from %s within %s", c.host, c.requestTimeout)
	case !connecting && errors.Is(err, context.DeadlineExceeded):
		// A limit of the transport's own, shorter than the attempt's.
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = "no answer from " + c.host + " in the time that the connection allows"
	case errors.As(err, &certificate):
		e.transient, e.Remedy = false, TrustIssuer
		e.Message = fmt.Sprintf("the certificate of %s cannot be trusted (%s)", c.host, e.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		e.transient, e.Remedy = false, CheckAddress
		e.Message = c.host + " speaks HTTP, not HTTPS"
	case connecting && operation.Op == "proxyconnect":
		e.Remedy = CheckProxy
		e.Message = fmt.Sprintf("cannot connect to the proxy for %s (%s)", c.host, e.Err)
	case errors.As(err, &lookup):
		e.Remedy = CheckAddress
		e.Message = fmt.Sprintf("cannot find the host %s (%s)", c.host, lookup.Err)
	case connecting && operation.Timeout():
		e.Remedy = CheckAddressNetwork
		e.Message = fmt.Sprintf("cannot connect to %s (it does not respond)", c.host)
	case connecting:
		e.Remedy = CheckAddressServer
		e.Message = fmt.Sprintf("cannot connect to %s (%s)", c.host, e.Err)
	default:
		e.Message = fmt.Sprintf("the connection to %s failed before the answer was complete (%s)", c.host, e.Err)
	}
	return e
}

// cause returns the innermost error, which is where the reason is: the layers
// around it repeat the method and the URL. Text in quotes is left out, because
// there net/http repeats what the server sent.
func cause(err error, key string) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	switch err := err.(type) {
	case syscall.Errno, *net.DNSError, tls.AlertError:
		return err
	case textproto.ProtocolError:
		return errors.New("not HTTP")
	}
	switch err {
	case io.EOF:
		return fmt.Errorf("closed by the other side: %w", io.EOF)
	case io.ErrUnexpectedEOF, net.ErrClosed:
		return err
	}
	if strings.HasPrefix(err.Error(), "readLoopPeekFailLocked") {
		return errors.New("not HTTP") // what net/http says of a server that speaks before it is asked
	}
	text, _, _ := strings.Cut(err.Error(), `"`)
	text, _, _ = strings.Cut(text, "(possibly because of ") // a guess of crypto/x509, which goes on with a quote
	return errors.New(strings.TrimRight(presentable(text, key), " :("))
}
