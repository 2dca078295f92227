package oauth

import (
	"crypto/subtle"
	"net/http"

	"outline-mcp/internal/workspace/api"
)

// The limits of a registration. The recordings show that of redirect URIs; the others
// are assumed.
const (
	maxRedirects = 10
	maxName      = 100
	maxURL       = 255
)

// register answers a client that registers itself (RFC 7591).
func (s *Server) register(r *http.Request) (api.Reply, error) {
	if err := s.Limit("register", api.Remote(r), ClientsPerHour); err != nil {
		return api.Reply{}, err
	}
	if _, mcp := s.options.Team(); !mcp {
		return api.Reply{}, api.NotFound()
	}
	c, err := readRegistration(r)
	if err != nil {
		return api.Reply{}, err
	}
	c.registration = newToken(registrationPrefix)
	c = s.Add(c)
	return api.JSONReply(http.StatusCreated, nil, presentRegistration(r, c, c.Secret, c.registration)), nil
}

// readRegistration reads the metadata that a client sends of itself.
func readRegistration(r *http.Request) (Client, error) {
	f, err := fieldsOf(r)
	if err != nil {
		return Client{}, err
	}
	c := Client{Name: "Untitled application", Public: true}
	if f.Has("client_name") {
		c.Name = f.String("client_name")
	}
	c.Redirects = f.Strings("redirect_uris", IsURL, "Invalid URL")
	switch n := len(c.Redirects); {
	case !f.Has("redirect_uris"):
		f.Fail("redirect_uris", "Invalid input: expected array, received undefined")
	case n == 0:
		f.Fail("redirect_uris", "Too small: expected array to have >=1 items")
	case n > maxRedirects:
		f.Fail("redirect_uris", "Too big: expected array to have <=%d items", maxRedirects)
	}
	f.SomeOf("grant_types", grantTypes()...)
	f.SomeOf("response_types", "code")
	c.Public = f.OneOf("token_endpoint_auth_method", "none", "none", "client_secret_post") == "none"
	c.URL, c.AvatarURL = f.String("client_uri"), f.String("logo_uri")
	for _, name := range []string{"client_uri", "logo_uri"} {
		if text := f.String(name); text != "" && !IsURL(text) {
			f.Fail(name, "Invalid URL")
		}
	}
	if len(c.Name) > maxName {
		f.Fail("client_name", "Too big: expected string to have <=%d characters", maxName)
	}
	for _, text := range append([]string{c.URL, c.AvatarURL}, c.Redirects...) {
		if len(text) > maxURL {
			f.Fail("redirect_uris", "Too big: expected string to have <=%d characters", maxURL)
		}
	}
	return c, f.Err
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
	TokenURL      string   `json:"registration_client_uri,omitempty"`
}

// presentRegistration shows a client; an empty secret or token is left out.
func presentRegistration(r *http.Request, c Client, secret, token string) registration {
	shown := registration{
		ClientID: c.ClientID, IssuedAt: c.Created.Unix(), Redirects: c.Redirects, Name: c.Name,
		// Refresh tokens are issued, but not named.
		GrantTypes: []string{"authorization_code"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
		URL: c.URL, Logo: c.AvatarURL,
	}
	if !c.Public {
		shown.AuthMethod, shown.Secret = "client_secret_post", secret
		if secret != "" {
			shown.SecretExpires = new(int) // never
		}
	}
	if token != "" {
		shown.Token, shown.TokenURL = token, api.Origin(r)+registerPath+"/"+c.ClientID
	}
	return shown
}

// manage answers a client that reads, changes or deletes its registration (RFC 7592).
func (s *Server) manage(r *http.Request, clientID string) (api.Reply, error) {
	c, found := s.Client(clientID)
	given := api.Bearer(r.Header)
	if !found || !c.Registered() || subtle.ConstantTimeCompare([]byte(given), []byte(c.registration)) == 0 {
		return api.Reply{}, api.Unauthorized("Invalid registration access token")
	}
	switch r.Method {
	case http.MethodGet:
		return api.JSONReply(http.StatusOK, nil, presentRegistration(r, c, "", "")), nil
	case http.MethodPut:
		wanted, err := readRegistration(r)
		if err != nil {
			return api.Reply{}, err
		}
		c, found = s.Change(c.ID, func(c *Client) {
			c.Name, c.Redirects, c.URL, c.AvatarURL = wanted.Name, wanted.Redirects, wanted.URL, wanted.AvatarURL
			c.registration = newToken(registrationPrefix)
		})
		if !found {
			return api.Reply{}, api.NotFound()
		}
		return api.JSONReply(http.StatusOK, nil, presentRegistration(r, c, "", c.registration)), nil
	case http.MethodDelete:
		s.Remove(c.ID)
		return api.NewReply(http.StatusNoContent, "", nil, nil), nil
	}
	return notFound(), nil
}
