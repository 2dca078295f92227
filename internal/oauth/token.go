package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"outline-mcp/outline/expiring"
)

// token answers the token endpoint (RFC 6749, sections 4.1.3 and 6).
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	given, malformed := form(w, r)
	if malformed != nil {
		s.fail(w, r, malformed)
		return
	}
	var (
		got  tokens
		what EventKind
		err  error
	)
	switch given.get("grant_type") {
	case "authorization_code":
		what = LoggedIn
		got, err = s.redeem(r.Context(), given)
	case "refresh_token":
		what = Refreshed
		got, err = s.renew(r.Context(), given)
	case "":
		err = invalidRequest(BadRequest, "grant_type is missing")
	default:
		err = badRequest("unsupported_grant_type", BadRequest, "grant_type must be authorization_code or refresh_token")
	}
	if isGrantProblem(err) && !s.isKnown(given.get("client_id")) {
		err = invalidClient() // the client needs a new ID before it sends the user here again
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.did(r, what, got.subject)
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, got)
}

// tokens is the answer of the token endpoint (RFC 6749, section 5.1).
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int64  `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token,omitempty"`
	Scope   Scope  `json:"scope"`

	subject string
}

// issue seals Outline's tokens. The access token can have less scope than the grant.
func (s *Server) issue(grant token, got *oauth2.Token, scope Scope) tokens {
	lasts := lifetime(got)
	refresh, access := grant, grant
	refresh.expiry, refresh.Token = s.expires(refreshLifetime), got.RefreshToken
	access.expiry, access.Token, access.Scope = s.expires(lasts), got.AccessToken, scope
	issued := tokens{Access: s.values.access.seal(access), Type: "Bearer", Expires: int64(lasts / time.Second), Scope: scope, subject: grant.Subject}
	if got.RefreshToken != "" {
		issued.Refresh = s.values.refresh.seal(refresh)
	}
	return issued
}

// redeem exchanges a code for tokens. That it works once is up to Outline, which knows
// about all servers.
func (s *Server) redeem(ctx context.Context, given parameters) (tokens, error) {
	clientID := given.get("client_id")
	if !s.isKnown(clientID) {
		return tokens{}, invalidClient()
	}
	c, err := s.values.code.open(given.get("code"))
	switch {
	case err != nil:
		return tokens{}, invalidGrant(BadGrant, "code is unknown or has expired; log in again")
	case !equal(c.Client, markOf(clientID)):
		return tokens{}, invalidGrant(BadGrant, "code belongs to another client")
	case given.get("redirect_uri") != c.Redirect:
		return tokens{}, invalidGrant(BadRedirect, "redirect_uri is not the one of the authorization request")
	case !proves(given.get("code_verifier"), c.Challenge):
		return tokens{}, invalidGrant(BadChallenge, "code_verifier is missing or does not match code_challenge")
	case !s.isFor(given):
		return tokens{}, invalidTarget()
	}
	// A client that hangs up does not leave a grant behind of which nobody knows.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*outlineTimeout)
	defer cancel()
	registration := ""
	if strings.HasPrefix(clientID, clientPrefix) { // other IDs are those of many people
		registration = c.Client
	}
	wait, release := s.refusedCodes.acquire(s.options.Now(), c.Network, registration)
	if wait > 0 {
		return tokens{}, tooManyCodes(wait)
	}
	got, err := s.outline.exchange(ctx, c.Code, c.Verifier)
	if !isGrantProblem(err) {
		release()
	}
	if err != nil {
		return tokens{}, err
	}
	subject, err := s.outline.person(ctx, got.AccessToken)
	if err != nil {
		_ = s.outline.revoke(ctx, got.AccessToken) // nobody gets it, and it expires
		return tokens{}, err
	}
	s.refusedCodes.known.Set(c.Network, struct{}{}, refreshLifetime)
	return s.issue(token{Client: c.Client, Subject: subject, Scope: c.Scope}, got, c.Scope), nil
}

// A Grant is what a person has given an app: what an access token stands for.
type Grant struct {
	Subject string // the UUID of the user in Outline
	Scope   Scope
	Token   Token // for requests to Outline
	Expires time.Time
}

// A Token is a token of Outline. Printing it shows nothing of it.
type Token string

// Credential returns the token, so that a Token is a source of credentials.
func (t Token) Credential(context.Context) (string, error) { return string(t), nil }

// Format implements fmt.Formatter, for all verbs.
func (Token) Format(state fmt.State, _ rune) { fmt.Fprint(state, "****") }

// MarshalText implements encoding.TextMarshaler.
func (Token) MarshalText() ([]byte, error) { return []byte("****"), nil }

// Open returns what an access token stands for. It fails with ErrToken or ErrExpired.
// Whether Outline still accepts the token inside is not known before it is used.
func (s *Server) Open(accessToken string) (Grant, error) {
	t, err := s.values.access.open(accessToken)
	if err != nil {
		return Grant{}, err
	}
	return Grant{t.Subject, t.Scope, Token(t.Token), t.until()}, nil
}

