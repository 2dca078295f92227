package oauth

import (
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"outline-mcp/internal/fakeoutline/api"
)

// token answers a request for tokens. The checks and their order are those of Outline
// and of its library.
func (s *Server) token(r *http.Request) (api.Reply, error) {
	form, err := fieldsOf(r)
	if err != nil {
		return api.Reply{}, err
	}
	var in struct {
		GrantType string `in:"grant_type,required"`
	}
	if err := form.Decode(&in); err != nil {
		return api.Reply{}, err
	}
	grantType := in.GrantType
	get := func(name string) string { text, _ := form.Values[name].(string); return text }
	s.mu.Lock()
	defer s.mu.Unlock()
	if grantType == "refresh_token" && get("client_secret") == "" {
		if err := s.checkPublic(get); err != nil {
			return api.Reply{}, err
		}
	}
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/x-www-form-urlencoded" {
		return api.Reply{}, invalid("Invalid request: content must be application/x-www-form-urlencoded")
	}
	client, err := s.authenticate(r, get)
	if err != nil {
		return api.Reply{}, err
	}
	var pair *grant
	switch grantType {
	case "authorization_code":
		pair, err = s.exchange(client, get)
	case "refresh_token":
		pair, err = s.refresh(client, get)
	case "client_credentials", "password":
		err = invalid("Unauthorized client: `grant_type` is invalid")
	default: // assumed
		err = invalid("Unsupported grant type: `grant_type` is invalid")
	}
	if err != nil {
		return api.Reply{}, err
	}
	return api.JSONReply(http.StatusOK, http.Header{"Cache-Control": {"no-store"}, "Pragma": {"no-cache"}}, struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Expires int    `json:"expires_in"`
		Type    string `json:"token_type"`
		Scope   string `json:"scope"`
	}{pair.access, pair.refresh, int(s.options.TokenLifetime.Seconds()), "Bearer", strings.Join(pair.scopes, " ")}), nil
}

// checkPublic checks a request to refresh that has no secret in its form. Assumed:
// the same holds with a secret in the Authorization header.
func (s *Server) checkPublic(get func(string) string) error {
	switch {
	case get("refresh_token") == "":
		return invalid("Missing refresh_token for refresh_token grant type")
	case get("client_id") == "":
		return invalid("Missing client_id for refresh_token grant type")
	}
	switch client := s.client(get("client_id")); {
	case client == nil:
		return invalid("Invalid client_id")
	case !client.Public:
		return invalid("Missing client_secret for confidential client")
	}
	return nil
}

// authenticate returns the client of a request for tokens. A client needs no secret
// if it redeems a code with a verifier, even a confidential one, and a wrong secret
// is refused even so.
func (s *Server) authenticate(r *http.Request, get func(string) string) (*Client, error) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = get("client_id"), get("client_secret")
		verified := get("grant_type") == "authorization_code" && isVerifier(get("code_verifier"))
		if id == "" || secret == "" && !verified && get("grant_type") != "refresh_token" {
			return nil, invalid("Invalid client: cannot retrieve client credentials")
		}
	}
	client := s.client(id)
	if client == nil || secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(client.Secret)) == 0 {
		if r.Header.Get("Authorization") != "" { // assumed
			e := api.ErrorOf(api.Unauthorized("Invalid client: client is invalid"))
			e.Header = http.Header{"Www-Authenticate": {`Basic realm="Service"`}}
			return nil, e
		}
		return nil, invalid("Invalid client: client is invalid")
	}
	return client, nil
}

// exchange redeems a code. Whatever comes of it, the code is used up; recorded is that
// for a wrong verifier.
func (s *Server) exchange(client *Client, get func(string) string) (*grant, error) {
	if get("code") == "" {
		return nil, invalid("Missing parameter: `code`")
	}
	code := s.take(get("code"))
	verifier, redirect := get("code_verifier"), get("redirect_uri")
	switch {
	case code == nil, code.client != client.ID:
		return nil, invalid("Invalid grant: authorization code is invalid")
	case !s.options.Now().Before(code.expires):
		return nil, invalid("Invalid grant: authorization code has expired")
	case code.challenge != "" && verifier == "":
		return nil, invalid("Missing parameter: `code_verifier`")
	case code.challenge != "" && challengeOf(verifier) != code.challenge, code.challenge == "" && verifier != "": // the second is assumed
		return nil, invalid("Invalid grant: code verifier is invalid")
	case !api.IsURL(redirect):
		return nil, invalid("Invalid request: `redirect_uri` is not a valid URI")
	case redirect != code.redirect:
		return nil, invalid("Invalid request: `redirect_uri` is invalid")
	}
	return s.issue(code.userID, client.ID, "", code.scopes), nil
}

