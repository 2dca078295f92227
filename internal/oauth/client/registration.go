package client

import "time"

// A Registration is what the server keeps of a client that registers.
type Registration struct {
	Name         string   // "" if the client gives none
	URI          string   // "" if the client gives none
	RedirectURIs []string // 1 to 10, checked
	Scope        string   // as asked for; "" if not given
}

// ParseRegistration reads the body of a registration request (RFC 7591, section 2).
// ownCallback is as for CheckRedirect. Errors are of type *Error.
func ParseRegistration(body []byte, ownCallback string) (Registration, error) {
	return Registration{}, &Error{InvalidClientMetadata, "not yet"}
}

// Client returns the client with the ID that the server has made for the registration.
func (r Registration) Client(id string) Client {
	return Client{ID: id, Name: r.Name, URI: r.URI, RedirectURIs: r.RedirectURIs, Source: Registered}
}

// An Information is the answer to a registration (RFC 7591, section 3.2.1): what was
// registered, which may differ from what was asked for.
type Information struct {
	ClientID                string   `json:"client_id"`
	ClientIDIssuedAt        int64    `json:"client_id_issued_at"` // seconds since 1970
	ClientName              string   `json:"client_name,omitempty"`
	ClientURI               string   `json:"client_uri,omitempty"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
	Scope                   string   `json:"scope,omitempty"`
}

// Information returns the answer for a registration that has got an ID. The client is a
// public one, whatever it has asked for (RFC 7591, section 3.2.1, allows that).
func (r Registration) Information(id string, issued time.Time) Information {
	return Information{id, issued.Unix(), r.Name, r.URI, r.RedirectURIs,
		[]string{"authorization_code", "refresh_token"}, []string{"code"}, "none", r.Scope}
}
