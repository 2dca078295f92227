// Package client says what an OAuth client is to the authorization server of
// internal/oauth: how it registers (RFC 7591), how it is found by the URL of its metadata
// document (draft-ietf-oauth-client-id-metadata-document), and which redirect URIs it may
// use.
package client

// A Client is a program that asks people for access.
type Client struct {
	ID           string
	Name         string   // as the client calls itself; cleaned, but not verified
	RedirectURIs []string // checked
	Source       Source
}

// A Source says how the server knows a client.
type Source string

// The sources of clients.
const (
	Registered Source = "registered" // by a request to the registration endpoint; anyone can send one
	Document   Source = "document"   // from the metadata document at the URL that is its ID
	BuiltIn    Source = "built-in"   // from a copy of a metadata document in this program
	Configured Source = "configured" // by the operator
)

// AllowsRedirect reports whether the client may get its answers at the URI asked for: it
// equals a registered one, byte for byte, or differs from a registered URI of a loopback
// host in the port only (RFC 8252, section 7.3). The port may then be that of
// this server: see LeadsTo.
func (c Client) AllowsRedirect(asked string) bool {
	for _, registered := range c.RedirectURIs {
		if asked == registered || sameButPort(registered, asked) {
			return true
		}
	}
	return false
}

// An Error is an answer of RFC 7591, section 3.2.2, to a registration or a metadata
// document.
type Error struct {
	Code        string // invalid_redirect_uri or invalid_client_metadata
	Description string // for the developer of the client; without the client's text
}

// The codes of RFC 7591, section 3.2.2.
const (
	InvalidRedirectURI    = "invalid_redirect_uri"
	InvalidClientMetadata = "invalid_client_metadata"
)

func (e *Error) Error() string { return e.Code + ": " + e.Description }
