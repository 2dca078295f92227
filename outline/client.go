// Package outline is a client for the REST API of Outline
// (https://www.getoutline.com/developers). It has a method for each endpoint,
// decodes only the fields that it exports, and fails with one type of error,
// [*Error].
//
// Calls that only read are repeated after transient failures; see [Options].
// Calls that change something are repeated if they were rejected because of a
// rate limit, or never sent. If the answer to one is lost, the client reads back
// what the call changes. The call succeeds if the change is there, and is
// repeated only if that cannot make the change twice. [OutcomeUnknown] reports
// whether a call that failed may have been carried out nevertheless.
//
// A method takes the document or collection that it is about, its id, as a UUID
// or a URL id. Every other identifier, such as a CollectionID or a
// ParentDocumentID, must be a UUID: Outline rejects other forms with ErrInvalid.
// See [ParseDocumentID] and [Client.ResolveCollectionID].
package outline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"outline-mcp/outline/expiring"
	"outline-mcp/outline/transport"
)

// Options configure a [Client]. Only BaseURL must be set.
type Options struct {
	// BaseURL is the address of the API in a form that ParseBaseURL accepts.
	BaseURL string
	// URLAliases are other hosts of the instance in the URLs of its documents, in
	// lower case, with a port or without one, which stands for any.
	URLAliases []string
	// Credentials returns the credential for each call. If it is nil, calls fail
	// with ErrNoKey.
	Credentials CredentialSource
	// UserAgent names the program, such as example/1.2.3. The default is
	// outline-mcp.
	UserAgent string
	// Transport makes the requests. The default is that of transport.New.
	Transport http.RoundTripper
	// RequestTimeout limits one attempt, including its answer. The default is
	// 20 s. It does not apply to AnswerQuestion.
	RequestTimeout time.Duration
	// MaxRetries limits the repetitions after the first attempt. The default is
	// none.
	MaxRetries int
	// MaxRetryWait limits a single wait before a repetition. The default is 20 s.
	MaxRetryWait time.Duration
	// MaxAnswerBytes limits the length of an answer after decompression. The
	// default is 32 MiB.
	MaxAnswerBytes int64
	// Bounds limit what the client shows and changes of the instance. nil does not
	// limit it.
	Bounds Bounds
	// MaxRequests limits the requests that Outline works on at a time. 0 is no limit.
	MaxRequests int
	// Shared reports that several subjects use the client. Then none of them gets all
	// that is limited: MaxRequests, and the rate limits that Outline has told of.
	Shared bool
	// Limiter decides when requests may be sent. The default is a
	// transport.RateLimiter.
	Limiter transport.Limiter
	// Log receives no tokens, arguments or document text. nil disables logging.
	Log *slog.Logger
	// Observe is called after each attempt with the context of the call. nil
	// disables the callback.
	Observe func(context.Context, Attempt)
}

// A Client calls one Outline instance with the credential that its
// CredentialSource returns for each call. It is safe for concurrent use. It does
// not follow redirects and keeps no cookies.
type Client struct {
	http        *resty.Client // holds no token: each request has its own
	base        string
	host        string
	aliases     []string // other hosts of the instance
	credentials CredentialSource
	buffers     transport.Buffers
	limiter     transport.Limiter
	support     knownSupport
	own         ownStates
	created     expiring.Map[string, string] // collections that were created last, by the subjects of their credentials
	writers     writers
	exclusive   *transport.FairQueue // of exclusive requests, which are sent one at a time
	// createsAlone: creates are exclusive, because one has failed, perhaps beside another.
	createsAlone atomic.Bool
	requests     *transport.FairQueue // of all requests; nil is no limit
	large        largeAnswers
	bounds       Bounds
	log          *slog.Logger
	observe      func(context.Context, Attempt)

	requestTimeout time.Duration
	maxRetries     int
	maxRetryWait   time.Duration
	maxAnswer      int64
}

