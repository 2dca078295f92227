package oauth

import (
	"errors"
	"net/http"

	"outline-mcp/internal/oauth/client"
)

// maxClientID limits client IDs, which clients send in URLs, in bytes.
const maxClientID = 2048

// register answers a registration (RFC 7591). Nothing is stored: the client ID holds the
// registration.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if wait := s.registrations.acquire(s.options.Address(r), s.options.Now()); wait > 0 {
		s.fail(w, r, &problem{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many registrations; try again later",
			reason: Limited, retryAfter: seconds(wait)})
		return
	}
	content, refused := body(w, r, "application/json")
	if refused != nil {
		s.fail(w, r, refused)
		return
	}
	registration, err := client.ParseRegistration(content, Callback(s.options.PublicURL))
	if err != nil {
		s.fail(w, r, asProblem(err))
		return
	}
	now := s.options.Now()
	id := s.values.client.seal(registered{s.expires(clientLifetime), registration.Name, registration.RedirectURIs})
	if len(id) > maxClientID {
		s.fail(w, r, asProblem(&client.Error{Code: client.InvalidClientMetadata, Description: "the name and the redirect URIs are too long together"}))
		return
	}
	s.options.Observe(Event{Kind: Registered})
	writeJSON(w, http.StatusCreated, registration.Information(id, now))
}

// asProblem returns the problem that an error of the package client is.
func asProblem(err error) *problem {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return &problem{status: http.StatusBadRequest, code: refused.Code, description: refused.Description, reason: BadClient}
	}
	return &problem{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "the client's metadata document cannot be fetched; try again later",
		reason: BadClient, retryAfter: retrySoon, cause: err}
}
