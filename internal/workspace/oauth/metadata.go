package oauth

import (
	"net/http"
	"strings"

	"outline-mcp/internal/workspace/api"
)

// metadata answers the descriptions of the authorization server (RFC 8414) and of
// Outline's own MCP endpoint as a protected resource (RFC 9728). The second, and the
// registration endpoint in the first, are there if MCP is on.
func (s *Server) metadata(r *http.Request) api.Reply {
	_, mcp := s.options.Team()
	mcp = mcp && s.options.Registration
	origin := api.Origin(r)
	switch name, found := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/mcp"), wellKnown); {
	case found && name == "oauth-authorization-server":
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
			document.Revocation = origin + revokePath
		}
		if mcp {
			document.Registration = origin + registerPath
		}
		return api.JSONReply(http.StatusOK, nil, document)
	case found && name == "oauth-protected-resource" && mcp:
		return api.JSONReply(http.StatusOK, nil, struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
			Methods  []string `json:"bearer_methods_supported"`
		}{origin + "/mcp", []string{origin}, []string{"read", "write"}, []string{"header"}})
	}
	return notFound()
}

// grantTypes returns the ways to get tokens.
func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }
