package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/fakeoutline/api"
)

// An authorization is what an application asks for at the authorization endpoint.
type authorization struct {
	client    Client
	redirect  string
	state     string
	scopes    []string
	challenge string
}

// authorize answers the click on Authorize: it sends the person back to the
// application with a code.
func (s *Server) authorize(r *http.Request) (api.Reply, error) {
	form, err := fieldsOf(r)
	if err != nil {
		return api.Reply{}, err
	}
	person, err := s.caller(r, form)
	if err != nil {
		return api.Reply{}, err
	}
	get := func(name string) string { text, _ := form.Values[name].(string); return text }
	asked, err := s.asked(get)
	if err != nil {
		return api.Reply{}, err
	}
	if get("decision") == "cancel" {
		// Outline's page does this in the browser, without the state.
		return api.Redirection(withQuery(asked.redirect, url.Values{"error": {"access_denied"}})), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := s.save(code{
		userID: person.ID, client: asked.client.ID, redirect: asked.redirect, scopes: asked.scopes, challenge: asked.challenge,
	})
	return api.Redirection(withQuery(asked.redirect, url.Values{"code": {code.value}, "state": {asked.state}})), nil
}

// asked reads what an application asks for, in Outline's order of checks.
func (s *Server) asked(get func(name string) string) (authorization, error) {
	a := authorization{redirect: get("redirect_uri"), state: get("state"), challenge: get("code_challenge")}
	id := get("client_id")
	if id == "" {
		return a, invalid("Missing client_id")
	}
	client, ok := s.Client(id)
	if !ok {
		return a, api.Forbidden()
	}
	a.client = client
	if a.redirect == "" && len(client.Redirects) > 0 {
		a.redirect = client.Redirects[0]
	}
	if !a.client.Allows(a.redirect) {
		return a, invalid("Invalid client: `redirect_uri` does not match client value")
	}
	if a.state == "" {
		return a, invalid("Missing parameter: `state`")
	}
	a.scopes = strings.Fields(get("scope"))
	for _, scope := range a.scopes {
		if !validScope(scope) {
			return a, invalid("Invalid scope: Requested scope is invalid")
		}
	}
	switch kind := get("response_type"); {
	case kind == "": // assumed
		return a, invalid("Missing parameter: `response_type`")
	case kind != "code":
		return a, invalid("Unsupported response type: `response_type` is not supported")
	}
	switch method := get("code_challenge_method"); {
	case a.challenge == "":
	case !isVerifier(a.challenge): // assumed
		return a, invalid("Invalid request: `code_challenge` is invalid")
	case method == "" || method == "plain": // assumed for ""
		return a, invalid("Invalid request: `code_challenge_method` \"plain\" is not allowed; use \"S256\"")
	case method != "S256": // assumed
		return a, invalid("Invalid request: transform algorithm '" + method + "' not supported")
	}
	return a, nil
}

// validScope reports whether Outline grants a scope to an application: an access level
// for everything or for a namespace, or a route, of which one half may be "*".
func validScope(scope string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	isName := func(s string) bool { return s != "" && strings.Trim(s, letters) == "" }
	if route, ok := strings.CutPrefix(scope, "/api/"); ok {
		namespace, method, _ := strings.Cut(route, ".")
		return route != "*.*" && (namespace == "*" || isName(namespace)) && (method == "*" || isName(method))
	}
	namespace, level, found := strings.Cut(scope, ":")
	if !found {
		level = scope
	} else if !isName(namespace) {
		return false
	}
	return level == "read" || level == "write" || level == "create"
}

// isVerifier reports whether a text has the form of a code verifier or challenge (RFC
// 7636, section 4).
func isVerifier(text string) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return len(text) >= 43 && len(text) <= 128 && strings.Trim(text, unreserved) == ""
}

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// withQuery adds parameters to a redirect URI. The code comes before the state, as
// in Outline.
func withQuery(redirect string, add url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // not reached: only URIs that can be parsed are followed
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += add.Encode()
	return u.String()
}