// revoke voids the grant of an access token or a refresh token (RFC 7009). Outline then
// refuses both; a token that this server does not know is no error.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	given, problem := form(w, r)
	if problem != nil {
		s.fail(w, r, problem)
		return
	}
	sealed := given.get("token")
	if sealed == "" {
		s.fail(w, r, invalidRequest(BadRequest, "token is missing"))
		return
	}
	kind := s.values.access
	if strings.HasPrefix(sealed, refreshPrefix) {
		kind = s.values.refresh
	}
	grant, err := kind.open(sealed)
	if err != nil && grant.Token == "" { // an expired one is revoked: its refresh token may not have expired
		w.WriteHeader(http.StatusOK)
		return
	}
	if clientID := given.get("client_id"); clientID != "" && !equal(grant.Client, markOf(clientID)) {
		s.fail(w, r, invalidGrant(BadGrant, "token belongs to another client"))
		return
	}
	if err := s.outline.revoke(r.Context(), grant.Token); err != nil {
		s.fail(w, r, err)
		return
	}
	s.did(r, Revoked, grant.Subject)
	w.WriteHeader(http.StatusOK)
}

// maxClientID limits client IDs, which clients send in URLs, in bytes.
const maxClientID = 2048

// register answers a registration (RFC 7591). Nothing is stored: the client ID holds the
// registration.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if wait := s.registrations.acquire(s.options.Now(), s.options.Address(r)); wait > 0 {
		s.fail(w, r, &problem{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many registrations; try again later",
			reason: Limited, retryAfter: wait})
		return
	}
	content, refused := body(w, r, "application/json")
	if refused != nil {
		s.fail(w, r, refused)
		return
	}
	registration, err := ParseRegistration(content, Callback(s.options.PublicURL))
	if err != nil {
		s.fail(w, r, asProblem(err))
		return
	}
	now := s.options.Now()
	id := s.values.client.seal(registeredClient{s.expires(clientLifetime), registration.Name, registration.RedirectURIs})
	if len(id) > maxClientID {
		s.fail(w, r, asProblem(&ClientError{Code: InvalidClientMetadata, Description: "the name and the redirect URIs are too long together"}))
		return
	}
	s.options.Observe(Event{Kind: Registered})
	writeJSON(w, http.StatusCreated, registration.Information(id, now))
}

// asProblem returns the problem that an error of the package client is.
func asProblem(err error) *problem {
	if refused, ok := errors.AsType[*ClientError](err); ok {
		return &problem{status: http.StatusBadRequest, code: refused.Code, description: refused.Description, reason: BadClient}
	}
	return &problem{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "the client's metadata document cannot be fetched; try again later",
		reason: BadClient, retryAfter: retrySoon, cause: err}
}

// renew exchanges a refresh token for new tokens.
func (s *Server) renew(ctx context.Context, given parameters) (tokens, error) {
	clientID := given.get("client_id")
	// The token says which registration it is for. That may have ended, or been sealed with a
	// secret that is gone, without ending the login.
	if !strings.HasPrefix(clientID, clientPrefix) && !s.isKnown(clientID) {
		return tokens{}, invalidClient()
	}
	grant, err := s.values.refresh.open(given.get("refresh_token"))
	switch {
	case err != nil:
		return tokens{}, invalidGrant(BadGrant, "refresh_token is unknown or has expired; log in again")
	case !equal(grant.Client, markOf(clientID)):
		return tokens{}, invalidGrant(BadGrant, "refresh_token belongs to another client")
	case !s.isFor(given):
		return tokens{}, invalidTarget()
	}
	scope, problem := narrowerScope(grant.Scope, given.get("scope"))
	if problem != nil {
		return tokens{}, problem
	}
	got, err := s.renewals.renew(ctx, grant.Token, s.outline.renew)
	if err != nil {
		return tokens{}, err
	}
	return s.issue(grant, got, scope), nil
}

// narrowerScope returns the scope of an access token for a refresh with a scope parameter,
// which must not ask for more than the grant has (RFC 6749, section 6).
func narrowerScope(granted Scope, asked string) (Scope, *problem) {
	names := strings.Fields(asked)
	switch {
	case slices.Contains(names, "write") && !granted.Writes():
		return "", badRequest("invalid_scope", BadRequest, "scope asks for more than was granted")
	case slices.Contains(names, "read") && !slices.Contains(names, "write"):
		return Read, nil
	}
	return granted, nil
}

const (
	// keepRenewed is how long new tokens are kept for requests with the same refresh token.
	// Outline treats what comes later as theft, and voids the grant.
	keepRenewed = 10 * time.Second
	maxRenewed  = 4096 // how many answers are kept
)

// renewals lets many requests with the same refresh token, of a client with several
// connections or one that lost an answer, cause one request to Outline, which accepts the
// token once. Other servers with the same secret do not know of them.
type renewals struct {
	flights singleflight.Group
	kept    expiring.Map[renewal, *oauth2.Token]
}

type renewal [sha256.Size]byte // the hash of Outline's refresh token

// renew returns the new tokens for a refresh token of Outline, from Outline or from a
// request of the last seconds.
func (n *renewals) renew(ctx context.Context, refreshToken string, ask func(context.Context, string) (*oauth2.Token, error)) (*oauth2.Token, error) {
	id := renewal(sha256.Sum256([]byte(refreshToken)))
	got, err, _ := n.flights.Do(string(id[:]), func() (any, error) {
		if kept, ok := n.kept.Get(id); ok {
			return kept, nil
		}
		// Outline may have made new tokens even if the client hangs up, and the client
		// comes back for them.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*outlineTimeout)
		defer cancel()
		got, err := ask(ctx, refreshToken)
		if err != nil {
			return nil, err
		}
		n.kept.Set(id, got, keepRenewed)
		return got, nil
	})
	if err != nil {
		return nil, err
	}
	return got.(*oauth2.Token), nil
}
