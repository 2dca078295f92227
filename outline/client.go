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
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
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
	known       known
	own         ownStates
	created     expiring.Map[string, string] // collections that were created last, by the subjects of their credentials
	writers     writers
	exclusive   *transport.FairQueue // of exclusive requests, which are sent one at a time
	requests    *transport.FairQueue // of all requests; nil is no limit
	large       largeAnswers
	bounds      Bounds
	log         *slog.Logger
	observe     func(context.Context, Attempt)

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
	c.http.SetLogger(silent{}).
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

// GoString keeps %#v from printing what String leaves out.
func (c *Client) GoString() string { return c.String() }

// silent replaces resty's logger, which writes to stderr.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
