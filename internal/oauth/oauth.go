// Package oauth is an OAuth 2.1 authorization server in front of Outline's, so that
// people can connect MCP clients that cannot send an API key: they log in to Outline,
// and the client gets tokens of this server.
//
// Outline binds its tokens to no audience, and MCP forbids to pass a client's token on.
// So the tokens of this server are sealed envelopes around Outline's, which the client
// never sees. Nothing is stored: registered clients, logins in progress, codes and tokens
// are sealed values (internal/seal) that the browser or the client carries, bound to the
// URL of this server's MCP endpoint. Any server with the same secret and URL opens them.
// That a code or a refresh token works once is up to Outline, which holds the real one.
//
// A login:
//
//  1. GET /oauth/authorize shows who asks for what; the answer carries a sealed request.
//  2. POST /oauth/authorize, if the person allows it, sets a cookie and leads to Outline,
//     with a sealed state.
//  3. GET /oauth/callback gets Outline's code, and leads back to the client with a code of
//     this server, in which Outline's is sealed.
//  4. POST /oauth/token checks the client's PKCE verifier, exchanges Outline's code, and
//     returns sealed tokens.
package oauth

import (
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/oauth/client"
)

// Options configure a [Server].
type Options struct {
	// PublicURL is the origin at which browsers and clients reach this server, such as
	// https://mcp.example.com: https, or http on a loopback host. Path is that of the MCP
	// endpoint there, such as /mcp.
	PublicURL, Path string
	// Secret, of at least 32 bytes, is what everything is sealed with. What was sealed
	// with Previous, unless it is "", still opens.
	Secret, Previous string
	Outline          Outline
	// Redirects are the redirect URIs of the client that the operator has set up, whose
	// ID is ConfiguredClient. Without any, there is no such client.
	Redirects []string
	// Documents finds clients by the URL of their metadata. If it is nil, they have to
	// register.
	Documents *client.Documents
	// ReadOnly lets people give read access only.
	ReadOnly bool
	// Limits are sentences for the person who decides about an app: what the operator of
	// this server does not allow anyone.
	Limits []string
	// Address returns what registrations are counted by. If it is nil, it is the IP
	// address of the connection, or the /64 network of an IPv6 address.
	Address func(*http.Request) string
	Log     *slog.Logger     // nil means slog.Default(); never gets a token, code or state
	Observe func(Event)      // nil disables the callback
	Now     func() time.Time // nil means time.Now
}

// Outline is the Outline to log in to, and the application that its admin has created
// for this server, with the redirect URI PublicURL/oauth/callback.
type Outline struct {
	Origin                 string // such as https://wiki.example.com
	ClientID, ClientSecret string
	// Authorize is the URL of the page where people log in. If it is "", it is
	// Origin/oauth/authorize.
	Authorize string
	// ReadScope and WriteScope are what is asked of Outline for the two scopes. If they are
	// "", it is "read" and "read write".
	ReadScope, WriteScope string
	Transport             http.RoundTripper // nil means http.DefaultTransport
}

// ConfiguredClient is the ID of the client that the operator has set up with
// Options.Redirects, for apps that neither register nor have a metadata document.
const ConfiguredClient = "outline-mcp"

// A Server is an authorization server. It is safe for concurrent use.
type Server struct {
	options  Options
	resource string // the URL of the MCP endpoint
	secure   bool   // served over https
	routes   map[string]route
	values   values
	outline  *upstream

	registrations *counter
	refusedCodes  *counter
	renewals      *renewals
}

// New returns a server. The options must be valid; internal/config checks them.
func New(o Options) *Server {
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	o.Path = strings.TrimSuffix(o.Path, "/")
	o.Outline.Origin = strings.TrimSuffix(o.Outline.Origin, "/")
	if o.Outline.Authorize == "" {
		o.Outline.Authorize = o.Outline.Origin + authorizePath
	}
	if o.Outline.ReadScope == "" {
		o.Outline.ReadScope = "read"
	}
	if o.Outline.WriteScope == "" {
		o.Outline.WriteScope = "read write"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Address == nil {
		o.Address = network
	}
	s := &Server{options: o, resource: o.PublicURL + o.Path, secure: strings.HasPrefix(o.PublicURL, "https://"),
		registrations: newRegistrations(), refusedCodes: newRefusedCodes(), renewals: newRenewals(o.Now)}
	s.values = newValues(o.Secret, o.Previous, s.resource, o.Now)
	s.outline = newUpstream(o.Outline, Callback(o.PublicURL))
	s.routes = s.newRoutes()
	return s
}

// network returns the IP address that a request came from, or the /64 network of an IPv6
// address, all of which one computer can have.
func network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	host, _, _ = strings.Cut(host, "%")
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}
	return host
}
