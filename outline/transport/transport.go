// Package transport provides what a client of any HTTP API needs below the API:
// connections, buffers for answers, waiting, rate limits, and the diagnosis of
// network failures. It knows nothing about Outline.
package transport

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
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
// a last resort behind the timeouts of requests. Over plain HTTP, a connection that was
// ready too late for its request, and that no other request uses within a second, is
// closed.
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
		DialContext:            closingUnused(unusedFor, (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext),
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
			MaxReceiveBufferPerStream: 256 << 10,
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
