package oauth

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"outline-mcp/internal/workspace/api"
)

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
