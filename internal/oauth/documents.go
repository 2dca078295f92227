package oauth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"outline-mcp/outline/expiring"
	"outline-mcp/outline/transport"
)

// The limits on metadata documents. The size is the one that the draft recommends.
const (
	maxDocument     = 5 << 10 // bytes
	maxDocuments    = 100     // kept
	maxFetches      = 64      // at once, of which documents of one site take half
	maxPerHost      = 4       // of them
	fetchTime       = 3 * time.Second
	maxDocumentAge  = time.Hour
	usualAge        = 5 * time.Minute // of a document without Cache-Control
	unavailableTime = 30 * time.Second
)

// ErrUnavailable means that the document of a client could not be fetched. The text of
// the error is for the operator's log: shown to a client, it would say what the server
// can reach.
var ErrUnavailable = errors.New("the client's metadata document cannot be fetched")

// Documents finds clients by the URL of their metadata document. It is safe for
// concurrent use.
type Documents struct {
	options DocumentsOptions
	http    http.Client
	flights singleflight.Group
	fetches *transport.FairQueue
	hosts   expiring.Map[string, *transport.FairQueue] // the fetches from a host
	kept    expiring.Map[string, cachedDocument]
}

// DocumentsOptions configures Documents. The zero value knows the built-in copies and
// fetches nothing.
type DocumentsOptions struct {
	Fetch       bool             // fetch documents that are not built in
	OwnCallback string           // as for CheckRedirect
	Now         func() time.Time // time.Now if nil
	Network     ClientNetwork    // what tests replace; the real network if zero
}

// cachedDocument is a document, or that there is none, until it has to be fetched again.
type cachedDocument struct {
	client Client
	err    error
}

// NewDocuments returns Documents with nothing fetched yet.
func NewDocuments(options DocumentsOptions) *Documents {
	return &Documents{
		options: options,
		http:    options.Network.client(),
		fetches: transport.NewFairQueue(maxFetches, true),
		hosts:   expiring.Map[string, *transport.FairQueue]{Now: options.Now},
		kept:    expiring.Map[string, cachedDocument]{Most: maxDocuments, Now: options.Now},
	}
}

// IsDocumentID reports whether a client ID is a URL, and so to be looked up with Client.
func IsDocumentID(id string) bool { return strings.HasPrefix(id, "https://") }

// Client returns the client whose metadata document is at a URL. The error is a *ClientError if
// the URL or the document is not allowed, or wraps ErrUnavailable or ctx.Err().
func (d *Documents) Client(ctx context.Context, id string) (Client, error) {
	if i := slices.IndexFunc(builtIn, func(c Client) bool { return c.ID == id }); i >= 0 {
		return builtIn[i], nil
	}
	if err := checkDocumentID(id); err != nil {
		return Client{}, err
	}
	if !d.options.Fetch {
		return Client{}, badMetadata("this server does not fetch metadata documents; register the client instead")
	}
	if k, ok := d.kept.Get(id); ok {
		return k.client, k.err
	}
	// The flight outlives a request that gives up, because others wait for it, too.
	flight := d.flights.DoChan(id, func() (any, error) { return d.fetch(id), nil })
	select {
	case landed := <-flight:
		k := landed.Val.(cachedDocument)
		return k.client, k.err
	case <-ctx.Done():
		return Client{}, ctx.Err()
	}
}

// fetch gets a document and keeps the outcome. It takes at most fetchTime, including the
// wait for others.
func (d *Documents) fetch(id string) cachedDocument {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	end, err := d.begin(ctx, webURI().FindStringSubmatch(id)[2])
	if err != nil {
		return cachedDocument{err: ErrUnavailable}
	}
	defer end()
	if k, ok := d.kept.Get(id); ok { // by a flight that ended just before this one began
		return k
	}
	var c Client
	body, age, err := d.get(ctx, id)
	if err == nil {
		c, err = parseDocument(body, id, d.options.OwnCallback)
	}
	if err != nil {
		age = unavailableTime
	}
	k := cachedDocument{c, err}
	d.kept.Set(id, k, age)
	return k
}

