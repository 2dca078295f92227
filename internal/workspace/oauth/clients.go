package oauth

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// maxRegistered is the maximum number of clients that registered themselves. Beyond
// it, the oldest is forgotten.
const maxRegistered = 1000

// A Client is an application that asks for access in the name of a person.
type Client struct {
	ID          string // of the record, a UUID
	ClientID    string // as the application gives it
	Secret      string
	Name        string
	Description string
	Developer   string
	URL         string // of the developer
	AvatarURL   string
	Public      bool // has no use for its secret
	Published   bool
	Redirects   []string
	LastActive  time.Time // when one of its tokens was used; zero if none was
	Created     time.Time
	Updated     time.Time
	Registered  bool // the client registered itself
}

// client returns the client with an ID of its record or that it gives itself, or nil.
// The caller holds the server's lock.
func (s *Server) client(id string) *Client {
	if i := slices.IndexFunc(s.clients, func(c *Client) bool { return c.ID == id || c.ClientID == id }); i >= 0 {
		return s.clients[i]
	}
	return nil
}

// remove deletes a client with its codes and tokens. The caller holds the server's lock.
func (s *Server) remove(c *Client) {
	s.clients = slices.DeleteFunc(s.clients, func(other *Client) bool { return other == c })
	s.codes = slices.DeleteFunc(s.codes, func(code *code) bool { return code.client == c.ID })
	s.grants.drop(func(g *grant) bool { return g.client == c.ID })
}

// Add stores a client and returns it as stored. Empty IDs and secrets are generated.
func (s *Server) Add(c Client) Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ID = cmp.Or(c.ID, uuid.NewString())
	c.ClientID = cmp.Or(c.ClientID, strings.ToLower(rand.Text())[:20])
	c.Secret = cmp.Or(c.Secret, newToken(secretPrefix))
	c.Created = s.options.Now()
	c.Updated = c.Created
	if c.Registered && len(s.clients) >= maxRegistered {
		if i := slices.IndexFunc(s.clients, func(c *Client) bool { return c.Registered }); i >= 0 {
			s.remove(s.clients[i])
		}
	}
	s.clients = append(s.clients, &c)
	return c
}

// Clients returns the clients that admins have made, newest first.
func (s *Server) Clients() []Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Client
	for _, c := range slices.Backward(s.clients) {
		if !c.Registered {
			list = append(list, *c)
		}
	}
	return list
}

// Client returns the client with an ID of its record or that it gives itself.
func (s *Server) Client(id string) (Client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.client(id); c != nil {
		return *c, true
	}
	return Client{}, false
}

// RotateSecret gives a client a new secret. Its tokens remain valid.
func (s *Server) RotateSecret(id string) (Client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(id)
	if c == nil {
		return Client{}, false
	}
	c.Secret, c.Updated = newToken(secretPrefix), s.options.Now()
	return *c, true
}

// Remove deletes a client with its codes and tokens, and reports whether there was one.
func (s *Server) Remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(id)
	if c != nil {
		s.remove(c)
	}
	return c != nil
}

// Allows reports whether the client may be sent to a redirect URI: it is registered,
// letter for letter, and has none of the forms that Outline stores, but does not
// follow.
func (c *Client) Allows(redirect string) bool {
	if !slices.Contains(c.Redirects, redirect) || strings.ContainsAny(redirect, "#*") {
		return false
	}
	u, err := url.Parse(redirect)
	if err != nil || !IsURL(redirect) {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http":
		return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	case "javascript", "file", "vbscript", "data":
		return false
	}
	return true
}

// IsURL reports whether Outline takes a text for a URL.
func IsURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return false
	}
	return u.Host != "" || u.Scheme != "http" && u.Scheme != "https"
}
