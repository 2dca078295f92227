package oauth

import (
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"

	"outline-mcp/internal/workspace/api"
)

// token answers a request for tokens. The checks and their order are those of Outline
// and of its library.
func (s *Server) token(r *http.Request) (api.Reply, error) {
	form, err := fieldsOf(r)
	if err != nil {
		return api.Reply{}, err
	}
	grantType := required(form, "grant_type")
	if form.Err != nil {
		return api.Reply{}, form.Err
	}
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
	case !IsURL(redirect):
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
	revoked := required(form, "token")
	if form.Err != nil {
		return api.Reply{}, form.Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := s.grants.byAccess[revoked]
	if pair == nil {
		pair = s.grants.byRefresh[revoked]
	}
	if pair != nil {
		s.grants.end(pair, s.options.Now())
	}
	return api.JSONReply(http.StatusOK, nil, struct {
		Success bool `json:"success"`
	}{true}), nil
}
