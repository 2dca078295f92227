package fakeoutline

import (
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// token answers a request for tokens.
func (s *oauthServer) token(r *http.Request) (apiReply, error) {
	_, get, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/x-www-form-urlencoded" {
		return apiReply{}, errRequest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client, err := s.authenticate(r, get)
	if err != nil {
		return apiReply{}, err
	}
	var pair *tokenPair
	switch get("grant_type") {
	case "authorization_code":
		pair, err = s.exchange(client, get)
	case "refresh_token":
		pair, err = s.refresh(client, get)
	default:
		err = errRequest
	}
	if err != nil {
		return apiReply{}, err
	}
	return apiJSONReply(http.StatusOK, http.Header{"Cache-Control": {"no-store"}, "Pragma": {"no-cache"}}, struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Expires int    `json:"expires_in"`
		Type    string `json:"token_type"`
		Scope   string `json:"scope"`
	}{pair.access, pair.refresh, int(s.lifetime.Seconds()), "Bearer", strings.Join(pair.scopes, " ")}), nil
}

// authenticate returns the client of a request for tokens. It needs no secret if it is
// public and refreshes, or if it redeems a code with a verifier, even a confidential one. A
// wrong secret is refused even so.
func (s *oauthServer) authenticate(r *http.Request, get func(string) string) (*oauthClient, error) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = get("client_id"), get("client_secret")
	}
	client := s.client(id)
	switch {
	case client == nil, secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(client.Secret)) == 0:
		return nil, errClient
	case secret != "", get("grant_type") == "refresh_token" && client.Public, get("grant_type") == "authorization_code" && get("code_verifier") != "":
		return client, nil
	}
	return nil, errClient
}

// exchange redeems a code. Whatever comes of it, the code is used up.
func (s *oauthServer) exchange(client *oauthClient, get func(string) string) (*tokenPair, error) {
	code, verifier := s.take(get("code")), get("code_verifier")
	switch {
	case code == nil, code.client != client.ID, !s.store.now().Before(code.expires), get("redirect_uri") != code.redirect,
		code.challenge == "" && verifier != "", code.challenge != "" && challengeOf(verifier) != code.challenge:
		return nil, errGrant
	}
	return s.issue(code.userID, client.ID, "", code.scopes), nil
}

// refresh replaces a pair of tokens. The old access token ends at once.
func (s *oauthServer) refresh(client *oauthClient, get func(string) string) (*tokenPair, error) {
	now := s.store.now()
	pair, ok := s.grants.byRefresh[get("refresh_token")]
	switch {
	case !ok, pair.client != client.ID, now.After(pair.refreshExpires):
		return nil, errGrant
	case !pair.revoked.IsZero():
		if s.store.features.reuse && now.Sub(pair.revoked) > reuseGrace {
			s.grants.endAll(now, func(g *tokenPair) bool { return g.family == pair.family })
		}
		return nil, errGrant
	}
	s.grants.end(pair, now)
	scopes := pair.scopes
	if asked := strings.Fields(get("scope")); len(asked) > 0 {
		for _, scope := range asked {
			if !slices.Contains(scopes, scope) {
				return nil, errRequest
			}
		}
		scopes = asked
	}
	return s.issue(pair.userID, client.ID, pair.family, scopes), nil
}

