package oauth

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"outline-mcp/outline/expiring"
)

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
	scope, problem := narrowed(grant.Scope, given.get("scope"))
	if problem != nil {
		return tokens{}, problem
	}
	got, err := s.renewals.renew(ctx, grant.Token, s.outline.renew)
	if err != nil {
		return tokens{}, err
	}
	return s.issue(grant, got, scope), nil
}

// narrowed returns the scope of an access token for a refresh with a scope parameter,
// which must not ask for more than the grant has (RFC 6749, section 6).
func narrowed(granted Scope, asked string) (Scope, *problem) {
	names := strings.Fields(asked)
	switch {
	case slices.Contains(names, "write") && !granted.Writes():
		p := invalidRequest(BadRequest, "scope asks for more than was granted")
		p.code = "invalid_scope"
		return "", p
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

func newRenewals(now func() time.Time) *renewals {
	return &renewals{kept: expiring.Map[renewal, *oauth2.Token]{Most: maxRenewed, Now: now}}
}

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
