package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
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

// A Login is what a user who has logged in with Outline gave a client.
type Login struct {
	User    string // the user's ID in Outline
	Writes  bool   // whether the client may change the workspace
	Expires time.Time
	Source  Source // of Outline's token
}

// loginSuffix tells the subjects of logins from those of keys.
const loginSuffix = "@login"

// ForLogin returns the principal of a request that brought a login. Its subject is the
// user, whichever client they use.
func ForLogin(l Login) Principal {
	subject := ""
	if l.User != "" {
		subject = l.User + loginSuffix
	}
	p := New(KindLogin, subject, l.Source)
	p.ReadOnly, p.Upgradable, p.Expires = !l.Writes, !l.Writes, l.Expires
	return p
}

// UserID returns the ID in Outline of the user who has logged in, or "" if the
// credential is of another kind.
func (p Principal) UserID() string {
	if id, ok := strings.CutSuffix(p.Subject, loginSuffix); ok && p.Kind == KindLogin {
		return id
	}
	return ""
}

// A Challenge is what a request finds out about the login that it brought, while it is
// served: that Outline does not accept the token, or that the user has to give more. The
// client is told in place of the result, so that it can renew the token or ask the user,
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

// Insufficient reports whether the request needs more than the user has given.
func (c *Challenge) Insufficient() bool { return c.insufficient.Load() }

// Rejected reports whether Outline rejects the token, and nothing has been changed with
// it: repeating the request with another token is safe.
func (c *Challenge) Rejected() bool { return c.rejected.Load() && !c.changed.Load() }

// Permissions are what is known beforehand of what a credential allows at
// Outline. The zero value allows everything. Rights to single documents and
// collections are not covered.
type Permissions struct {
	Role   string   // of the user: admin, member, viewer or guest; any other is unknown
	Scopes []string // nil if the credential is not limited, or the scopes are unknown
	// Commenting is the team's setting for who may comment: none, members or
	// everyone. Any other is Outline's default, which is members.
	Commenting string
	// Release is set if Outline is a release up to 1.9.2, where roles and scopes allow
	// other calls than in the newest source.
	Release bool
}

// Allows reports whether the credential may call an endpoint such as
// documents.info. It is false only if Outline is certain to refuse the call.
func (p Permissions) Allows(endpoint string) bool {
	if !p.Release && newlyRefused(p.Role, endpoint) || !roleAllows(p.Role, endpoint) || p.TeamForbids(endpoint) {
		return false
	}
	return p.Scopes == nil || slices.ContainsFunc(p.Scopes, func(scope string) bool {
		redirects := scope == "read" && p.Release && strings.HasSuffix(endpoint, ".redirect")
		return scopeAllows(scope, endpoint) && !redirects
	})
}

// newlyRefused reports whether no release, but the newest source refuses an endpoint to
// a role.
func newlyRefused(role, endpoint string) bool {
	return endpoint == "documents.duplicate" && (role == "viewer" || role == "guest") || endpoint == "users.list" && role == "guest"
}

// AllowsTool reports whether a tool that calls all of the endpoints, or any one
// of them, can be used.
func AllowsTool(endpoints []string, anyEndpoint bool, allows func(endpoint string) bool) bool {
	if anyEndpoint {
		return slices.ContainsFunc(endpoints, allows)
	}
	return !slices.ContainsFunc(endpoints, func(endpoint string) bool { return !allows(endpoint) })
}

// ScopesToRead returns the scopes that cover endpoints that change nothing, and little
// else: read, and one for each endpoint that Outline or a release of it counts as writing
// all the same. In releases, these are also those that redirect to a file.
func ScopesToRead(endpoints []string) []string {
	scopes := []string{"read"}
	for _, endpoint := range endpoints {
		scope := "/api/" + endpoint
		if slices.Contains(scopes, scope) || !strings.HasSuffix(endpoint, ".redirect") && scopeAllows("read", endpoint) {
			continue
		}
		scopes = append(scopes, scope)
	}
	return scopes
}

// TeamForbids reports whether a setting of the team, which an admin can change,
// forbids an endpoint to the user's role.
func (p Permissions) TeamForbids(endpoint string) bool {
	return endpoint == "comments.create" && (p.Commenting == "none" || p.Role == "guest" && p.Commenting != "everyone")
}

// roleAllows reports whether a role may call an endpoint. Guests and viewers may write
// what was shared with them for writing, and guests see its history then. Those who
// manage a collection change and delete it and add templates. They restore no documents. All
// of this was measured on Outline 1.9.2 and on the newest source.
func roleAllows(role, endpoint string) bool {
	switch endpoint {
	case "collections.export_all":
		return role != "member" && role != "viewer" && role != "guest"
	case "documents.archived", "documents.deleted", "documents.restore", "collections.create", "collections.export":
		return role != "viewer" && role != "guest"
	case "groups.list", "shares.create":
		return role != "guest"
	case "shares.update", "shares.revoke":
		return role != "viewer" && role != "guest"
	}
	return true
}

// scopeAllows reports whether one scope covers an endpoint. A scope is "*",
// "read", "write" or "create" for all namespaces, "documents:read" for one, and
// "/api/documents.info" for a single endpoint, with "*" for either part.
func scopeAllows(scope, endpoint string) bool {
	if scope == "*" {
		return true
	}
	namespace, method, _ := strings.Cut(endpoint, ".")
	if route, single := strings.CutPrefix(scope, "/api/"); single {
		n, m, _ := strings.Cut(route, ".")
		return covers(n, namespace) && covers(m, method)
	}
	n, level, one := strings.Cut(scope, ":")
	if !one {
		n, level = "*", scope
	}
	return covers(n, namespace) && (level == "write" || level == levelOf(method))
}

func covers(pattern, name string) bool { return pattern == "*" || pattern == name }

// levelOf returns the level of scope that a method needs. Outline treats every
// method as writing that it does not list as reading or creating.
func levelOf(method string) string {
	switch method {
	case "list", "info", "search", "documents", "drafts", "viewed", "export", "config", "redirect", "memberships", "group_memberships":
		return "read"
	case "create":
		return "create"
	}
	return "write"
}
