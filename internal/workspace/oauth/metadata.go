package oauth

import (
	"net/http"
	"strings"

	"outline-mcp/internal/workspace/api"
)

// metadata answers with the description of the authorization server (RFC 8414).
func (s *Server) metadata(r *http.Request) api.Reply {
	if strings.TrimSuffix(r.URL.Path, "/mcp") != wellKnown+"oauth-authorization-server" {
		return notFound()
	}
	origin := api.Origin(r)
	document := struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Revocation    string   `json:"revocation_endpoint,omitempty"`
		Registration  string   `json:"registration_endpoint,omitempty"`
		ResponseTypes []string `json:"response_types_supported"`
		GrantTypes    []string `json:"grant_types_supported"`
		AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		Scopes        []string `json:"scopes_supported"`
	}{
		Issuer: origin, Authorization: origin + authorizePath, Token: origin + tokenPath,
		ResponseTypes: []string{"code"}, GrantTypes: grantTypes(), AuthMethods: []string{"client_secret_post", "none"},
		Challenges: []string{"S256"}, Scopes: []string{"read", "write"},
	}
	if s.options.Registration {
		document.Revocation, document.Registration = origin+revokePath, origin+registerPath
	}
	return api.JSONReply(http.StatusOK, nil, document)
}

// grantTypes returns the ways to get tokens.
func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }
