// Package oauth is an OAuth 2.1 authorization server in front of Outline's, so that
// people can connect MCP clients that cannot send an API key: they log in to Outline,
// and the client gets tokens of this server.
//
// Outline binds its tokens to no audience, and MCP forbids to pass a client's token on.
// So the tokens of this server are sealed envelopes around Outline's, which the client
// never sees. Nothing is stored: registered clients, logins in progress, codes and tokens
// are sealed values ([Box]) that the browser or the client carries, bound to the
// URL of this server's MCP endpoint. Any server with the same secret and URL opens them.
// That a code or a refresh token works once is up to Outline, which holds the real one.
//
// A login:
//
//  1. GET /oauth/authorize shows who asks for what; the answer carries a sealed request.
//  2. POST /oauth/authorize, if the user allows it, sets a cookie and leads to Outline,
//     with a sealed state.
//  3. GET /oauth/callback gets Outline's code, and leads back to the client with a code of
//     this server, in which Outline's is sealed.
//  4. POST /oauth/token checks the client's PKCE verifier, exchanges Outline's code, and
//     returns sealed tokens.
//
// The package also sets up the application in Outline that people log in to this server
// with (application.go).
package oauth

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"outline-mcp/outline/expiring"
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
	Documents *Documents
	// ReadOnly lets people give read access only.
	ReadOnly bool
	// Limits are sentences for the user who decides about an app: what the operator of
	// this server does not allow anyone.
	Limits []string
	// Address returns what registrations and refused codes are counted by. If it is nil, it is
	// that of the connection, or behind Proxies that of their client: the IP address, or the
	// /64 network of an IPv6 address.
	Address func(*http.Request) string
	Proxies Proxies
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
	// ReadScope is what is asked of Outline for Read. If it is "", it is "read".
	ReadScope string
	Transport http.RoundTripper // nil means http.DefaultTransport
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

	// Registrations cost little and leave nothing behind, and all clients can have the address
	// of one proxy, so the limits are there to stop floods only.
	registrations *counter
	refusedCodes  refusedCodes
	renewals      *renewals
}

// New returns a server. The options must be valid; internal/config checks them.
func New(o Options) *Server {
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	o.Path = strings.TrimSuffix(o.Path, "/")
	o.Outline.Origin = strings.TrimSuffix(o.Outline.Origin, "/")
	o.Outline.Authorize = cmp.Or(o.Outline.Authorize, o.Outline.Origin+authorizePath)
	o.Outline.ReadScope = cmp.Or(o.Outline.ReadScope, "read")
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Address == nil {
		o.Address = o.Proxies.network
	}
	s := &Server{options: o, resource: o.PublicURL + o.Path, secure: strings.HasPrefix(o.PublicURL, "https://"),
		registrations: &counter{window: time.Minute, perAddress: 60, inAll: 600},
		refusedCodes:  refusedCodes{known: expiring.Map[string, struct{}]{Most: 4096, Now: o.Now}},
		renewals:      &renewals{kept: expiring.Map[renewal, *oauth2.Token]{Most: maxRenewed, Now: o.Now}}}
	s.values = newValues(o.Secret, o.Previous, s.resource, o.Now)
	s.outline = newUpstream(o.Outline, Callback(o.PublicURL))
	s.routes = s.newRoutes()
	return s
}

// The paths of the endpoints, apart from those of RFC 9728 and RFC 8414.
const (
	registerPath  = "/oauth/register"
	authorizePath = "/oauth/authorize"
	callbackPath  = "/oauth/callback"
	tokenPath     = "/oauth/token"
	revokePath    = "/oauth/revoke"

	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
)

// A route is an endpoint, with what answers GET and HEAD, and POST.
type route struct {
	get, post http.HandlerFunc
	// public lets web pages of any origin use the endpoint: it has no use for cookies.
	public bool
}

func (s *Server) newRoutes() map[string]route {
	resource := route{get: s.describeResource, public: true}
	return map[string]route{
		resourceMetadataPath:                        resource,
		resourceMetadataPath + s.options.Path:       resource,
		resourceMetadataPath + s.options.Path + "/": resource, // for clients that connect to the path with a slash at its end
		serverMetadataPath:                          {get: s.describeServer, public: true},
		registerPath:                                {post: s.register, public: true},
		tokenPath:                                   {post: s.token, public: true},
		revokePath:                                  {post: s.revoke, public: true},
		callbackPath:                                {get: s.finish},
		authorizePath:                               {get: s.authorize, post: s.decide},
	}
}

