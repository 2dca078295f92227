package fakeoutline

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// oauthOptions are what an [oauthServer] needs to know of its workspace. The functions are called
// without a lock of the server held.
type oauthOptions struct {
	Now func() time.Time

	// Person returns the user with an ID. Users are those of the login page.
	Person func(id string) (oauthPerson, bool)
	People func() []oauthPerson

	Team string // the name of the workspace

	// Registration is whether clients can register themselves, and tokens be
	// revoked, as from release 1.6 on.
	Registration bool

	// DetectReuse revokes a grant whose refresh token is used again, as from
	// release 1.9 on.
	DetectReuse bool

	// TokenLifetime is how long access tokens are valid. Zero means an hour, Outline's
	// default (OAUTH_PROVIDER_ACCESS_TOKEN_LIFETIME).
	TokenLifetime time.Duration
}

// An oauthPerson is a user of the workspace.
type oauthPerson struct {
	ID, Name, Role string
	Suspended      bool
}

// An oauthServer is the OAuth 2.0 authorization server of a workspace: metadata,
// registration of clients, authorization by the user who is logged in, tokens and their
// revocation. It is safe for concurrent use.
//
// It answers as the Outline of August 2026, with its status codes and messages,
// which differ from RFC 6749: every failure of a request for tokens is
// "invalid_request". What a comment calls assumed is in no recording; most of that
// follows the library that Outline uses, @node-oauth/oauth2-server.
//
// [oauthServer.Answer] answers a request to one of the server's paths. Two paths are not
// Outline's, which sends an application for the browser there: GET /oauth/authorize
// is a page without scripts that asks the user to log in and then for consent, and
// POST /oauth/login logs in one of the people of the workspace without a password.
//
// Everything is in memory and bounded; see the constants in oauth_token.go and
// oauth_register.go.
type oauthServer struct {
	options oauthOptions
	secret  [32]byte // signs sessions

	mu      sync.Mutex
	clients []*oauthClient // in the order of creation
	grants  tokenPairs
	codes   []*authorizationCode // those that were not used, in the order of creation
}

// newOAuthServer returns a server without clients.
func newOAuthServer(options oauthOptions) *oauthServer {
	options.TokenLifetime = cmp.Or(options.TokenLifetime, time.Hour)
	s := &oauthServer{options: options}
	_, _ = rand.Read(s.secret[:]) // never fails
	return s
}

// The paths of the server.
const (
	authorizePath = "/oauth/authorize"
	loginPath     = "/oauth/login"
	tokenPath     = "/oauth/token"
	revokePath    = "/oauth/revoke"
	registerPath  = "/oauth/register"
	wellKnown     = "/.well-known/"
)

// servesOAuth reports whether a path belongs to the authorization server.
func servesOAuth(path string) bool {
	return strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, wellKnown)
}

// maxOAuthBody is the maximum length of a body in bytes, much less than Outline's.
const maxOAuthBody = 64 << 10

// Answer answers a request to a path for which [servesOAuth] holds.
func (s *oauthServer) Answer(r *http.Request) apiReply {
	limited := *r
	if r.Body != nil {
		limited.Body = http.MaxBytesReader(nil, r.Body, maxOAuthBody)
	}
	reply, err := s.route(&limited)
	if err != nil {
		return oauthReplyTo(err)
	}
	return reply
}

func (s *oauthServer) route(r *http.Request) (apiReply, error) {
	path, isGet, isPost := r.URL.Path, r.Method == http.MethodGet, r.Method == http.MethodPost
	switch {
	case isGet && strings.HasPrefix(path, wellKnown):
		return s.metadata(r), nil
	case isPost && path == authorizePath:
		return s.authorize(r)
	case isGet && path == authorizePath:
		return s.page(r), nil
	case isPost && path == loginPath:
		return s.login(r)
	case isPost && path == tokenPath:
		return s.token(r)
	case isPost && path == revokePath && s.options.Registration:
		return s.revoke(r)
	case isPost && path == registerPath && s.options.Registration:
		return s.register(r)
	case strings.HasPrefix(path, registerPath+"/") && s.options.Registration:
		return s.manage(r)
	}
	return oauthNotFound(), nil
}

// LoginHandler returns a handler of the two paths that a browser visits to log in,
// /oauth/authorize and /oauth/login. It can be mounted below any prefix that is
// stripped: its pages refer to each other by relative URLs.
func (s *oauthServer) LoginHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply := oauthNotFound()
		if r.URL.Path == authorizePath || r.URL.Path == loginPath {
			reply = s.Answer(r)
		}
		for name, values := range reply.Header(s.options.Now()) {
			w.Header()[name] = values
		}
		w.WriteHeader(reply.Status)
		_, _ = reply.Reader().WriteTo(w) // an error means that the client has gone
	})
}

func oauthNotFound() apiReply {
	return newAPIReply(http.StatusNotFound, "text/plain; charset=utf-8", nil, []byte("Not Found"))
}

