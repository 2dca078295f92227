// Package auth defines who a request acts for: the principal, the credential it
// presents to Outline, what a role and scopes allow there, and a cache of answers
// that are never shared between callers.
//
// The context of each request carries a [Principal]. The HTTP server makes it from the
// headers of the request; on stdio, and for connections within the process, it is
// explicitly the operator. A context without one has no credential, never the operator's.
// One Outline client serves all callers, with the credential from the context of each
// request.
//
// Over HTTP, only these outlive a call: connections; open subscriptions, rate limits,
// what a credential allows and the names of its collections, all by subject; metrics,
// without subjects; and what the server has learned about its Outline. A renewed
// credential keeps its subject, and so its limits.
package auth

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Kind is a kind of credential.
type Kind string

// The kinds of credentials.
const (
	KindAPIKey   Kind = "API key"  // an Outline API key that the request brought
	KindOperator Kind = "operator" // the server's own Outline API key
	KindLogin    Kind = "login"    // of somebody who has logged in with Outline: a token of this server, or the login on this computer
)

// A Source returns the credential to send to Outline, and renews it when
// necessary. It is safe for concurrent use.
type Source interface {
	// Credential returns the token to send, or "" if there is none.
	Credential(ctx context.Context) (string, error)
}

// Principal is who a request acts for. Its credential is not verified: that is
// up to Outline. The zero value has no credential.
//
// Printing a Principal in any way shows its kind and ID, never the credential.
type Principal struct {
	// Subject identifies the principal for as long as it exists, even when its
	// credential is renewed. Two principals with different subjects share
	// nothing, so each kind of credential makes its subjects unique. It is safe
	// to log, and "" if there is no credential.
	Subject string
	Kind    Kind
	// ReadOnly limits the request to what does not change the workspace.
	ReadOnly bool
	// Collections limit the request to those that are named, by UUID, URL id or name;
	// nil does not limit it. The operator's limits apply as well.
	Collections []string
	// Upgradable means that ReadOnly is due to what the person gave when they logged in:
	// they can give more.
	Upgradable bool
	// Expires is when the credential of the request expires; zero if that is not known.
	Expires time.Time

	source Source
}

// New returns a principal whose credential comes from source. Without a subject,
// which would be shared with others, it has no credential.
func New(kind Kind, subject string, source Source) Principal {
	if subject == "" {
		source = nil
	}
	return Principal{Subject: subject, Kind: kind, source: source}
}

// ForAPIKey returns the principal of a request that brought an Outline API key.
func ForAPIKey(key APIKey) Principal { return New(KindAPIKey, key.subject(), key) }

// ForOperator returns the principal that acts with the server's own API key, or
// without a credential if key is "".
func ForOperator(key APIKey) Principal { return New(KindOperator, key.subject(), key) }

// A Person is a [Source] of which another person may take possession, by logging in.
type Person interface {
	Source
	// Person returns the ID in Outline of who is logged in, "" if nobody is, and whether
	// they may only read.
	Person() (id string, readOnly bool)
	// Renew replaces a token that Outline rejects.
	Renew(ctx context.Context, token string) error
}

// ForPerson returns the principal that acts for whoever is logged in.
func ForPerson(source Person) Principal {
	id, _ := source.Person()
	subject := "nobody"
	if id != "" {
		subject = id + loginSuffix
	}
	return New(KindLogin, subject, source)
}

// LoggedInToRead reports whether the person has logged in only to read. Such a principal is
// offered all tools: the person can log in again while the client keeps its list.
func (p Principal) LoggedInToRead() bool {
	source, ok := p.source.(Person)
	if !ok {
		return false
	}
	_, readOnly := source.Person()
	return readOnly
}

// Current returns the context with the principal as of now, if it acts for whoever is
// logged in.
func Current(ctx context.Context) context.Context {
	if p, _ := FromContext(ctx); p.source != nil {
		if source, ok := p.source.(Person); ok {
			return NewContext(ctx, ForPerson(source))
		}
	}
	return ctx
}

// Renewal returns what renews a token of the principal, nil if nothing can.
func (p Principal) Renewal(token string) func(context.Context) error {
	source, ok := p.source.(Person)
	if !ok {
		return nil
	}
	return func(ctx context.Context) error { return source.Renew(ctx, token) }
}

// Credential returns the token to send to Outline, or "" if there is none.
func (p Principal) Credential(ctx context.Context) (string, error) {
	if p.source == nil {
		return "", nil
	}
	return p.source.Credential(ctx)
}

// APIKey returns the principal's API key. It reports false if the principal's
// credential is of another kind.
func (p Principal) APIKey() (APIKey, bool) {
	key, ok := p.source.(APIKey)
	return key, ok
}

// ID returns the first eight characters of the subject. It tells principals
// apart in logs; use Subject for anything else.
func (p Principal) ID() string { return p.Subject[:min(8, len(p.Subject))] }

// Format implements fmt.Formatter, for all verbs.
func (p Principal) Format(state fmt.State, _ rune) {
	fmt.Fprint(state, strings.TrimSpace(string(p.Kind)+" "+p.ID()))
}

// MarshalText implements encoding.TextMarshaler with what Format prints.
func (p Principal) MarshalText() ([]byte, error) { return fmt.Append(nil, p), nil }

// View identifies what the principal sees of Outline: the subject, and the collections
// that the request limits itself to. Answers of Outline that depend on them are kept by view:
// a person can leave the limit out, but the model whose client sets it cannot, and must not
// find in a cache what a request without the limit has read.
func (p Principal) View() string {
	if len(p.Collections) == 0 {
		return p.Subject
	}
	return p.Subject + "\n" + strings.Join(p.Collections, ",")
}

type contextKey struct{}

// NewContext returns a context for a request that acts for p.
func NewContext(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// FromContext returns the principal that the request of ctx acts for. It
// reports false if there is none; such a request has no credential.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}
