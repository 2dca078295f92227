package fakeoutline

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// metadata answers with the description of the authorization server (RFC 8414).
func (s *oauthServer) metadata(r *http.Request) apiReply {
	if strings.TrimSuffix(r.URL.Path, "/mcp") != wellKnown+"oauth-authorization-server" {
		return oauthNotFound()
	}
	origin := apiOrigin(r)
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
	if s.store.features.registration {
		document.Revocation, document.Registration = origin+revokePath, origin+registerPath
	}
	return apiJSONReply(http.StatusOK, nil, document)
}

// grantTypes returns the ways to get tokens.
func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }

// maxRedirects is the maximum number of redirect URIs of a registration.
const maxRedirects = 10

// register answers a client that registers itself (RFC 7591).
func (s *oauthServer) register(r *http.Request) (apiReply, error) {
	c, err := readRegistration(r)
	if err != nil {
		return apiReply{}, err
	}
	c.Registered, c.manage = true, newToken(managePrefix)
	c = s.Add(c)
	shown := presentRegistration(c)
	shown.Token, shown.Management = c.manage, apiOrigin(r)+registerPath+"/"+c.ClientID
	return apiJSONReply(http.StatusCreated, nil, shown), nil
}

// manage answers a client that reads or deletes its registration (RFC 7592).
func (s *oauthServer) manage(r *http.Request) (apiReply, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(path.Base(r.URL.Path))
	switch {
	case c == nil || c.manage == "" || c.manage != token:
		return apiReply{}, apiUnauthorized("Invalid registration access token")
	case r.Method == http.MethodGet:
		return apiJSONReply(http.StatusOK, nil, presentRegistration(*c)), nil
	case r.Method == http.MethodDelete:
		s.remove(c)
		return newAPIReply(http.StatusNoContent, "", nil, nil), nil
	}
	return oauthNotFound(), nil
}

// readRegistration reads the metadata that a client sends of itself.
func readRegistration(r *http.Request) (oauthClient, error) {
	f, _, err := oauthFieldsOf(r)
	if err != nil {
		return oauthClient{}, err
	}
	var in struct {
		Name          string   `in:"client_name"`
		Redirects     []string `in:"redirect_uris,required,url"`
		GrantTypes    []string `in:"grant_types,one=authorization_code|refresh_token"`
		ResponseTypes []string `in:"response_types,one=code"`
		Method        string   `in:"token_endpoint_auth_method,one=none|client_secret_post"`
		URL           string   `in:"client_uri"`
		Logo          string   `in:"logo_uri"`
	}
	if err := f.Decode(&in); err != nil {
		return oauthClient{}, err
	}
	if len(in.Redirects) == 0 || len(in.Redirects) > maxRedirects {
		return oauthClient{}, errRequest
	}
	return oauthClient{
		Name: cmp.Or(in.Name, "Untitled application"), Redirects: in.Redirects, Public: in.Method != "client_secret_post", URL: in.URL, AvatarURL: in.Logo,
	}, nil
}

// registration is how the answers show a client.
type registration struct {
	ClientID      string   `json:"client_id"`
	Secret        string   `json:"client_secret,omitempty"`
	SecretExpires *int     `json:"client_secret_expires_at,omitempty"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Redirects     []string `json:"redirect_uris"`
	Name          string   `json:"client_name"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	URL           string   `json:"client_uri,omitempty"`
	Logo          string   `json:"logo_uri,omitempty"`
	Token         string   `json:"registration_access_token,omitempty"`
	Management    string   `json:"registration_client_uri,omitempty"`
}

func presentRegistration(c oauthClient) registration {
	shown := registration{
		ClientID: c.ClientID, IssuedAt: c.Created.Unix(), Redirects: c.Redirects, Name: c.Name,
		// Refresh tokens are issued, but not named.
		GrantTypes: []string{"authorization_code"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
		URL: c.URL, Logo: c.AvatarURL,
	}
	if !c.Public {
		shown.AuthMethod, shown.Secret = "client_secret_post", c.Secret
		shown.SecretExpires = new(int) // never
	}
	return shown
}

// maxRegistered is the maximum number of clients that registered themselves. Beyond
// it, the oldest is forgotten.
const maxRegistered = 1000

// An oauthClient is an application that asks for access in the name of a person.
type oauthClient struct {
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

	manage string // with which such a client manages its registration
}

// client returns the client with an ID of its record or that it gives itself, or nil.
// The caller holds the server's lock.
func (s *oauthServer) client(id string) *oauthClient {
	if i := slices.IndexFunc(s.clients, func(c *oauthClient) bool { return c.ID == id || c.ClientID == id }); i >= 0 {
		return s.clients[i]
	}
	return nil
}

// remove deletes a client with its codes and tokens. The caller holds the server's lock.
func (s *oauthServer) remove(c *oauthClient) {
	s.clients = slices.DeleteFunc(s.clients, func(other *oauthClient) bool { return other == c })
	s.codes = slices.DeleteFunc(s.codes, func(code *authorizationCode) bool { return code.client == c.ID })
	s.grants.drop(func(g *tokenPair) bool { return g.client == c.ID })
}

// Add stores a client and returns it as stored. Empty IDs and secrets are generated.
func (s *oauthServer) Add(c oauthClient) oauthClient {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ID = cmp.Or(c.ID, uuid.NewString())
	c.ClientID = cmp.Or(c.ClientID, strings.ToLower(rand.Text())[:20])
	c.Secret = cmp.Or(c.Secret, newToken(secretPrefix))
	c.Created = s.store.now()
	c.Updated = c.Created
	if c.Registered && len(s.clients) >= maxRegistered {
		if i := slices.IndexFunc(s.clients, func(c *oauthClient) bool { return c.Registered }); i >= 0 {
			s.remove(s.clients[i])
		}
	}
	s.clients = append(s.clients, &c)
	return c
}

// Clients returns the clients that admins have made, newest first.
func (s *oauthServer) Clients() []oauthClient {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []oauthClient
	for _, c := range slices.Backward(s.clients) {
		if !c.Registered {
			list = append(list, *c)
		}
	}
	return list
}

// Client returns the client with an ID of its record or that it gives itself.
func (s *oauthServer) Client(id string) (oauthClient, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.client(id); c != nil {
		return *c, true
	}
	return oauthClient{}, false
}

// Remove deletes a client with its codes and tokens, and reports whether there was one.
func (s *oauthServer) Remove(id string) bool {
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
func (c *oauthClient) Allows(redirect string) bool {
	u, err := url.Parse(redirect)
	if err != nil || !slices.Contains(c.Redirects, redirect) || !isURL(redirect) || strings.ContainsAny(redirect, "#*") {
		return false
	}
	switch u.Scheme {
	case "http":
		return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	case "javascript", "file", "vbscript", "data":
		return false
	}
	return true
}
