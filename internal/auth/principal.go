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
// Over HTTP, only these outlive a call: connections; rate limits,
// what a credential allows, the names of its collections, and hashes of the documents that
// it has read, all by subject; metrics, without subjects; and what the server has learned about its Outline. A renewed
// credential keeps its subject, and so its limits.
package auth

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/outline/expiring"
)

// Kind is a kind of credential.
type Kind string

// The kinds of credentials.
const (
	KindAPIKey   Kind = "API key"  // an Outline API key that the request brought
	KindOperator Kind = "operator" // the server's own Outline API key
	KindLogin    Kind = "login"    // of a user who has logged in with Outline: a token of this server, or the login on this computer
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
	// Upgradable means that ReadOnly is due to what the user gave when they logged in:
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

// A Person is a [Source] for whoever is logged in on this computer: another user may log in
// while the server runs.
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

// LoggedInToRead reports whether the user has logged in only to read. Such a principal is
// offered all tools: the user can log in again while the client keeps its list.
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
	p, _ := FromContext(ctx)
	if source, ok := p.source.(Person); ok {
		return NewContext(ctx, ForPerson(source))
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

const (
	validFor        = time.Minute             // how long a value is kept, unless the cache says otherwise
	questionTimeout = 1500 * time.Millisecond // how long a question may take
)

// PerCaller keeps what Outline says to a caller for a short time: one value for each
// of the last 1024 subjects. Nothing is shared between subjects, nor between requests
// of one that limit themselves to different collections. The zero value is ready to
// use, and it is safe for concurrent use.
type PerCaller[V any] struct {
	// For is how long a value is kept; 0 means a minute.
	For time.Duration

	entries expiring.Map[string, *entry[V]]
	mu      sync.Mutex // held to add an entry, or to replace one
}

// entry holds what was found out about a subject.
type entry[V any] struct {
	value atomic.Pointer[V] // nil until it is known
	done  chan struct{}     // closed when it is
}

// Begin starts to find out the value of the caller of ctx, unless it is known, and
// returns a function that waits for it. That function returns the zero value if
// Outline does not answer in time.
//
// All requests of one subject wait for the same answer, which does not end with any of
// them. If ask reports that the value is not final, it is asked for again next time.
func (c *PerCaller[V]) Begin(ctx context.Context, ask func(context.Context) (value V, final bool)) (wait func() V) {
	return c.BeginAbout(ctx, "", ask)
}

// BeginAbout is Begin for one of several values of the caller, which is about something.
func (c *PerCaller[V]) BeginAbout(ctx context.Context, about string, ask func(context.Context) (value V, final bool)) (wait func() V) {
	if ctx.Err() != nil { // nobody waits
		return func() (none V) { return none }
	}
	e := c.entry(ctx, about, ask)
	begun := time.Now()
	return func() V {
		if known := e.value.Load(); known != nil {
			return *known
		}
		late := time.NewTimer(time.Until(begun.Add(questionTimeout)))
		defer late.Stop()
		select {
		case <-e.done:
			return *e.value.Load()
		case <-late.C:
		case <-ctx.Done():
		}
		var none V
		return none
	}
}

func (c *PerCaller[V]) entry(ctx context.Context, about string, ask func(context.Context) (V, bool)) *entry[V] {
	principal, _ := FromContext(ctx)
	subject := principal.View()
	if about != "" {
		subject += "\n" + about
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries.Get(subject); ok {
		return e
	}
	e := &entry[V]{done: make(chan struct{})}
	c.entries.Set(subject, e, cmp.Or(c.For, validFor))
	asking, stop := context.WithTimeout(context.WithoutCancel(ctx), questionTimeout)
	go func() {
		defer stop()
		value, final := ask(asking)
		c.mu.Lock()
		defer c.mu.Unlock()
		e.value.Store(&value)
		close(e.done)
		if now, _ := c.entries.Get(subject); !final && now == e { // which may have been replaced
			c.entries.Delete(subject)
		}
	}()
	return e
}

// Known returns the value of the caller of ctx if it is known already.
func (c *PerCaller[V]) Known(ctx context.Context) (value V, known bool) {
	principal, _ := FromContext(ctx)
	if e, ok := c.entries.Get(principal.View()); ok && e.value.Load() != nil {
		return *e.value.Load(), true
	}
	return value, false
}

// Forget drops the values of the caller of ctx, which have changed.
func (c *PerCaller[V]) Forget(ctx context.Context) {
	principal, _ := FromContext(ctx)
	subject := principal.View()
	c.entries.DeleteFunc(func(key string, _ *entry[V]) bool { return key == subject || strings.HasPrefix(key, subject+"\n") })
}
