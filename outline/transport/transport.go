// Package transport holds what a client of an HTTP API needs below the API:
// connections, buffers for answers, waiting, rate limits, and what a failure of
// the network means. It knows nothing of Outline.
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

// Options configure [New]. The zero value trusts what the
// system trusts.
type Options struct {
	CAFile     string // PEM file of certificates to trust in addition to the system's; "" adds none
	SkipVerify bool   // accept any certificate: only for a test instance
}

// New returns a transport for a server that many callers use. It
// keeps up to 100 idle connections per host, uses HTTP/2 where the server
// does, takes proxies from the environment (see
// [http.ProxyFromEnvironment]) and bounds connecting and the TLS handshake to
// 10 seconds each. Waiting for the header of an answer is bounded to 5 minutes,
// a last resort behind the timeouts of requests.
//
// It fails when CAFile cannot be read or holds no certificate.
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
		// All requests share one HTTP/2 connection: without pings a dead one
		// would hold up each of them until its own timeout.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 10 * time.Second},
	}, nil
}

// certificates returns the system's pool with the certificates of a PEM file
// added.
func certificates(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		// A container image without certificates still has the file's.
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}
