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

// An oauthServer is the OAuth 2.0 authorization server of a workspace: metadata,
// registration of clients, authorization by a user, tokens and their revocation. It is safe
// for concurrent use, and everything is in memory and bounded.
//
// Its status codes and errors are those of the Outline of August 2026, which differ from RFC
// 6749: every failure of a request for tokens is "invalid_request". Of Outline's messages,
// it has only those that tell a refused application from a refused code or token.
//
// For a browser, Outline has an application at GET /oauth/authorize. The pages here are in
// oauth_page.go.
type oauthServer struct {
	store    *store
	lifetime time.Duration // of access tokens

	mu      sync.Mutex
	clients []*oauthClient // in the order of creation
	grants  tokenPairs
	codes   []*authorizationCode // those that were not used, in the order of creation
}

// newOAuth returns the authorization server of a store.
func newOAuth(s *store, opts Options) *oauthServer {
	server := &oauthServer{store: s, lifetime: cmp.Or(opts.TokenLifetime, time.Hour)}
	if app := opts.OAuth; app.ClientID != "" {
		server.Add(oauthClient{ClientID: app.ClientID, Secret: app.Secret, Name: "outline-mcp", Redirects: app.Redirects})
	}
	return server
}

// person returns a user who may log in, or nil. The caller holds no lock of the store.
func (s *oauthServer) person(id string) *User {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	if u, ok := s.store.user(id); ok && !u.Suspended {
		return u
	}
	return nil
}

// people returns the users who may log in.
func (s *oauthServer) people() (list []*User) {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	for _, id := range s.store.userIDs {
		if u := s.store.users[id]; !u.Suspended {
			list = append(list, u)
		}
	}
	return list
}

// The paths of the server.
const (
	authorizePath = "/oauth/authorize"
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
	registers := s.store.features.registration
	switch {
	case isGet && strings.HasPrefix(path, wellKnown):
		return s.metadata(r), nil
	case isPost && path == authorizePath:
		return s.authorize(r)
	case isGet && path == authorizePath:
		query := r.URL.Query()
		if scope := query.Get("scope"); scope == "" || scope == "claudeai" {
			query.Set("scope", "read write") // as Outline's page does
		}
		return s.loginPage(query.Get), nil
	case isPost && path == tokenPath:
		return s.token(r)
	case isPost && path == revokePath && registers:
		return s.revoke(r)
	case isPost && path == registerPath && registers:
		return s.register(r)
	case strings.HasPrefix(path, registerPath+"/") && registers:
		return s.manage(r)
	}
	return oauthNotFound(), nil
}

// LoginHandler returns a handler of /oauth/authorize, which a person's browser visits to
// log in. It can be mounted below a prefix:
//
//	mux.Handle("/demo/outline/", http.StripPrefix("/demo/outline", w.LoginHandler()))
//
// Everything else of the authorization server can then remain within the process,
// with [Workspace.Transport].
func (w *Workspace) LoginHandler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		reply := oauthNotFound()
		if r.URL.Path == authorizePath {
			reply = w.oauth.Answer(r)
		}
		for name, values := range reply.Header(w.Now()) {
			rw.Header()[name] = values
		}
		rw.WriteHeader(reply.Status)
		_, _ = reply.Reader().WriteTo(rw) // an error means that the client has gone
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
	return apiJSONReply(e.Status, nil, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, e.Message})
}

// The errors of the authorization server.
var (
	errRequest = apiInvalidRequest("Invalid request")
	errClient  = apiInvalidRequest("Invalid client: client is invalid")
	errGrant   = apiInvalidRequest("Invalid grant")
)

// oauthFieldsOf reads the fields of a request, from a form or from JSON, and returns a
// function that returns one of them as a text.
func oauthFieldsOf(r *http.Request) (*apiFields, func(name string) string, error) {
	read, err := newAPIRequest(r)
	if err != nil {
		return nil, nil, err
	}
	f := &read.Fields
	return f, func(name string) string { text, _ := f.Values[name].(string); return text }, f.Err
}

// newToken returns a random token with a prefix, in the form of Outline's.
func newToken(prefix string) string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return prefix + hex.EncodeToString(random[:])
}

