package oauth

import (
	"encoding/json"
	"net/http"
	"strings"
)

// describeResource answers with the metadata of the MCP endpoint (RFC 9728).
func (s *Server) describeResource() http.HandlerFunc {
	return document(map[string]any{
		"resource":                 s.resource,
		"resource_name":            "Outline",
		"authorization_servers":    []string{s.options.PublicURL},
		"scopes_supported":         s.offered(),
		"bearer_methods_supported": []string{"header"},
	})
}

// describeServer answers with the metadata of this authorization server (RFC 8414;
// RFC 9207 for iss, draft-ietf-oauth-client-id-metadata-document for client IDs that are
// URLs). Clients that have such an ID use it if the server says so; they register if it does
// not, so a server that knows the built-in documents only does not say so.
func (s *Server) describeServer() http.HandlerFunc {
	public := s.options.PublicURL
	return document(map[string]any{
		"issuer":                                         public,
		"authorization_endpoint":                         public + authorizePath,
		"token_endpoint":                                 public + tokenPath,
		"registration_endpoint":                          public + registerPath,
		"revocation_endpoint":                            public + revokePath,
		"scopes_supported":                               s.offered(),
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"revocation_endpoint_auth_methods_supported":     []string{"none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          s.options.Documents != nil && s.options.Documents.Fetches(),
		"protected_resources":                            []string{s.resource},
	})
}

// document answers with the same JSON always.
func document(content any) http.HandlerFunc {
	body, err := json.Marshal(content)
	if err != nil {
		panic(err) // texts, lists and booleans
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}
}

// Challenge returns the value of WWW-Authenticate (RFC 6750, section 3; RFC 9728,
// section 5.1) that tells a client where to log in and which scope to ask for. The code,
// such as invalid_token or insufficient_scope, and its description are left out if they
// are "", as they have to be if the request had no token.
func (s *Server) Challenge(scope Scope, code, description string) string {
	value := `Bearer resource_metadata="` + s.options.PublicURL + resourceMetadataPath + s.options.Path + `"`
	for _, p := range [...]struct{ name, value string }{{"scope", string(scope)}, {"error", code}, {"error_description", description}} {
		if p.value != "" {
			value += `, ` + p.name + `="` + strings.Map(quotable, p.value) + `"`
		}
	}
	return value
}

// quotable leaves out what an error_description must not contain (RFC 6750, section 3).
func quotable(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return -1
	}
	return r
}
