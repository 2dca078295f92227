package oauth

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/oauth2"
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
	default:
		unsupported := invalidRequest(BadRequest, "grant_type must be authorization_code or refresh_token")
		if given.get("grant_type") != "" {
			unsupported.code = "unsupported_grant_type"
		}
		err = unsupported
	}
	if isGrantProblem(err) && !s.isKnown(given.get("client_id")) {
		err = invalidClient() // the client needs a new ID before it sends the person here again
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
	if wait := s.refusedCodes.acquire("", s.options.Now()); wait > 0 {
		return tokens{}, tooManyCodes(wait)
	}
	got, err := s.outline.exchange(ctx, c.Code, c.Verifier)
	if !isGrantProblem(err) {
		s.refusedCodes.release("")
	}
	if err != nil {
		return tokens{}, err
	}
	subject, err := s.outline.person(ctx, got.AccessToken)
	if err != nil {
		_ = s.outline.revoke(ctx, got.AccessToken) // nobody gets it, and it expires
		return tokens{}, err
	}
	return s.issue(token{Client: c.Client, Subject: subject, Scope: c.Scope}, got, c.Scope), nil
}