// refresh replaces a pair of tokens. The old access token ends at once. Assumed: so
// does the pair if more scopes are asked for than it has, which is refused.
func (s *Server) refresh(client *Client, get func(string) string) (*grant, error) {
	refresh, now := get("refresh_token"), s.options.Now()
	if refresh == "" {
		return nil, invalid("Missing parameter: `refresh_token`")
	}
	pair, ok := s.grants.byRefresh[refresh]
	switch {
	case !ok:
		return nil, invalid("Invalid grant: refresh token is invalid")
	case !pair.revoked.IsZero():
		if s.options.DetectReuse && now.Sub(pair.revoked) > reuseGrace {
			s.grants.endAll(now, func(g *grant) bool { return g.family == pair.family })
		}
		return nil, invalid("Invalid grant: refresh token is invalid")
	case pair.client != client.ID:
		return nil, invalid("Invalid grant: refresh token was issued to another client")
	case now.After(pair.refreshExpires): // assumed
		return nil, invalid("Invalid grant: refresh token has expired")
	}
	s.grants.end(pair, now)
	scopes := pair.scopes
	if asked := strings.Fields(get("scope")); len(asked) > 0 {
		for _, scope := range asked {
			if !slices.Contains(scopes, scope) {
				return nil, invalid("Invalid scope: Unable to add extra scopes")
			}
		}
		scopes = asked
	}
	return s.issue(pair.userID, client.ID, pair.family, scopes), nil
}

// revoke ends the pair of a token of either kind. It succeeds for any token.
func (s *Server) revoke(r *http.Request) (api.Reply, error) {
	form, err := fieldsOf(r)
	if err != nil {
		return api.Reply{}, err
	}
	var in struct {
		Token string `in:"token,required"`
	}
	if err := form.Decode(&in); err != nil {
		return api.Reply{}, err
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
	return api.JSONReply(http.StatusOK, nil, struct {
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

// A grant is a pair of tokens.
type grant struct {
	userID          string
	scopes          []string // not nil
	family          string   // the pairs that descend from the same code
	client          string   // the ID of its record
	access, refresh string
	expires         time.Time // the access token
	refreshExpires  time.Time
	revoked         time.Time // zero for a live pair
}

// grants holds pairs of tokens in the order of creation. Revoked ones are kept until
// they expire, to detect that their refresh token is used again.
type grants struct {
	list      []*grant
	byAccess  map[string]*grant // live ones
	byRefresh map[string]*grant
}

// issue stores a new pair of tokens; family is "" for a new one.
func (s *Server) issue(userID, client, family string, scopes []string) *grant {
	now := s.options.Now()
	if family == "" {
		family = uuid.NewString()
	}
	if scopes == nil {
		scopes = []string{}
	}
	g := &grant{
		userID: userID, scopes: scopes,
		family: family, client: client, access: newToken(AccessPrefix), refresh: newToken(refreshPrefix),
		expires: now.Add(s.options.TokenLifetime), refreshExpires: now.Add(refreshLifetime),
	}
	all := &s.grants
	if all.byAccess == nil {
		all.byAccess, all.byRefresh = make(map[string]*grant), make(map[string]*grant)
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
func (g *grants) end(pair *grant, now time.Time) {
	if pair.revoked.IsZero() {
		pair.revoked = now
		delete(g.byAccess, pair.access)
	}
}

// endAll revokes the pairs that fit.
func (g *grants) endAll(now time.Time, fits func(*grant) bool) {
	for _, pair := range g.list {
		if fits(pair) {
			g.end(pair, now)
		}
	}
}

// drop forgets the pairs that fit.
func (g *grants) drop(fits func(*grant) bool) {
	g.list = slices.DeleteFunc(g.list, func(pair *grant) bool {
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
func (s *Server) Access(access string) (userID string, scopes []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.grants.byAccess[access]
	switch {
	case !ok:
		return "", nil, api.Unauthorized("Invalid access token")
	case !s.options.Now().Before(g.expires):
		return "", nil, api.Unauthorized("Access token is expired")
	}
	return g.userID, g.scopes, nil
}

// Used records that an access token was used within its scopes.
func (s *Server) Used(access string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.grants.byAccess[access]; ok {
		if c := s.client(g.client); c != nil {
			c.LastActive = s.options.Now()
		}
	}
}

// A code is an authorization code.
type code struct {
	value     string
	userID    string
	client    string // the ID of its record
	redirect  string
	scopes    []string
	challenge string // of PKCE, always S256; "" for none
	expires   time.Time
}

// save stores a new code.
func (s *Server) save(c code) *code {
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
func (s *Server) take(value string) *code {
	i := slices.IndexFunc(s.codes, func(c *code) bool { return c.value == value })
	if i < 0 {
		return nil
	}
	taken := s.codes[i]
	s.codes = slices.Delete(s.codes, i, i+1)
	return taken
}