// The prefixes of what the server issues. Outline's sessions are JSON web tokens.
const (
	accessPrefix  = "ol_at_"
	refreshPrefix = "ol_rt_"
	codePrefix    = "ol_ac_"
	secretPrefix  = "ol_sk_"
	managePrefix  = "ol_rat_"
	sessionPrefix = "session."
)

// An authorization is what an application asks for at the authorization endpoint.
type authorization struct {
	client    oauthClient
	redirect  string
	state     string
	scopes    []string
	challenge string
}

// authorize answers the forms of the pages: with the page that asks for consent, or by
// sending the user back to the application. A session decides to authorize unless told.
func (s *oauthServer) authorize(r *http.Request) (apiReply, error) {
	_, get, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	decision := get("decision")
	person := s.person(get("person"))
	if r.Header.Get("Authorization") != "" {
		person, err = s.sessionPerson(apiBearer(r.Header))
		decision = cmp.Or(decision, "authorize")
	}
	if person == nil {
		return apiReply{}, cmp.Or(err, apiUnauthorized("Authentication required"))
	}
	asked, err := s.asked(get)
	switch {
	case err != nil:
		return apiReply{}, err
	case decision == "":
		return consentPage(asked, get, person), nil
	case decision != "authorize":
		// Outline's page does this in the browser, without the state.
		return apiRedirection(withQuery(asked.redirect, url.Values{"error": {"access_denied"}})), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := s.save(authorizationCode{userID: person.ID, client: asked.client.ID, redirect: asked.redirect, scopes: asked.scopes, challenge: asked.challenge})
	return apiRedirection(withQuery(asked.redirect, url.Values{"code": {code.value}, "state": {asked.state}})), nil
}

// sessionPerson returns the user of a session, or nil. Other tokens are refused.
func (s *oauthServer) sessionPerson(bearer string) (*User, error) {
	if strings.HasPrefix(bearer, accessPrefix) {
		if _, _, err := s.Access(bearer); err != nil {
			return nil, err
		}
		s.Used(bearer) // recorded
	}
	if strings.HasPrefix(bearer, "ol_") {
		return nil, apiDenied("Invalid authentication type")
	}
	id, _ := sessionUser(bearer)
	return s.person(id), nil
}

// Session returns a session of the owner of an API key, as if the user had just
// logged in: a POST of the parameters of an authorization to /oauth/authorize with it as a
// Bearer token is the click on Authorize.
func (w *Workspace) Session(key string) (string, error) {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	k, ok := w.store.key(key)
	if !ok {
		return "", apiUnauthorized("Invalid API key")
	}
	return sessionPrefix + k.UserID, nil
}

// sessionUser returns the ID of the user of a session. Sessions are not signed, because
// anyone can log in as any user of the workspace.
func sessionUser(session string) (userID string, ok bool) {
	return strings.CutPrefix(session, sessionPrefix)
}

// asked reads what an application asks for.
func (s *oauthServer) asked(get func(name string) string) (authorization, error) {
	a := authorization{redirect: get("redirect_uri"), state: get("state"), challenge: get("code_challenge"), scopes: strings.Fields(get("scope"))}
	id := get("client_id")
	if id == "" {
		return a, errRequest
	}
	var ok bool
	if a.client, ok = s.Client(id); !ok {
		return a, apiForbidden()
	}
	if a.redirect == "" && len(a.client.Redirects) > 0 {
		a.redirect = a.client.Redirects[0]
	}
	if !a.client.Allows(a.redirect) {
		return a, errClient
	}
	valid := a.state != "" && get("response_type") == "code" && (a.challenge == "" || get("code_challenge_method") == "S256")
	for _, scope := range a.scopes {
		valid = valid && isScope(scope)
	}
	if !valid {
		return a, errRequest
	}
	return a, nil
}

// isScope reports whether Outline grants a scope to an application: an access level
// for everything or for a namespace, or a route, of which one half may be "*".
func isScope(scope string) bool {
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

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// withQuery adds parameters to a redirect URI, which can be parsed: see [oauthClient.Allows].
func withQuery(redirect string, add url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += add.Encode()
	return u.String()
}
