package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// APIKey is an API key of Outline. Printing it shows nothing of it.
type APIKey string

// Credential implements [Source].
func (k APIKey) Credential(context.Context) (string, error) { return string(k), nil }

// Format implements fmt.Formatter, for all verbs.
func (APIKey) Format(state fmt.State, _ rune) { fmt.Fprint(state, "****") }

// MarshalText implements encoding.TextMarshaler.
func (APIKey) MarshalText() ([]byte, error) { return []byte("****"), nil }

// subject returns the SHA-256 of the key in hexadecimal, or "" if there is no
// key. Keys are random and long, so the hash does not help to guess one.
func (k APIKey) subject() string {
	if k == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(k))
	return hex.EncodeToString(sum[:])
}

// ListedKey is an API key as Outline lists it to its owner, without the key
// itself.
type ListedKey struct {
	UserID string   // of its owner; "" if unknown
	Last4  string   // its last four characters
	Scopes []string // nil if the key is not limited
}

// Scopes finds the key among those that Outline lists and returns its scopes,
// nil if it is not limited, and the number of listed keys that it may be. Only
// the last four characters tell keys apart: if several match, the scopes are
// those of all of them, or nil if one of them is not limited. The owner is the
// UUID of the key's owner, or "" if unknown.
func (k APIKey) Scopes(owner string, listed []ListedKey) (scopes []string, matches int) {
	unlimited := false
	for _, one := range listed {
		if len(k) < 4 || one.Last4 == "" || !strings.HasSuffix(string(k), one.Last4) || owner != "" && one.UserID != "" && one.UserID != owner {
			continue
		}
		matches++
		unlimited = unlimited || one.Scopes == nil
		scopes = append(scopes, one.Scopes...)
	}
	switch {
	case unlimited:
		return nil, matches
	case matches > 0 && scopes == nil:
		return []string{}, matches // limited to nothing
	}
	return scopes, matches
}

// A Login is what somebody who has logged in with Outline gave a client.
type Login struct {
	User    string // the person's ID in Outline
	Writes  bool   // whether the client may change the workspace
	Expires time.Time
	Source  Source // of Outline's token
}

// loginSuffix tells the subjects of logins from those of keys.
const loginSuffix = "@login"

// ForLogin returns the principal of a request that brought a login. Its subject is the
// person, whichever client they use.
func ForLogin(l Login) Principal {
	subject := ""
	if l.User != "" {
		subject = l.User + loginSuffix
	}
	p := New(KindLogin, subject, l.Source)
	p.ReadOnly, p.Upgradable, p.Expires = !l.Writes, !l.Writes, l.Expires
	return p
}

// UserID returns the ID in Outline of the person who has logged in, or "" if the
// credential is of another kind.
func (p Principal) UserID() string {
	if id, ok := strings.CutSuffix(p.Subject, loginSuffix); ok && p.Kind == KindLogin {
		return id
	}
	return ""
}

// A Challenge is what a request finds out about the login that it brought, while it is
// served: that Outline does not accept the token, or that the person has to give more. The
// client is told in place of the result, so that it can renew the token or ask the person,
// and send the request again (RFC 6750, section 3.1). It is safe for concurrent use, and
// a nil Challenge does nothing.
type Challenge struct {
	rejected, changed, insufficient atomic.Bool
}

type challengeKey struct{}

// NewChallenge returns a context for a request that brought a login, and its challenge.
func NewChallenge(ctx context.Context) (context.Context, *Challenge) {
	c := new(Challenge)
	return context.WithValue(ctx, challengeKey{}, c), c
}

// ChallengeFrom returns the challenge of the request of ctx, or nil if the request did
// not bring a login.
func ChallengeFrom(ctx context.Context) *Challenge {
	c, _ := ctx.Value(challengeKey{}).(*Challenge)
	return c
}

// Answered notes with which status Outline answered a request, 0 if it did not, and
// whether that request was a command, which changes something.
func (c *Challenge) Answered(status int, command bool) {
	switch {
	case c == nil:
	case status == http.StatusUnauthorized:
		c.rejected.Store(true)
	case command && (status < 400 || status >= 500): // Outline may have carried it out
		c.changed.Store(true)
	}
}

// NeedsWrite notes that the request needs a login that may change the workspace.
func (c *Challenge) NeedsWrite() {
	if c != nil {
		c.insufficient.Store(true)
	}
}

// Insufficient reports whether the request needs more than the person has given.
func (c *Challenge) Insufficient() bool { return c.insufficient.Load() }

// Rejected reports whether Outline rejects the token, and nothing has been changed with
// it: repeating the request with another token is safe.
func (c *Challenge) Rejected() bool { return c.rejected.Load() && !c.changed.Load() }
