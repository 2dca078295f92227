package oauth

import (
	"net/http"
	"strings"
)

// revoke voids the grant of an access token or a refresh token (RFC 7009). Outline then
// refuses both; a token that this server does not know is no error.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	given, problem := form(w, r)
	if problem != nil {
		s.fail(w, r, problem)
		return
	}
	sealed := given.get("token")
	if sealed == "" {
		s.fail(w, r, invalidRequest(BadRequest, "token is missing"))
		return
	}
	kind := s.values.access
	if strings.HasPrefix(sealed, refreshPrefix) {
		kind = s.values.refresh
	}
	grant, err := kind.open(sealed)
	if err != nil && grant.Token == "" { // an expired one is revoked: its refresh token may not have expired
		w.WriteHeader(http.StatusOK)
		return
	}
	if clientID := given.get("client_id"); clientID != "" && !equal(grant.Client, markOf(clientID)) {
		s.fail(w, r, invalidGrant(BadGrant, "token belongs to another client"))
		return
	}
	if err := s.outline.revoke(r.Context(), grant.Token); err != nil {
		s.fail(w, r, err)
		return
	}
	s.did(r, Revoked, grant.Subject)
	w.WriteHeader(http.StatusOK)
}
