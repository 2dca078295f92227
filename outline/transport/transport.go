// Package transport provides what a client of any HTTP API needs below the API:
// connections, files that are read again when they change, buffers for answers, waiting,
// rate limits, which replicas can share through Redis, hosts and web origins, and the
// diagnosis of network failures. It knows nothing about Outline's API.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Options configure [New]. The zero value trusts what the system trusts.
type Options struct {
	CAFile     string // PEM file of certificates to trust in addition to the system's; "" adds none
	SkipVerify bool   // accept any certificate; only for tests
}

// New returns a transport for many concurrent callers. It keeps up to 100 idle
// connections per host, uses HTTP/2 if the server does, and takes proxies from the
// environment (see [http.ProxyFromEnvironment]). Connecting and the TLS handshake
// may take 10 seconds each, and waiting for the header of an answer 5 minutes, as
// a last resort behind the timeouts of requests.
//
// It fails if CAFile cannot be read or contains no certificate.
func New(o Options) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.SkipVerify}
	if o.CAFile != "" {
		pool, err := certificates(o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  5 * time.Minute,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    100,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		ForceAttemptHTTP2:      true,
		// All requests share one HTTP/2 connection. Without pings, a dead one
		// would delay each of them until its own timeout. If the other side sends
		// but does not read, failing writes reveal it. Answers that wait to be read
		// are buffered, by default up to 4 MiB of each.
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: 30 * time.Second, PingTimeout: 10 * time.Second, WriteByteTimeout: 10 * time.Second,
			MaxReceiveBufferPerStream: 128 << 10,
		},
	}, nil
}

// certificates returns the system's pool plus the certificates of a PEM file.
func certificates(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		// Container images may have no certificates of their own.
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

const (
	smallestBuffer = 32 << 10
	largestPiece   = 256 << 10 // of a body that outgrows its buffer
	largestKept    = 8 << 20   // a larger buffer is not kept for the next answer
)

// ErrTooLong reports that a body is longer than its limit.
var ErrTooLong = errors.New("longer than the limit")

// Buffers is a pool of buffers to read answers into. Decoding copies what it
// needs, so a buffer can be put back when its answer is decoded. The zero value
// is ready to use.
type Buffers struct{ pool sync.Pool }

// A Buffer holds the body of one answer.
type Buffer struct{ Bytes []byte }

// Get returns a buffer, which the caller gives back with Put.
func (p *Buffers) Get() *Buffer {
	if b, ok := p.pool.Get().(*Buffer); ok {
		return b
	}
	return new(Buffer)
}

// Put takes a buffer back. The caller must not use its bytes any more.
func (p *Buffers) Put(b *Buffer) {
	if cap(b.Bytes) <= largestKept {
		p.pool.Put(b)
	}
}

// Read replaces the content of the buffer with the body of r. It reads at most one
// byte more than limit, and then returns ErrTooLong. The limit applies to
// decompressed bytes.
//
// takePlace, unless it is nil, is called with the number of bytes that the body is known to
// have at least: before anything is allocated, and after each read. An error ends Read.
//
// A body that outgrows the buffer continues in further pieces, which are joined
// once at the end. Growing a single buffer would copy it again and again, because
// a compressed answer does not announce its length.
func (b *Buffer) Read(r *http.Response, limit int64, takePlace func(bytes int64) error) error {
	if r.ContentLength > limit {
		return ErrTooLong
	}
	if takePlace == nil {
		takePlace = func(int64) error { return nil }
	}
	if err := takePlace(max(0, r.ContentLength)); err != nil {
		return err
	}
	// One byte more than announced leaves room for the read that finds the end.
	// A header alone must not allocate more than a buffer that is kept.
	if size := max(smallestBuffer, min(r.ContentLength+1, largestKept)); int64(cap(b.Bytes)) < size {
		b.Bytes = make([]byte, 0, size)
	}
	piece := b.Bytes[:0]
	var full [][]byte
	for total := int64(0); ; {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(total, largestPiece, limit+1-total))
		}
		n, err := r.Body.Read(piece[len(piece):min(int64(cap(piece)), int64(len(piece))+limit+1-total)])
		piece = piece[:len(piece)+n]
		total += int64(n)
		switch {
		case total > limit:
			return ErrTooLong
		case err == io.EOF && full == nil:
			b.Bytes = piece
			return nil
		case err == io.EOF:
			b.Bytes = make([]byte, 0, total)
			for _, part := range append(full, piece) {
				b.Bytes = append(b.Bytes, part...)
			}
			return nil
		case err == nil:
			err = takePlace(total)
		}
		if err != nil {
			return err
		}
	}
}

// IsLoopback reports whether a host without a port stands for this machine:
// localhost in upper or lower case, or an IP address of the loopback interface, with or
// without brackets. Other names do not, as they may resolve to anything.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// ParseOrigin returns the origin of web pages (RFC 6454, section 6.2) that s
// stands for, in lower case and without the default port of its scheme, so
// that equal origins are equal strings. ok is false if s is anything else: the
// scheme must be http or https, and nothing may follow the host and port.
func ParseOrigin(s string) (origin string, ok bool) {
	u, err := url.Parse(strings.ToLower(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(u.Host, "*") ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, port), true
}

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
	text, _, _ = strings.Cut(text, "(possibly because of ") // a guess of crypto/x509, which continues with a quote
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