// revoke ends the pair of a token of either kind. It succeeds for any token.
func (s *oauthServer) revoke(r *http.Request) (apiReply, error) {
	_, get, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	token := get("token")
	if token == "" {
		return apiReply{}, errRequest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := s.grants.byAccess[token]
	if pair == nil {
		pair = s.grants.byRefresh[token]
	}
	if pair != nil {
		s.grants.end(pair, s.store.now())
	}
	return apiJSONReply(http.StatusOK, nil, struct {
		Success bool `json:"success"`
	}{true}), nil
}

// How long codes and tokens are valid, Outline's defaults.
const (
	codeLifetime    = 5 * time.Minute
	refreshLifetime = 30 * 24 * time.Hour
)

// reuseGrace is the time after its use in which a refresh token that is used again is
// refused, but does no harm: the answer may have been lost.
const reuseGrace = 10 * time.Second

const (
	maxCodes  = 10_000 // beyond it, the oldest code is forgotten
	maxGrants = 50_000 // beyond it, the oldest pair of tokens is forgotten
)

// A tokenPair is a pair of tokens.
type tokenPair struct {
	userID          string
	scopes          []string // not nil
	family          string   // the pairs that descend from the same code
	client          string   // the ID of its record
	access, refresh string
	expires         time.Time // the access token
	refreshExpires  time.Time
	revoked         time.Time // zero for a live pair
}

// tokenPairs holds pairs of tokens in the order of creation. Revoked ones are kept until
// they expire, to detect that their refresh token is used again.
type tokenPairs struct {
	list      []*tokenPair
	byAccess  map[string]*tokenPair // live ones
	byRefresh map[string]*tokenPair
}

// issue stores a new pair of tokens; family is "" for a new one.
func (s *oauthServer) issue(userID, client, family string, scopes []string) *tokenPair {
	now := s.store.now()
	if family == "" {
		family = uuid.NewString()
	}
	if scopes == nil {
		scopes = []string{}
	}
	g := &tokenPair{
		userID: userID, scopes: scopes,
		family: family, client: client, access: newToken(accessPrefix), refresh: newToken(refreshPrefix),
		expires: now.Add(s.lifetime), refreshExpires: now.Add(refreshLifetime),
	}
	all := &s.grants
	if all.byAccess == nil {
		all.byAccess, all.byRefresh = make(map[string]*tokenPair), make(map[string]*tokenPair)
	}
	for len(all.list) > 0 && (len(all.list) >= maxGrants || now.After(all.list[0].refreshExpires)) {
		delete(all.byAccess, all.list[0].access)
		delete(all.byRefresh, all.list[0].refresh)
		all.list[0] = nil
		all.list = all.list[1:]
	}
	all.list = append(all.list, g)
	all.byAccess[g.access], all.byRefresh[g.refresh] = g, g
	return g
}

// end revokes a pair of tokens.
func (g *tokenPairs) end(pair *tokenPair, now time.Time) {
	if pair.revoked.IsZero() {
		pair.revoked = now
		delete(g.byAccess, pair.access)
	}
}

// endAll revokes the pairs that fit.
func (g *tokenPairs) endAll(now time.Time, fits func(*tokenPair) bool) {
	for _, pair := range g.list {
		if fits(pair) {
			g.end(pair, now)
		}
	}
}

// drop forgets the pairs that fit.
func (g *tokenPairs) drop(fits func(*tokenPair) bool) {
	g.list = slices.DeleteFunc(g.list, func(pair *tokenPair) bool {
		if !fits(pair) {
			return false
		}
		delete(g.byAccess, pair.access)
		delete(g.byRefresh, pair.refresh)
		return true
	})
}

// Access returns the user and the scopes of an access token. Its errors are those of
// the API.
func (s *oauthServer) Access(access string) (userID string, scopes []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.grants.byAccess[access]
	switch {
	case !ok:
		return "", nil, apiUnauthorized("Invalid access token")
	case !s.store.now().Before(g.expires):
		return "", nil, apiUnauthorized("Access token is expired")
	}
	return g.userID, g.scopes, nil
}

// Used records that an access token was used within its scopes.
func (s *oauthServer) Used(access string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.grants.byAccess[access]; ok {
		if c := s.client(g.client); c != nil {
			c.LastActive = s.store.now()
		}
	}
}

// An authorizationCode is an authorization code.
type authorizationCode struct {
	value     string
	userID    string
	client    string // the ID of its record
	redirect  string
	scopes    []string
	challenge string // of PKCE, always S256; "" for none
	expires   time.Time
}

// save stores a new code.
func (s *oauthServer) save(c authorizationCode) *authorizationCode {
	now := s.store.now()
	c.value, c.expires = newToken(codePrefix), now.Add(codeLifetime)
	for len(s.codes) > 0 && (len(s.codes) >= maxCodes || now.After(s.codes[0].expires)) {
		s.codes[0] = nil
		s.codes = s.codes[1:]
	}
	s.codes = append(s.codes, &c)
	return &c
}

// take returns a code, which can be taken once, or nil.
func (s *oauthServer) take(value string) *authorizationCode {
	i := slices.IndexFunc(s.codes, func(c *authorizationCode) bool { return c.value == value })
	if i < 0 {
		return nil
	}
	taken := s.codes[i]
	s.codes = slices.Delete(s.codes, i, i+1)
	return taken
}
