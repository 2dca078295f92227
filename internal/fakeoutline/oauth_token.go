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

// token answers a request for tokens. The checks and their order are those of Outline
// and of its library.
func (s *oauthServer) token(r *http.Request) (apiReply, error) {
	form, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	var in struct {
		GrantType string `in:"grant_type,required"`
	}
	if err := form.Decode(&in); err != nil {
		return apiReply{}, err
	}
	grantType := in.GrantType
	get := func(name string) string { text, _ := form.Values[name].(string); return text }
	s.mu.Lock()
	defer s.mu.Unlock()
	if grantType == "refresh_token" && get("client_secret") == "" {
		if err := s.checkPublic(get); err != nil {
			return apiReply{}, err
		}
	}
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/x-www-form-urlencoded" {
		return apiReply{}, oauthInvalid("Invalid request: content must be application/x-www-form-urlencoded")
	}
	client, err := s.authenticate(r, get)
	if err != nil {
		return apiReply{}, err
	}
	var pair *tokenPair
	switch grantType {
	case "authorization_code":
		pair, err = s.exchange(client, get)
	case "refresh_token":
		pair, err = s.refresh(client, get)
	case "client_credentials", "password":
		err = oauthInvalid("Unauthorized client: `grant_type` is invalid")
	default: // assumed
		err = oauthInvalid("Unsupported grant type: `grant_type` is invalid")
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
	}{pair.access, pair.refresh, int(s.options.TokenLifetime.Seconds()), "Bearer", strings.Join(pair.scopes, " ")}), nil
}

// checkPublic checks a request to refresh that has no secret in its form. Assumed:
// the same holds with a secret in the Authorization header.
func (s *oauthServer) checkPublic(get func(string) string) error {
	switch {
	case get("refresh_token") == "":
		return oauthInvalid("Missing refresh_token for refresh_token grant type")
	case get("client_id") == "":
		return oauthInvalid("Missing client_id for refresh_token grant type")
	}
	switch client := s.client(get("client_id")); {
	case client == nil:
		return oauthInvalid("Invalid client_id")
	case !client.Public:
		return oauthInvalid("Missing client_secret for confidential client")
	}
	return nil
}

// authenticate returns the client of a request for tokens. A client needs no secret
// if it redeems a code with a verifier, even a confidential one, and a wrong secret
// is refused even so.
func (s *oauthServer) authenticate(r *http.Request, get func(string) string) (*oauthClient, error) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = get("client_id"), get("client_secret")
		verified := get("grant_type") == "authorization_code" && isVerifier(get("code_verifier"))
		if id == "" || secret == "" && !verified && get("grant_type") != "refresh_token" {
			return nil, oauthInvalid("Invalid client: cannot retrieve client credentials")
		}
	}
	client := s.client(id)
	if client == nil || secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(client.Secret)) == 0 {
		if r.Header.Get("Authorization") != "" { // assumed
			e := apiErrorOf(apiUnauthorized("Invalid client: client is invalid"))
			e.Header = http.Header{"Www-Authenticate": {`Basic realm="Service"`}}
			return nil, e
		}
		return nil, oauthInvalid("Invalid client: client is invalid")
	}
	return client, nil
}

// exchange redeems a code. Whatever comes of it, the code is used up; recorded is that
// for a wrong verifier.
func (s *oauthServer) exchange(client *oauthClient, get func(string) string) (*tokenPair, error) {
	if get("code") == "" {
		return nil, oauthInvalid("Missing parameter: `code`")
	}
	code := s.take(get("code"))
	verifier, redirect := get("code_verifier"), get("redirect_uri")
	switch {
	case code == nil, code.client != client.ID:
		return nil, oauthInvalid("Invalid grant: authorization code is invalid")
	case !s.options.Now().Before(code.expires):
		return nil, oauthInvalid("Invalid grant: authorization code has expired")
	case code.challenge != "" && verifier == "":
		return nil, oauthInvalid("Missing parameter: `code_verifier`")
	case code.challenge != "" && challengeOf(verifier) != code.challenge, code.challenge == "" && verifier != "": // the second is assumed
		return nil, oauthInvalid("Invalid grant: code verifier is invalid")
	case !isURL(redirect):
		return nil, oauthInvalid("Invalid request: `redirect_uri` is not a valid URI")
	case redirect != code.redirect:
		return nil, oauthInvalid("Invalid request: `redirect_uri` is invalid")
	}
	return s.issue(code.userID, client.ID, "", code.scopes), nil
}

// refresh replaces a pair of tokens. The old access token ends at once. Assumed: so
// does the pair if more scopes are asked for than it has, which is refused.
func (s *oauthServer) refresh(client *oauthClient, get func(string) string) (*tokenPair, error) {
	refresh, now := get("refresh_token"), s.options.Now()
	if refresh == "" {
		return nil, oauthInvalid("Missing parameter: `refresh_token`")
	}
	pair, ok := s.grants.byRefresh[refresh]
	switch {
	case !ok:
		return nil, oauthInvalid("Invalid grant: refresh token is invalid")
	case !pair.revoked.IsZero():
		if s.options.DetectReuse && now.Sub(pair.revoked) > reuseGrace {
			s.grants.endAll(now, func(g *tokenPair) bool { return g.family == pair.family })
		}
		return nil, oauthInvalid("Invalid grant: refresh token is invalid")
	case pair.client != client.ID:
		return nil, oauthInvalid("Invalid grant: refresh token was issued to another client")
	case now.After(pair.refreshExpires): // assumed
		return nil, oauthInvalid("Invalid grant: refresh token has expired")
	}
	s.grants.end(pair, now)
	scopes := pair.scopes
	if asked := strings.Fields(get("scope")); len(asked) > 0 {
		for _, scope := range asked {
			if !slices.Contains(scopes, scope) {
				return nil, oauthInvalid("Invalid scope: Unable to add extra scopes")
			}
		}
		scopes = asked
	}
	return s.issue(pair.userID, client.ID, pair.family, scopes), nil
}

// revoke ends the pair of a token of either kind. It succeeds for any token.
func (s *oauthServer) revoke(r *http.Request) (apiReply, error) {
	form, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	var in struct {
		Token string `in:"token,required"`
	}
	if err := form.Decode(&in); err != nil {
		return apiReply{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := s.grants.byAccess[in.Token]
	if pair == nil {
		pair = s.grants.byRefresh[in.Token]
	}
	if pair != nil {
		s.grants.end(pair, s.options.Now())
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
	now := s.options.Now()
	if family == "" {
		family = uuid.NewString()
	}
	if scopes == nil {
		scopes = []string{}
	}
	g := &tokenPair{
		userID: userID, scopes: scopes,
		family: family, client: client, access: newToken(accessPrefix), refresh: newToken(refreshPrefix),
		expires: now.Add(s.options.TokenLifetime), refreshExpires: now.Add(refreshLifetime),
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
	case !s.options.Now().Before(g.expires):
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
			c.LastActive = s.options.Now()
		}
	}
}

// A authorizationCode is an authorization code.
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
	now := s.options.Now()
	c.value, c.expires = newToken(codePrefix), now.Add(codeLifetime)
	// An expired code is kept for a while because its answer differs from that to an
	// unknown one.
	for len(s.codes) > 0 && (len(s.codes) >= maxCodes || now.Sub(s.codes[0].expires) > time.Hour) {
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
