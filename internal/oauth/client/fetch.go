package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A Network is what documents are fetched with. Zero fields stand for the real thing.
type Network struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	Roots  *x509.CertPool
}

// A fetcher gets documents from the public internet. The URLs come from anybody, so it
// connects to port 443 of public addresses only, follows no redirects and uses no proxy.
type fetcher struct{ client http.Client }

func newFetcher(network Network) fetcher {
	if network.Lookup == nil {
		network.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if network.Dial == nil {
		network.Dial = func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address.String())
		}
	}
	return fetcher{http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            network.dialPublic,
			TLSHandshakeTimeout:    fetchTime,
			TLSClientConfig:        &tls.Config{RootCAs: network.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 16 << 10,
		},
	}}
}

// get returns a document and how long it may be kept. Errors wrap ErrUnavailable.
func (f fetcher) get(ctx context.Context, url string) (body []byte, age time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "outline-mcp")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("%w: status %d", ErrUnavailable, response.StatusCode)
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return nil, 0, fmt.Errorf("%w: it is not JSON by its Content-Type", ErrUnavailable)
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case len(body) > maxDocument:
		return nil, 0, fmt.Errorf("%w: it is longer than %d bytes", ErrUnavailable, maxDocument)
	}
	return body, ageOf(response.Header), nil
}

// dialPublic connects to a public address of a host. The name is resolved once, and the
// connection is to an address that was checked, so the answer cannot change in between
// (DNS rebinding).
func (n Network) dialPublic(ctx context.Context, _, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil || port != "443" {
		return nil, fmt.Errorf("not a host with port 443")
	}
	// The transport goes on connecting when a request has ended.
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	addresses, err := n.Lookup(ctx, host+".") // the dot keeps search domains out
	if err != nil {
		return nil, err
	}
	problem := fmt.Errorf("the host has no public address")
	for _, address := range addresses {
		address = address.Unmap() // resolvers may give IPv4 as ::ffff:0:0/96
		if !isPublic(address) {
			continue
		}
		var conn net.Conn
		if conn, problem = n.Dial(ctx, netip.AddrPortFrom(address, 443)); problem == nil {
			return conn, nil
		}
	}
	return nil, problem
}

// ageOf returns how long an answer may be kept (RFC 9111), up to maxDocumentAge.
func ageOf(header http.Header) time.Duration {
	age := usualAge
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			age = secondsOf(value)
		}
	}
	return max(0, min(age, maxDocumentAge)-secondsOf(header.Get("Age")))
}

// secondsOf returns a number of seconds, at most a day; 0 if there is none.
func secondsOf(value string) time.Duration {
	seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, 24*time.Hour)
}
