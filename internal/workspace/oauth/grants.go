package oauth

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"

	"outline-mcp/internal/workspace/api"
)

// How long codes and tokens are valid, Outline's defaults.
const (
	codeLifetime    = 5 * time.Minute
	refreshLifetime = 30 * 24 * time.Hour
)

const (
	// reuseGrace is the time after its use in which a refresh token that is
	// used again is refused, but does no harm: the answer may have been lost.
	reuseGrace = 10 * time.Second

	// activity is the time in which the use of a token is recorded once.
	activity = 5 * time.Minute

	maxCodes  = 10_000 // beyond it, the oldest code is forgotten
	maxGrants = 50_000 // beyond it, the oldest pair of tokens is forgotten
)

// A Grant is a pair of tokens.
type Grant struct {
	ID         string // a UUID
	UserID     string
	Scopes     []string // not nil
	LastActive time.Time
	Created    time.Time

	family          string // the pairs that descend from the same code
	client          string // the ID of its record
	access, refresh string
	expires         time.Time // the access token
	refreshExpires  time.Time
	revoked         time.Time // zero for a live pair
}

// grants holds pairs of tokens in the order of creation. Revoked ones are kept until
// they expire, to detect that their refresh token is used again.
type grants struct {
	list      []*Grant
	byAccess  map[string]*Grant // live ones
	byRefresh map[string]*Grant
}

// issue stores a new pair of tokens; family is "" for a new one.
func (s *Server) issue(userID, client, family string, scopes []string) *Grant {
	now := s.options.Now()
	if family == "" {
		family = uuid.NewString()
	}
	if scopes == nil {
		scopes = []string{}
	}
	g := &Grant{
		ID: uuid.NewString(), UserID: userID, Scopes: scopes, Created: now,
		family: family, client: client, access: newToken(AccessPrefix), refresh: newToken(refreshPrefix),
		expires: now.Add(s.options.TokenLifetime), refreshExpires: now.Add(refreshLifetime),
	}
	all := &s.grants
	if all.byAccess == nil {
		all.byAccess, all.byRefresh = make(map[string]*Grant), make(map[string]*Grant)
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
func (g *grants) end(pair *Grant, now time.Time) {
	if pair.revoked.IsZero() {
		pair.revoked = now
		delete(g.byAccess, pair.access)
	}
}

// endAll revokes the pairs that fit.
func (g *grants) endAll(now time.Time, fits func(*Grant) bool) {
	for _, pair := range g.list {
		if fits(pair) {
			g.end(pair, now)
		}
	}
}

// drop forgets the pairs that fit.
func (g *grants) drop(fits func(*Grant) bool) {
	g.list = slices.DeleteFunc(g.list, func(pair *Grant) bool {
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
	return g.UserID, g.Scopes, nil
}

// Used records that an access token was used within its scopes.
func (s *Server) Used(access string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.grants.byAccess[access]
	now := s.options.Now()
	if !ok || now.Sub(g.LastActive) <= activity {
		return
	}
	g.LastActive = now
	if c := s.clients.byID(g.client); c != nil && now.Sub(c.LastActive) > activity {
		c.LastActive = now
	}
}

// An Authorization is what a person has granted to a client.
type Authorization struct {
	Grant
	Client Client
}

// Authorizations returns what a person has granted, one entry for each client and
// set of scopes: the pair of tokens used last. They are ordered by client and scopes,
// as recorded.
func (s *Server) Authorizations(userID string) []Authorization {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Authorization
	for _, g := range s.grants.list {
		if g.UserID != userID || !g.revoked.IsZero() {
			continue
		}
		if c := s.clients.byID(g.client); c != nil {
			list = append(list, Authorization{*g, *c})
		}
	}
	order := func(a, b Authorization) int {
		if c := strings.Compare(a.Client.ID, b.Client.ID); c != 0 {
			return c
		}
		return slices.Compare(a.Scopes, b.Scopes)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return cmp.Or(order(a, b), b.LastActive.Compare(a.LastActive)) < 0
	})
	return slices.CompactFunc(list, func(a, b Authorization) bool { return order(a, b) == 0 })
}

// Withdraw revokes what a person has granted to the client with the ID of its
// record; scopes that are not nil restrict it to grants of just these.
func (s *Server) Withdraw(userID, client string, scopes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants.endAll(s.options.Now(), func(g *Grant) bool {
		return g.UserID == userID && g.client == client && (scopes == nil || slices.Equal(g.Scopes, scopes))
	})
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

// codes holds the codes that were not used, in the order of creation.
type codes struct{ list []*code }

// save stores a new code.
func (s *Server) save(c code) *code {
	now := s.options.Now()
	c.value, c.expires = newToken(codePrefix), now.Add(codeLifetime)
	// An expired code is kept for a while because its answer differs from that to an
	// unknown one.
	for len(s.codes.list) > 0 && (len(s.codes.list) >= maxCodes || now.Sub(s.codes.list[0].expires) > time.Hour) {
		s.codes.list[0] = nil
		s.codes.list = s.codes.list[1:]
	}
	s.codes.list = append(s.codes.list, &c)
	return &c
}

// take returns a code, which can be taken once, or nil.
func (c *codes) take(value string) *code {
	i := slices.IndexFunc(c.list, func(c *code) bool { return c.value == value })
	if i < 0 {
		return nil
	}
	taken := c.list[i]
	c.list = slices.Delete(c.list, i, i+1)
	return taken
}

func (c *codes) drop(fits func(*code) bool) { c.list = slices.DeleteFunc(c.list, fits) }
