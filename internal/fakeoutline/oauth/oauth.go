// Package oauth is the OAuth 2.0 authorization server of an Outline workspace:
// metadata, registration of clients, authorization by the person who is logged in,
// tokens and their revocation.
//
// It answers as the Outline of August 2026, with its status codes and messages,
// which differ from RFC 6749: every failure of a request for tokens is
// "invalid_request". What a comment calls assumed is in no recording; most of that
// follows the library that Outline uses, @node-oauth/oauth2-server.
//
// [Server.Answer] answers a request to one of the server's paths. Two paths are not
// Outline's, which sends an application for the browser there: GET /oauth/authorize
// is a page without scripts that asks the person to log in and then for consent, and
// POST /oauth/login logs in one of the people of the workspace without a password.
//
// Everything is in memory and bounded; see the constants in grants.go and clients.go.
package oauth

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/fakeoutline/api"
)

// Options are what a server needs to know of its workspace. The functions are called
// without a lock of the server held.
type Options struct {
	Now func() time.Time

	// Person returns the person with an ID. People are those of the login page.
	Person func(id string) (Person, bool)
	People func() []Person

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

// A Person is a user of the workspace.
type Person struct {
	ID, Name, Role string
	Suspended      bool
}

// A Server is an authorization server. It is safe for concurrent use.
type Server struct {
	options Options
	secret  [32]byte // signs sessions

	mu      sync.Mutex
	clients []*Client // in the order of creation
	grants  grants
	codes   []*code // those that were not used, in the order of creation
}

// New returns a server without clients.
func New(options Options) *Server {
	options.TokenLifetime = cmp.Or(options.TokenLifetime, time.Hour)
	s := &Server{options: options}
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

// Serves reports whether a path belongs to the server.
func Serves(path string) bool {
	return strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, wellKnown)
}

// maxBody is the maximum length of a body in bytes, much less than Outline's.
const maxBody = 64 << 10

// Answer answers a request to a path that the server [Serves].
func (s *Server) Answer(r *http.Request) api.Reply {
	limited := *r
	if r.Body != nil {
		limited.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	}
	reply, err := s.route(&limited)
	if err != nil {
		return replyTo(err)
	}
	return reply
}

func (s *Server) route(r *http.Request) (api.Reply, error) {
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
	return notFound(), nil
}

// LoginHandler returns a handler of the two paths that a browser visits to log in,
// /oauth/authorize and /oauth/login. It can be mounted below any prefix that is
// stripped: its pages refer to each other by relative URLs.
func (s *Server) LoginHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply := notFound()
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

func notFound() api.Reply {
	return api.NewReply(http.StatusNotFound, "text/plain; charset=utf-8", nil, []byte("Not Found"))
}

// replyTo returns the answer to a request that failed. Outline derives the code from
// the status alone.
func replyTo(err error) api.Reply {
	e := api.ErrorOf(err)
	code := "server_error"
	switch e.Status {
	case http.StatusBadRequest:
		code = "invalid_request"
	case http.StatusUnauthorized:
		code = "invalid_client"
	}
	return api.JSONReply(e.Status, e.Header, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, cmp.Or(e.Message, http.StatusText(e.Status))})
}

// invalid returns the error of a request that is not possible.
func invalid(message string) error { return api.InvalidRequest(message) }

// fieldsOf reads the fields of a request, from a form or from JSON.
func fieldsOf(r *http.Request) (*api.Fields, error) {
	read, err := api.NewRequest(r)
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
	AccessPrefix  = "ol_at_"
	refreshPrefix = "ol_rt_"
	codePrefix    = "ol_ac_"
	secretPrefix  = "ol_sk_"
	managePrefix  = "ol_rat_"
)