// begin waits until a document of a host may be fetched: documents that are slow to come
// must not keep those of other hosts, or of other sites, from being fetched.
func (d *Documents) begin(ctx context.Context, host string) (end func(), err error) {
	var ofHost *transport.FairQueue
	d.hosts.Update(host, func(before *transport.FairQueue) (*transport.FairQueue, time.Duration) {
		if ofHost = before; ofHost == nil {
			ofHost = transport.NewFairQueue(maxPerHost, false)
		}
		return ofHost, 2 * fetchTime
	})
	leave, _, err := ofHost.Acquire(ctx, host)
	if err != nil {
		return nil, err
	}
	labels := strings.Split(host, ".")
	site := strings.Join(labels[len(labels)-2:], ".")
	release, _, err := d.fetches.Acquire(ctx, site)
	if err != nil {
		leave()
		return nil, err
	}
	return func() {
		release()
		leave()
	}, nil
}

// checkDocumentID returns nil if a client ID is a URL as section 3 of the draft asks for:
// https, with a path, and without user information, fragment and dot segments. Ports are
// refused, too, because nothing but port 443 is fetched from.
func checkDocumentID(id string) error {
	web := webURI().FindStringSubmatch(id)
	if web == nil || web[1] != "https" || web[3] != "" || len(web[4]) < 2 || !isHostname(web[2]) || CheckRedirect(id, "") != nil {
		return badMetadata("a client ID that is a URL must be https, with a path, a domain name in lower case, no port, no fragment, no dot segments, and at most 255 bytes")
	}
	return nil
}

// parseDocument reads a metadata document. Keys and other ways to authenticate in it are
// ignored, as the metadata of this server offers none: clients choose what both know.
func parseDocument(body []byte, id, ownCallback string) (Client, error) {
	m, err := ParseRegistration(body, ownCallback)
	switch {
	case err != nil:
		return Client{}, err
	case m.ClientID != id:
		return Client{}, badMetadata("client_id in the document is not the URL of the document")
	case m.ClientSecret != nil || strings.HasPrefix(m.AuthMethod, "client_secret_"):
		return Client{}, badMetadata("a client with a public document cannot have a secret")
	}
	return Client{ID: id, Name: m.Name, RedirectURIs: m.RedirectURIs, Source: Document}, nil
}

// A ClientNetwork is what documents are fetched with. Zero fields stand for the real thing.
type ClientNetwork struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	Roots  *x509.CertPool
}

// client returns what gets documents from the public internet. The URLs come from anybody, so
// it connects to port 443 of public addresses only, follows no redirects and uses no proxy.
func (network ClientNetwork) client() http.Client {
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
	return http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            network.dialPublic,
			TLSHandshakeTimeout:    fetchTime,
			TLSClientConfig:        &tls.Config{RootCAs: network.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 16 << 10,
		},
	}
}

// get returns a document and how long it may be kept. Errors wrap ErrUnavailable.
func (d *Documents) get(ctx context.Context, url string) (body []byte, age time.Duration, err error) {
	unavailable := func(format string, args ...any) ([]byte, time.Duration, error) {
		return nil, 0, fmt.Errorf("%w: %w", ErrUnavailable, fmt.Errorf(format, args...))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return unavailable("%w", err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "outline-mcp")
	response, err := d.http.Do(request)
	if err != nil {
		return unavailable("%w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return unavailable("status %d", response.StatusCode)
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return unavailable("it is not JSON by its Content-Type")
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return unavailable("%w", err)
	case len(body) > maxDocument:
		return unavailable("it is longer than %d bytes", maxDocument)
	}
	return body, ageOf(response.Header), nil
}

// dialPublic connects to a public address of a host. The name is resolved once, and the
// connection is to an address that was checked, so the answer cannot change in between
// (DNS rebinding).
func (n ClientNetwork) dialPublic(ctx context.Context, _, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil || port != "443" {
		return nil, fmt.Errorf("not a host with port 443")
	}
	// The transport continues connecting when a request has ended.
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