// oauthReplyTo returns the answer to a request that failed. Outline derives the code from
// the status alone.
func oauthReplyTo(err error) apiReply {
	e := apiErrorOf(err)
	code := "server_error"
	switch e.Status {
	case http.StatusBadRequest:
		code = "invalid_request"
	case http.StatusUnauthorized:
		code = "invalid_client"
	}
	return apiJSONReply(e.Status, e.Header, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, cmp.Or(e.Message, http.StatusText(e.Status))})
}

// oauthInvalid returns the error of a request that is not possible.
func oauthInvalid(message string) error { return apiInvalidRequest(message) }

// oauthFieldsOf reads the fields of a request, from a form or from JSON.
func oauthFieldsOf(r *http.Request) (*apiFields, error) {
	read, err := newAPIRequest(r)
	if err != nil {
		return nil, err
	}
	return &read.Fields, read.Fields.Err
}

// newToken returns a random token with a prefix, in the form of Outline's.
func newToken(prefix string) string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return prefix + hex.EncodeToString(random[:])
}

// The prefixes of what the server issues.
const (
	accessPrefix  = "ol_at_"
	refreshPrefix = "ol_rt_"
	codePrefix    = "ol_ac_"
	secretPrefix  = "ol_sk_"
	managePrefix  = "ol_rat_"
)

// An authorization is what an application asks for at the authorization endpoint.
type authorization struct {
	client    oauthClient
	redirect  string
	state     string
	scopes    []string
	challenge string
}

// authorize answers the click on Authorize: it sends the user back to the
// application with a code.
func (s *oauthServer) authorize(r *http.Request) (apiReply, error) {
	form, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	person, err := s.caller(r, form)
	if err != nil {
		return apiReply{}, err
	}
	get := func(name string) string { text, _ := form.Values[name].(string); return text }
	asked, err := s.asked(get)
	if err != nil {
		return apiReply{}, err
	}
	if get("decision") == "cancel" {
		// Outline's page does this in the browser, without the state.
		return apiRedirection(withQuery(asked.redirect, url.Values{"error": {"access_denied"}})), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := s.save(authorizationCode{
		userID: person.ID, client: asked.client.ID, redirect: asked.redirect, scopes: asked.scopes, challenge: asked.challenge,
	})
	return apiRedirection(withQuery(asked.redirect, url.Values{"code": {code.value}, "state": {asked.state}})), nil
}

// asked reads what an application asks for, in Outline's order of checks.
func (s *oauthServer) asked(get func(name string) string) (authorization, error) {
	a := authorization{redirect: get("redirect_uri"), state: get("state"), challenge: get("code_challenge")}
	id := get("client_id")
	if id == "" {
		return a, oauthInvalid("Missing client_id")
	}
	client, ok := s.Client(id)
	if !ok {
		return a, apiForbidden()
	}
	a.client = client
	if a.redirect == "" && len(client.Redirects) > 0 {
		a.redirect = client.Redirects[0]
	}
	if !a.client.Allows(a.redirect) {
		return a, oauthInvalid("Invalid client: `redirect_uri` does not match client value")
	}
	if a.state == "" {
		return a, oauthInvalid("Missing parameter: `state`")
	}
	a.scopes = strings.Fields(get("scope"))
	for _, scope := range a.scopes {
		if !validScope(scope) {
			return a, oauthInvalid("Invalid scope: Requested scope is invalid")
		}
	}
	switch kind := get("response_type"); {
	case kind == "": // assumed
		return a, oauthInvalid("Missing parameter: `response_type`")
	case kind != "code":
		return a, oauthInvalid("Unsupported response type: `response_type` is not supported")
	}
	switch method := get("code_challenge_method"); {
	case a.challenge == "":
	case !isVerifier(a.challenge): // assumed
		return a, oauthInvalid("Invalid request: `code_challenge` is invalid")
	case method == "" || method == "plain": // assumed for ""
		return a, oauthInvalid("Invalid request: `code_challenge_method` \"plain\" is not allowed; use \"S256\"")
	case method != "S256": // assumed
		return a, oauthInvalid("Invalid request: transform algorithm '" + method + "' not supported")
	}
	return a, nil
}

// validScope reports whether Outline grants a scope to an application: an access level
// for everything or for a namespace, or a route, of which one half may be "*".
func validScope(scope string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	isName := func(s string) bool { return s != "" && strings.Trim(s, letters) == "" }
	if route, ok := strings.CutPrefix(scope, "/api/"); ok {
		namespace, method, _ := strings.Cut(route, ".")
		return route != "*.*" && (namespace == "*" || isName(namespace)) && (method == "*" || isName(method))
	}
	namespace, level, found := strings.Cut(scope, ":")
	if !found {
		level = scope
	} else if !isName(namespace) {
		return false
	}
	return level == "read" || level == "write" || level == "create"
}

// isVerifier reports whether a text has the form of a code verifier or challenge (RFC
// 7636, section 4).
func isVerifier(text string) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return len(text) >= 43 && len(text) <= 128 && strings.Trim(text, unreserved) == ""
}

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// withQuery adds parameters to a redirect URI. The code comes before the state, as
// in Outline.
func withQuery(redirect string, add url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // not reached: only URIs that can be parsed are followed
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += add.Encode()
	return u.String()
}
