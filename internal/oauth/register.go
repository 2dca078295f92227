package oauth

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"outline-mcp/internal/oauth/client"
)

// maxClientID limits client IDs, which clients send in URLs, in bytes.
const maxClientID = 2048

// register answers a registration (RFC 7591). Nothing is stored: the client ID holds the
// registration.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if wait := s.registrations.acquire(s.options.Address(r), s.options.Now()); wait > 0 {
		s.fail(w, r, &problem{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many registrations; try again later",
			reason: Limited, retryAfter: strconv.Itoa(int(wait/time.Second) + 1)})
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
	id := s.values.client.seal(registered{s.expires(clientLifetime), registration.Name, registration.URI, registration.RedirectURIs})
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

// Registrations within a minute. They cost little and leave nothing behind, and all clients
// can have the address of one proxy, so the limits are there to stop floods only.
const (
	registrationsPerAddress = 60
	registrationsInAll      = 600
)

// A counter limits how often something happens in a minute, for each address and in all.
// The limit in all also limits its memory.
type counter struct {
	mu        sync.Mutex
	ends      time.Time // of the current minute
	total     int
	byAddress map[string]int
}

// acquire counts one more, or returns how long to wait if that would be too many.
func (c *counter) acquire(address string, now time.Time) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.ends) || c.ends.Sub(now) > time.Minute {
		c.ends, c.total, c.byAddress = now.Add(time.Minute), 0, map[string]int{}
	}
	if c.total >= registrationsInAll || c.byAddress[address] >= registrationsPerAddress {
		return c.ends.Sub(now)
	}
	c.total++
	c.byAddress[address]++
	return 0
}
