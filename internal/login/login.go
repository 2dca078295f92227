// Package login logs a person in to Outline through their browser, and keeps the login
// for all programs of this computer that act for the user.
//
// A [Flow] registers a public OAuth client with Outline, sends the user's browser to the
// consent page, and waits for the code on a loopback port. A [Store] keeps the tokens in the
// keyring of the operating system or, where there is none, in a file that only the user can
// read: one entry per address of Outline. A [Source] gives a server the access token, and
// renews it.
//
// Outline's refresh tokens can be used once: a refresh voids both old tokens at once, and a
// spent refresh token that is presented again voids the login. So only the process that
// holds the lock of the entry renews; the others read what it has stored.
package login

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// An Account is a login, without its tokens.
type Account struct {
	Outline   string    `json:"outline"` // base URL of the API
	User      string    `json:"user"`
	UserID    string    `json:"userId"`
	Role      string    `json:"role,omitempty"`
	Workspace string    `json:"workspace"`
	Scope     string    `json:"scope"`
	ReadOnly  bool      `json:"readOnly,omitempty"`
	Since     time.Time `json:"since"`
	Keyring   bool      `json:"keyring"`         // where the tokens are: in the keyring, or in the file of the entry
	Ended     bool      `json:"ended,omitempty"` // Outline has refused to renew it
}

// tokens are the secrets of a login.
type tokens struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh"`
	Issued  time.Time `json:"issued"`
	Expires time.Time `json:"expires"`
	Client  client    `json:"client"`
}

// A client is an OAuth client of Outline. Token is for managing a client that registered
// itself (RFC 7592); it is "" for one that an admin made.
type client struct {
	ID    string `json:"id"`
	Token string `json:"token,omitempty"`
}

// fresh reports whether the access token is valid long enough to be sent. A fourth of its
// lifetime is left for requests that wait, at most a minute.
func (t tokens) fresh(now time.Time) bool {
	margin := min(time.Minute, t.Expires.Sub(t.Issued)/4)
	return now.Before(t.Expires.Add(-margin))
}

// Reason says what kind of failure an [Error] is.
type Reason int

// The reasons.
const (
	Failed      Reason = iota // logging in did not succeed
	NotLoggedIn               // nobody has logged in at this address
	Ended                     // the login has expired, or was revoked
	Unavailable               // Outline does not answer at the moment
	Storage                   // the keyring or a file cannot be used
)

// An Error says for the user what went wrong and what to do next. It contains no token.
type Error struct {
	Reason Reason
	Text   string
}

func (e *Error) Error() string { return e.Text }

// Temporary reports whether the same may succeed later without anybody doing anything.
func (e *Error) Temporary() bool { return e.Reason == Unavailable }

// Ended reports whether there was a login, which counts no longer.
func (e *Error) Ended() bool { return e.Reason == Ended }

func fail(reason Reason, text string) *Error { return &Error{reason, text} }

// Address returns the address of Outline for people, of the base URL of its API.
func Address(base string) string { return strings.TrimSuffix(base, "/api") }

// isDefault reports whether an address is the one of the server without a setting, which
// belongs to no workspace.
func isDefault(base string) bool { return strings.HasSuffix(Address(base), "//app.getoutline.com") }

// notLoggedIn says how to begin.
func notLoggedIn(base string) *Error {
	if isDefault(base) {
		return fail(NotLoggedIn, "nobody is logged in to Outline on this computer, and no API key is set. Run outline-mcp login with the address of your Outline in a terminal, "+
			"or set OUTLINE_API_URL and OUTLINE_API_KEY; outline-mcp --demo serves a sample workspace")
	}
	return fail(NotLoggedIn, "nobody is logged in to Outline at "+Address(base)+" on this computer, and no API key is set. "+
		"Run outline-mcp login "+Address(base)+" in a terminal, then repeat the call; the client need not be restarted")
}

// endedError says how to begin again.
func endedError(base string) *Error {
	return fail(Ended, "the login to Outline at "+Address(base)+" has expired or was revoked. "+
		"Run outline-mcp login "+Address(base)+" in a terminal, then repeat the call; the client need not be restarted")
}

// An Offer lets a client show the consent page to the user in the middle of a call. One
// login is under way at a time. It is safe for concurrent use.
type Offer struct {
	Flow Flow // without Visit
	Log  *slog.Logger

	mu    sync.Mutex
	page  string // "" if the login was cancelled
	stop  context.CancelFunc
	ended chan struct{} // closed when the login has ended; nil before the first
}

// Page begins a login if that helps against an error, and returns the page for the user,
// or "". Calls that come while a login is under way get the same page.
func (o *Offer) Page(ctx context.Context, err error) string {
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Reason != NotLoggedIn && failed.Reason != Ended {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended != nil {
		select {
		case <-o.ended:
			o.page = ""
		default:
		}
		if o.page != "" {
			return o.page
		}
		select {
		case <-o.ended: // one that was cancelled has cleaned up behind itself
		case <-ctx.Done():
			return ""
		}
	}
	lasting, stop := context.WithTimeout(context.WithoutCancel(ctx), o.Flow.Timeout)
	flow, pages, ended := o.Flow, make(chan string, 1), make(chan struct{})
	flow.Visit = func(_ context.Context, page string) error {
		pages <- page
		return nil
	}
	go func() {
		defer close(ended)
		defer stop()
		account, err := flow.Run(lasting)
		if err != nil {
			o.Log.Warn("a login offered to the client failed", "error", err)
		} else {
			o.Log.Info("logged in", "workspace", account.Workspace)
		}
	}()
	o.page, o.stop, o.ended = "", stop, ended
	select {
	case o.page = <-pages:
	case <-ended: // Run has failed
	case <-ctx.Done():
		stop()
	}
	return o.page
}

// Wait waits until the login that is under way has ended, or ctx is done.
func (o *Offer) Wait(ctx context.Context) {
	o.mu.Lock()
	ended := o.ended
	o.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// Cancel ends the login that is under way, because the user does not want it.
func (o *Offer) Cancel() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.page != "" {
		o.stop()
		o.page = ""
	}
}
