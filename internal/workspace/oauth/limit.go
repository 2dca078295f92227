package oauth

import (
	"net/http"
	"strconv"
	"time"

	"outline-mcp/internal/workspace/api"
)

// Outline's limits in an hour for one address, or for one person who authorizes.
// Requests that fail count. That of authorize is in no recording.
const (
	tokensPerHour  = 100 // each of authorize, token and revoke
	ClientsPerHour = 5   // each of register and oauthClients.create
)

// maxWindows is the maximum number of addresses and people that are counted.
const maxWindows = 10_000

// limits counts requests by operation and by address or person.
type limits map[[2]string]*window

// A window is an hour that begins with the first request in it.
type window struct {
	ends  time.Time
	count int
}

// Limit counts a request to an operation, from an address or of a person. It returns an error if there
// were more than perHour in the hour, and the limits are enforced.
func (s *Server) Limit(operation, who string, perHour int) error {
	if !s.options.Limits {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	if len(s.limits) >= maxWindows {
		s.limits = nil
	}
	if s.limits == nil {
		s.limits = make(limits)
	}
	key := [2]string{operation, who}
	w := s.limits[key]
	if w == nil || !now.Before(w.ends) {
		w = &window{ends: now.Add(time.Hour)}
		s.limits[key] = w
	}
	w.count++
	if w.count <= perHour {
		return nil
	}
	left := strconv.Itoa(int((w.ends.Sub(now) + time.Second - 1) / time.Second))
	return &api.Error{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "Rate limit exceeded for this operation",
		Header: http.Header{
			"Retry-After": {left}, "Ratelimit-Limit": {strconv.Itoa(perHour)}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {left},
		},
	}
}