// New returns a client. It makes no request. It fails if BaseURL cannot be the
// address of an API.
func New(o Options) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("the Outline address is not a valid URL: %w", err)
	}
	if o.Transport == nil {
		if o.Transport, err = transport.New(transport.Options{}); err != nil {
			return nil, err
		}
	}
	c := &Client{
		// Not resty.New, whose cookie jar would send one user's cookies with
		// another's requests, and whose redirects would change POST to GET.
		http: resty.NewWithClient(&http.Client{
			Transport:     o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		base:           base,
		host:           u.Host,
		aliases:        o.URLAliases,
		credentials:    o.Credentials,
		exclusive:      transport.NewFairQueue(1, false),
		large:          newLargeAnswers(),
		bounds:         o.Bounds,
		log:            cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		observe:        o.Observe,
		requestTimeout: cmp.Or(max(o.RequestTimeout, 0), 20*time.Second),
		maxRetries:     o.MaxRetries,
		maxRetryWait:   cmp.Or(max(o.MaxRetryWait, 0), 20*time.Second),
		maxAnswer:      min(cmp.Or(max(o.MaxAnswerBytes, 0), 32<<20), math.MaxInt64-1),
	}
	if c.credentials == nil {
		c.credentials = StaticKey("")
	}
	if c.limiter = o.Limiter; c.limiter == nil {
		c.limiter = transport.NewRateLimiter(o.Shared)
	}
	if o.MaxRequests > 0 {
		c.requests = transport.NewFairQueue(o.MaxRequests, o.Shared)
	}
	c.http.SetPreRequestHook(sendUpload)
	c.http.SetLogger(noLogger{}).
		SetHeaders(map[string]string{
			// An Accept that prefers HTML gets error pages.
			"Accept":       "application/json",
			"Content-Type": "application/json",
			"User-Agent":   cmp.Or(o.UserAgent, "outline-mcp"),
		})
	return c, nil
}

// CloseIdleConnections closes the connections that are not in use.
func (c *Client) CloseIdleConnections() { c.http.GetClient().CloseIdleConnections() }

// String returns the address of the instance.
func (c *Client) String() string { return "outline.Client(" + c.base + ")" }

// GoString keeps %#v from printing what String omits.
func (c *Client) GoString() string { return c.String() }

// noLogger replaces resty's logger, which writes to stderr.
type noLogger struct{}

func (noLogger) Errorf(string, ...any) {}
func (noLogger) Warnf(string, ...any)  {}
func (noLogger) Debugf(string, ...any) {}

// KeysPage is where people create API keys in Outline: the page of current
// versions, and the one of older versions.
const KeysPage = "Settings → API & Apps (older versions: Settings → API)"

// A Credential authorizes one request.
type Credential struct {
	// Token is the API key or access token to send. If it is empty or blank, the
	// call fails with ErrNoKey.
	Token string
	// Subject is a stable name for the owner of the token. It is never sent. Rate
	// limits are tracked by subject, so that they survive the renewal of a token.
	// If it is empty, a hash of the token is used.
	Subject string
	// Renew is called if Outline rejects the token (401). If it returns nil, the source
	// has another token, and the attempt is made again; otherwise the call fails as if
	// the source had failed. nil means that there is nothing to renew.
	Renew func(context.Context) error
	// Group names owners who together get what one gets of that which all share: the
	// requests at a time, and the limits of one address. If it is empty, the owner is alone.
	Group string
}

// subject returns the name by which limits are tracked, never the token itself.
func (c Credential) subject() string {
	if c.Subject != "" {
		return "subject:" + c.Subject
	}
	sum := sha256.Sum256([]byte(c.Token))
	return "token:" + string(sum[:])
}

// A CredentialSource returns the credential for a call. It is called once for
// each attempt, with the context of the call, and must be safe for concurrent
// use. The token must stay valid for at least Options.MaxRetryWait, because the
// attempt may have to wait for a rate limit. If the source fails, nothing is
// sent, and the call fails with ErrNoKey or, if the context has ended, with
// ErrCancelled or ErrTimeout.
type CredentialSource func(ctx context.Context) (Credential, error)

// StaticKey returns a source of one API key for all calls.
func StaticKey(key string) CredentialSource {
	return func(context.Context) (Credential, error) { return Credential{Token: key}, nil }
}

// credential returns the credential for one attempt.
func (c *Client) credential(ctx context.Context, endpoint string) (Credential, *Error) {
	credential, err := c.credentials(ctx)
	if err != nil {
		return Credential{}, noCredential(ctx, endpoint, err)
	}
	return credential, checkToken(endpoint, credential.Token)
}

// noCredential returns the failure of a call whose source has failed.
func noCredential(ctx context.Context, endpoint string, err error) *Error {
	if ctxErr(ctx) != nil {
		return endError(endpoint, ctxErr(ctx))
	}
	// An error that the source has from Outline says nothing about this
	// request, which was not sent: only its text is kept.
	var fromOutline *Error
	if errors.As(err, &fromOutline) {
		err = errors.New(err.Error())
	}
	return &Error{Endpoint: endpoint, Message: "no credential for Outline could be obtained", Err: err, kind: ErrNoKey}
}

// checkToken rejects a token that cannot be sent. net/http would reject one
// with a line break, too, but only after the connection is made.
func checkToken(endpoint, token string) *Error {
	if strings.TrimSpace(token) == "" {
		return &Error{Endpoint: endpoint, Message: "no Outline API key", Remedy: SetCredential, kind: ErrNoKey}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &Error{Endpoint: endpoint, Message: "the Outline API key holds a space, a line break or another character that no key has", Remedy: CheckCredential, kind: ErrUnauthorized}
	}
	return nil
}

// A Trace is the trace that a call belongs to (W3C Trace Context). The client
// passes it on to Outline unchanged.
type Trace struct {
	Parent string // value of traceparent; if it is empty, nothing is sent
	State  string // value of tracestate; may be empty
}

type traceKey struct{}

// ContextWithTrace returns a context whose calls carry a trace. The values must be
// valid in an HTTP header.
func ContextWithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace that the calls of a context carry, if any.
func TraceOf(ctx context.Context) Trace {
	trace, _ := ctx.Value(traceKey{}).(Trace)
	return trace
}

func traceHeaders(ctx context.Context) map[string]string {
	trace := TraceOf(ctx)
	if trace.Parent == "" {
		return nil
	}
	headers := map[string]string{"Traceparent": trace.Parent}
	if trace.State != "" {
		headers["Tracestate"] = trace.State
	}
	return headers
}

// An Attempt describes one request to Outline.
type Attempt struct {
	Endpoint string        // e.g. documents.info
	Status   int           // HTTP status of the answer, 0 if it did not arrive completely
	Duration time.Duration // including the answer
	Command  bool          // whether it changes something, or would have
	Retry    bool          // whether it repeats an attempt that failed
	Waited   time.Duration // how long it had to wait for a rate limit, or for other requests
}
