package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Client is a program that asks people for access.
type Client struct {
	ID           string
	Name         string   // as the client calls itself; cleaned, but not verified
	RedirectURIs []string // checked
	Source       ClientSource
}

// A ClientSource says how the server knows a client.
type ClientSource string

// The sources of clients.
const (
	RegisteredClient ClientSource = "registered" // by a request to the registration endpoint; anyone can send one
	Document         ClientSource = "document"   // from the metadata document at the URL that is its ID
	BuiltIn          ClientSource = "built-in"   // from a copy of a metadata document in this program
	Configured       ClientSource = "configured" // by the operator
)

// AllowsRedirect reports whether the client may get its answers at the URI asked for: it
// equals a registered one, byte for byte, or differs from a registered URI of a loopback
// host in the port only (RFC 8252, section 7.3). The port may then be that of
// this server: see LeadsTo.
func (c Client) AllowsRedirect(asked string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool { return asked == registered || sameButPort(registered, asked) })
}

// A ClientError is an answer of RFC 7591, section 3.2.2, to a registration or a metadata
// document.
type ClientError struct {
	Code        string // invalid_redirect_uri or invalid_client_metadata
	Description string // for the developer of the client; without the client's text
}

// The codes of RFC 7591, section 3.2.2.
const (
	InvalidRedirectURI    = "invalid_redirect_uri"
	InvalidClientMetadata = "invalid_client_metadata"
)

func (e *ClientError) Error() string { return e.Code + ": " + e.Description }

// builtIn are the clients with well-known metadata documents. Some of these documents
// are served from behind a bot check that refuses addresses of data centers, so they could
// not be fetched; others need not be. The copies were taken from surveys that fetched them
// between 2026-09-24 and 2026-10-01 (fruggr/zendesk-mcp-server, issue 127; for Claude and
// VS Code, agreeing with others).
//
// The document of ChatGPT names private_key_jwt as its way to authenticate, and none
// besides; it uses this ID only with servers that send iss (RFC 9207).
var builtIn = []Client{
	{"https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude", []string{"https://claude.ai/api/mcp/auth_callback"}, BuiltIn},
	{"https://claude.ai/oauth/claude-code-client-metadata", "Claude Code", []string{"http://localhost/callback", "http://127.0.0.1/callback"}, BuiltIn},
	{"https://chatgpt.com/oauth/client.json", "ChatGPT", []string{"https://chatgpt.com/connector_platform_oauth_redirect"}, BuiltIn},
	{"https://chatgpt.com/oauth/codex/client.json", "Codex", []string{"http://127.0.0.1/callback", "http://localhost/callback"}, BuiltIn},
	{"https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code", []string{"http://127.0.0.1:33418/", "https://vscode.dev/redirect"}, BuiltIn},
	{"https://zed.dev/oauth/client-metadata.json", "Zed", []string{"http://127.0.0.1/callback"}, BuiltIn},
	{"https://opencode.ai/oauth/opencode/client.json", "OpenCode", []string{"http://127.0.0.1/callback", "http://localhost/callback"}, BuiltIn},
}

// special are the networks of the registries of special-purpose addresses (IANA, RFC
// 6890) that netip does not know as such, and addresses of cloud platforms that answer
// from within.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),     // shared, behind the NAT of a provider
	netip.MustParsePrefix("168.63.129.16/32"),  // platform services of Azure
	netip.MustParsePrefix("192.0.0.0/24"),      // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),      // documentation
	netip.MustParsePrefix("192.31.196.0/24"),   // AS112
	netip.MustParsePrefix("192.52.193.0/24"),   // AMT
	netip.MustParsePrefix("192.88.99.0/24"),    // 6to4 relays
	netip.MustParsePrefix("192.175.48.0/24"),   // AS112
	netip.MustParsePrefix("198.18.0.0/15"),     // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),   // documentation
	netip.MustParsePrefix("203.0.113.0/24"),    // documentation
	netip.MustParsePrefix("240.0.0.0/4"),       // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),         // protocol assignments: Teredo, ORCHID, benchmarks
	netip.MustParsePrefix("2001:db8::/32"),     // documentation
	netip.MustParsePrefix("2002::/16"),         // 6to4
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112
	netip.MustParsePrefix("3fff::/20"),         // documentation
}

// allocated is the part of IPv6 that is in use for global unicast. NAT64 (64:ff9b::/96 and
// 64:ff9b:1::/48), local, site-local, link-local and multicast addresses are outside.
var allocated = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is one of the public internet.
func isPublic(address netip.Addr) bool {
	if !address.IsGlobalUnicast() || address.IsPrivate() || address.Zone() != "" || address.Is6() && !allocated.Contains(address) {
		return false
	}
	return !slices.ContainsFunc(special, func(network netip.Prefix) bool { return network.Contains(address) })
}

// maxName is the most runes of a client's name.
const maxName = 60

// A Registration is what a client says of itself, to register or in a metadata document (RFC
// 7591, section 2), and the answer to it (section 3.2.1).
type Registration struct {
	ClientID      string          `json:"client_id,omitempty"`
	Issued        json.RawMessage `json:"client_id_issued_at,omitempty"` // of the answer: seconds since 1970
	ClientSecret  json.RawMessage `json:"client_secret,omitempty"`
	Name          string          `json:"client_name,omitempty"`
	URI           string          `json:"client_uri,omitempty"`
	RedirectURIs  []string        `json:"redirect_uris"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	AuthMethod    string          `json:"token_endpoint_auth_method"`
}

// Information returns the answer for a registration that has been given an ID. The client is a
// public one, whatever it has asked for (RFC 7591, section 3.2.1, allows that).
func (r Registration) Information(id string, issued time.Time) Registration {
	return Registration{
		ClientID: id, Issued: strconv.AppendInt(nil, issued.Unix(), 10), Name: r.Name, URI: r.URI, RedirectURIs: r.RedirectURIs,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
	}
}

// ParseRegistration reads what a client says of itself, and cleans the name and the URI.
// ownCallback is as for CheckRedirect. Errors are of type *ClientError.
//
// A client that asks for more than it can have is not refused, because many list all that
// they know: other grant types and ways to authenticate are answered with those that it
// gets, and everything else is ignored.
func ParseRegistration(body []byte, ownCallback string) (Registration, error) {
	var m Registration
	if err := json.Unmarshal(body, &m); err != nil || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return Registration{}, badMetadata("it must be a JSON object with the types of RFC 7591, section 2")
	}
	switch {
	case len(m.RedirectURIs) == 0:
		return Registration{}, &ClientError{InvalidRedirectURI, "redirect_uris is missing or empty"}
	case len(m.RedirectURIs) > maxRedirects:
		return Registration{}, &ClientError{InvalidRedirectURI, fmt.Sprintf("redirect_uris has more than %d entries", maxRedirects)}
	case len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code"):
		return Registration{}, badMetadata("grant_types must include authorization_code, the only grant type with which a client gets access here")
	case len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code"):
		return Registration{}, badMetadata("response_types must include code, the only response type here")
	}
	for _, uri := range m.RedirectURIs {
		if err := CheckRedirect(uri, ownCallback); err != nil {
			return Registration{}, err
		}
	}
	m.Name = cleanName(m.Name)
	if web := webURI().FindStringSubmatch(m.URI); web == nil || web[1] != "https" || !isHostname(web[2]) ||
		CheckRedirect(m.URI, "") != nil {
		m.URI = ""
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
