package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync/atomic"
	"syscall"
)

// A Problem is the reason why a request got no answer.
type Problem int

// The problems.
const (
	Broken      Problem = iota // the connection failed before the answer was complete
	Late                       // the answer did not come in the time that the transport allows
	Untrusted                  // the certificate of the server cannot be trusted
	NoTLS                      // the server speaks HTTP, not HTTPS
	NoProxy                    // the proxy cannot be reached
	UnknownHost                // the name of the host cannot be resolved
	Silent                     // the host does not respond
	Unreachable                // no connection can be made, for another reason
)

// Diagnose returns the problem behind an error of a round trip. connecting reports
// that the error occurred before there was a connection, so that nothing was sent.
func Diagnose(err error) (problem Problem, connecting bool) {
	var (
		operation   *net.OpError
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
	)
	connecting = errors.As(err, &operation) && (operation.Op == "dial" || operation.Op == "proxyconnect")
	switch {
	case !connecting && errors.Is(err, context.DeadlineExceeded):
		problem = Late
	case errors.As(err, &certificate):
		problem = Untrusted
	case errors.Is(err, http.ErrSchemeMismatch):
		problem = NoTLS
	case connecting && operation.Op == "proxyconnect":
		problem = NoProxy
	case errors.As(err, &lookup):
		problem = UnknownHost
	case connecting && operation.Timeout():
		problem = Silent
	case connecting:
		problem = Unreachable
	}
	return problem, connecting
}

// Cause returns the innermost error, which has the reason: the layers around it
// repeat the method and the URL. Quoted text, in which net/http repeats what the
// server sent, is removed. clean is applied to text that may come from outside.
func Cause(err error, clean func(string) string) error {
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
	return errors.New(strings.TrimRight(clean(text), " :("))
}

// TraceConnecting returns a context for a request, and whether the request is
// waiting for a connection, so that nothing of it has been sent. When net/http
// repeats a POST on another connection, nothing was sent on the first one. A
// transport that does not support [httptrace.ClientTrace] counts as connected.
func TraceConnecting(ctx context.Context) (*atomic.Bool, context.Context) {
	connecting := new(atomic.Bool)
	return connecting, httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { connecting.Store(false) },
	})
}

// Switched reports whether r is a 101 (Switching Protocols) instead of an answer.
// Its body is the connection itself, which no deadline of the request ends: it must
// be closed unread.
func Switched(r *http.Response) bool { return r.StatusCode == http.StatusSwitchingProtocols }
