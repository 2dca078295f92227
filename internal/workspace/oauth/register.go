package oauth

import (
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
	c, err := readRegistration(r)
	if err != nil {
		return api.Reply{}, err
	}
	c.Registered = true
	return api.JSONReply(http.StatusCreated, nil, presentRegistration(s.Add(c))), nil
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
}

func presentRegistration(c Client) registration {
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
