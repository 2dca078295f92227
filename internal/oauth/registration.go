package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// maxName is the most runes of a client's name.
const maxName = 60

// A Registration is what the server keeps of a client that registers.
type Registration struct {
	Name         string   // "" if the client gives none
	URI          string   // "" if the client gives none
	RedirectURIs []string // 1 to 10, checked
}

// ParseRegistration reads the body of a registration request (RFC 7591, section 2).
// ownCallback is as for CheckRedirect. Errors are of type *Error.
//
// A client that asks for more than it can have is not refused, because many list all that
// they know: other grant types and ways to authenticate are answered with those that it
// gets, and everything else is ignored.
func ParseRegistration(body []byte, ownCallback string) (Registration, error) {
	m, err := parseMetadata(body, ownCallback)
	return m.registration(), err
}

// Client returns the client with the ID that the server has made for the registration.
func (r Registration) Client(id string) Client {
	return Client{ID: id, Name: r.Name, RedirectURIs: r.RedirectURIs, Source: RegisteredClient}
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
}

// Information returns the answer for a registration that has got an ID. The client is a
// public one, whatever it has asked for (RFC 7591, section 3.2.1, allows that).
func (r Registration) Information(id string, issued time.Time) Information {
	return Information{id, issued.Unix(), r.Name, r.URI, r.RedirectURIs,
		[]string{"authorization_code", "refresh_token"}, []string{"code"}, "none"}
}

// metadata is what registrations and documents say of a client (RFC 7591, section 2).
type metadata struct {
	ClientID      string          `json:"client_id"`
	ClientSecret  json.RawMessage `json:"client_secret"`
	ClientName    string          `json:"client_name"`
	ClientURI     string          `json:"client_uri"`
	RedirectURIs  []string        `json:"redirect_uris"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	AuthMethod    string          `json:"token_endpoint_auth_method"`
}

func (m metadata) registration() Registration {
	return Registration{m.ClientName, m.ClientURI, m.RedirectURIs}
}

// parseMetadata checks what both kinds have in common, and cleans the name and the URI.
func parseMetadata(body []byte, ownCallback string) (metadata, error) {
	var m metadata
	if err := json.Unmarshal(body, &m); err != nil || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return metadata{}, badMetadata("it must be a JSON object with the types of RFC 7591, section 2")
	}
	switch {
	case len(m.RedirectURIs) == 0:
		return metadata{}, &ClientError{InvalidRedirectURI, "redirect_uris is missing or empty"}
	case len(m.RedirectURIs) > maxRedirects:
		return metadata{}, &ClientError{InvalidRedirectURI, fmt.Sprintf("redirect_uris has more than %d entries", maxRedirects)}
	case len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code"):
		return metadata{}, badMetadata("grant_types must include authorization_code, the only grant type with which a client gets access here")
	case len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code"):
		return metadata{}, badMetadata("response_types must include code, the only response type here")
	}
	for _, uri := range m.RedirectURIs {
		if err := CheckRedirect(uri, ownCallback); err != nil {
			return metadata{}, err
		}
	}
	m.ClientName = cleanName(m.ClientName)
	if web := webURI().FindStringSubmatch(m.ClientURI); web == nil || web[1] != "https" || !isHostname(web[2]) ||
		CheckRedirect(m.ClientURI, "") != nil {
		m.ClientURI = ""
	}
	return m, nil
}

// cleanName returns a name without what is invisible, changes the direction of text, or
// piles up marks on a letter, and with at most maxName runes.
func cleanName(name string) string {
	marks := 0
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || r == unicode.ReplacementChar || isBlank(r):
			return -1
		case unicode.IsMark(r):
			if marks++; marks > 2 {
				return -1
			}
			return r
		}
		marks = 0
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName-1])) + "…"
	}
	return name
}

// isBlank reports whether Unicode counts a rune as a letter, mark or symbol although it
// shows nothing: fillers, variation selectors, and the empty pattern of Braille.
func isBlank(r rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u2800'
}

func badMetadata(problem string) *ClientError {
	return &ClientError{InvalidClientMetadata, "client metadata refused: " + problem}
}