// handler returns what answers a method, nil if nothing does, and the methods that are
// answered.
func (r route) handler(method string) (handle http.HandlerFunc, allowed string) {
	var methods []string
	if r.get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if r.post != nil {
		methods = append(methods, http.MethodPost)
	}
	if r.public {
		methods = append(methods, http.MethodOptions)
	}
	switch allowed = strings.Join(methods, ", "); method {
	case http.MethodGet, http.MethodHead:
		return r.get, allowed
	case http.MethodPost:
		return r.post, allowed
	}
	return nil, allowed
}

// Serves reports whether a path is one of this server's endpoints.
func (s *Server) Serves(path string) bool {
	_, ok := s.routes[path]
	return ok
}

// ServeHTTP answers a request to one of the endpoints.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, ok := s.routes[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if route.public {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
	}
	handle, allowed := route.handler(r.Method)
	if handle != nil {
		handle(w, r)
		return
	}
	h.Set("Allow", allowed)
	if r.Method == http.MethodOptions && route.public {
		h.Set("Access-Control-Allow-Methods", allowed)
		h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Mcp-Protocol-Version")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "use "+allowed, http.StatusMethodNotAllowed)
}

// describeResource answers with the metadata of the MCP endpoint (RFC 9728).
func (s *Server) describeResource(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"resource":                 s.resource,
		"resource_name":            "Outline",
		"authorization_servers":    []string{s.options.PublicURL},
		"scopes_supported":         s.offered(),
		"bearer_methods_supported": []string{"header"},
	})
}

// describeServer answers with the metadata of this authorization server (RFC 8414;
// RFC 9207 for iss, draft-ietf-oauth-client-id-metadata-document for client IDs that are
// URLs). Clients that have such an ID use it if the server says so; they register if it does
// not, so a server that knows the built-in documents only does not say so.
func (s *Server) describeServer(w http.ResponseWriter, _ *http.Request) {
	public := s.options.PublicURL
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                         public,
		"authorization_endpoint":                         public + authorizePath,
		"token_endpoint":                                 public + tokenPath,
		"registration_endpoint":                          public + registerPath,
		"revocation_endpoint":                            public + revokePath,
		"scopes_supported":                               s.offered(),
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"revocation_endpoint_auth_methods_supported":     []string{"none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          s.options.Documents != nil && s.options.Documents.options.Fetch,
		"protected_resources":                            []string{s.resource},
	})
}

// Challenge returns the value of WWW-Authenticate (RFC 6750, section 3; RFC 9728,
// section 5.1) that tells a client where to log in and which scope to ask for. The code,
// such as invalid_token or insufficient_scope, and its description are left out if they
// are "", as they have to be if the request had no token.
func (s *Server) Challenge(scope Scope, code, description string) string {
	value := `Bearer resource_metadata="` + s.options.PublicURL + resourceMetadataPath + s.options.Path + `"`
	for _, p := range [...]struct{ name, value string }{{"scope", string(scope)}, {"error", code}, {"error_description", description}} {
		if p.value != "" {
			value += `, ` + p.name + `="` + strings.Map(quotable, p.value) + `"`
		}
	}
	return value
}

// quotable omits what an error_description must not contain (RFC 6750, section 3).
func quotable(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return -1
	}
	return r
}

// A Scope is what a person gives an app, as it is written in tokens and metadata.
type Scope string

// The scopes. Who may write may read.
const (
	Read  Scope = "read"
	Write Scope = "read write"
)

// Writes reports whether the scope includes changing the workspace.
func (s Scope) Writes() bool { return s == Write }

// scopeOf returns what a client asks for with a scope parameter. Names that are not ours
// are ignored (RFC 6749, section 3.3), because clients send openid or offline_access
// without being told to. A request without a known name is for all that there is: some
// clients leave the scope out.
func (s *Server) scopeOf(asked string) Scope {
	names := strings.Fields(asked)
	if s.options.ReadOnly || slices.Contains(names, "read") && !slices.Contains(names, "write") {
		return Read
	}
	return Write
}

// offered returns the names of the scopes that people can give.
func (s *Server) offered() []string {
	if s.options.ReadOnly {
		return []string{"read"}
	}
	return []string{"read", "write"}
}

// outlineScope returns what is asked of Outline.
func (s *Server) outlineScope(scope Scope) string {
	if scope.Writes() {
		return string(scope)
	}
	return s.options.Outline.ReadScope
}
