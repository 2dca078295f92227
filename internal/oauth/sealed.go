package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"outline-mcp/internal/seal"
)

// Errors of sealed values.
var (
	// ErrToken means that a token was not sealed by this server, was sealed for another
	// purpose or another server, or was changed.
	ErrToken = errors.New("not a token of this server")
	// ErrExpired means that a token is no longer valid.
	ErrExpired = errors.New("the token has expired")
)

// Prefixes tell sealed values apart for people and for what removes them from logs.
const (
	clientPrefix  = "omcp_client_"
	codePrefix    = "omcp_ac_"
	accessPrefix  = "omcp_at_"
	refreshPrefix = "omcp_rt_"
)

// How long sealed values are valid. Outline's own code is valid for 5 minutes; its
// access token an hour, its refresh token 30 days unless its operator has changed that
// (OAUTH_PROVIDER_REFRESH_TOKEN_LIFETIME).
const (
	clientLifetime  = 365 * 24 * time.Hour
	loginLifetime   = 10 * time.Minute // of a consent page, and then of a state
	codeLifetime    = 2 * time.Minute
	refreshLifetime = 30 * 24 * time.Hour
)

// expiry is part of every sealed value.
type expiry struct {
	Until int64 `json:"u"` // seconds since 1970
}

func (e expiry) until() time.Time { return time.Unix(e.Until, 0) }

// A registeredClient is a client that has registered, and is its client ID.
type registeredClient struct {
	expiry
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r"`
}

// A request is what a client asks for, checked. It is sealed into the form of the consent
// page and is part of what follows.
type request struct {
	expiry
	Client    string `json:"c"` // the mark of the client ID
	Redirect  string `json:"r"`
	State     string `json:"s,omitempty"` // the client's; "" if it sent none
	Challenge string `json:"p"`           // the client's PKCE challenge
	Scope     Scope  `json:"a"`
}

// A login is what Outline sends back as state.
type login struct {
	request
	Nonce    string `json:"n"` // also in the cookie of the browser
	Verifier string `json:"v"` // our PKCE verifier at Outline
}

// A code is what the client exchanges for tokens. It holds Outline's code.
type code struct {
	expiry
	Client    string `json:"c"`
	Redirect  string `json:"r"`
	Challenge string `json:"p"`
	Scope     Scope  `json:"a"`
	Code      string `json:"o"`
	Verifier  string `json:"v"`
	Network   string `json:"b"` // the mark of the browser's address
}

// A token is the content of an access token or a refresh token, around Outline's.
type token struct {
	expiry
	Client  string `json:"c"`
	Subject string `json:"s"`
	Scope   Scope  `json:"a"`
	Token   string `json:"o"`
}

// values seals and opens the values of each kind.
type values struct {
	client  kind[registeredClient]
	consent kind[request]
	state   kind[login]
	code    kind[code]
	access  kind[token]
	refresh kind[token]
}

func newValues(secret, previous, resource string, now func() time.Time) values {
	base := func(purpose, prefix string) sealer {
		return sealer{seal.New(purpose, secret, previous), prefix, []byte(resource), now}
	}
	return values{
		client:  kind[registeredClient]{base("client", clientPrefix)},
		consent: kind[request]{base("consent", "")},
		state:   kind[login]{base("state", "")},
		code:    kind[code]{base("code", codePrefix)},
		access:  kind[token]{base("access", accessPrefix)},
		refresh: kind[token]{base("refresh", refreshPrefix)},
	}
}

// A kind is one kind of sealed value.
type kind[T interface{ until() time.Time }] struct{ sealer }

type sealer struct {
	box     *seal.Box
	prefix  string
	boundTo []byte // the URL of the MCP endpoint, so that no other server opens it
	now     func() time.Time
}

func (k kind[T]) seal(value T) string {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false) // or some characters would take six times the room
	if err := encoder.Encode(value); err != nil {
		panic(err) // texts and numbers
	}
	return k.prefix + k.box.Seal(plain.Bytes(), k.boundTo)
}

// open returns ErrToken, or ErrExpired together with the value.
func (k kind[T]) open(sealed string) (value T, err error) {
	content, ok := strings.CutPrefix(sealed, k.prefix)
	plain, err := k.box.Open(content, k.boundTo)
	if !ok || err != nil || json.Unmarshal(plain, &value) != nil {
		return value, ErrToken
	}
	if !k.now().Before(value.until()) {
		return value, ErrExpired
	}
	return value, nil
}

// expires returns an expiry that far from now.
func (s *Server) expires(in time.Duration) expiry {
	return expiry{s.options.Now().Add(in).Unix()}
}
