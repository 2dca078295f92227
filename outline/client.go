// Package outline is a client of the REST API of Outline
// (https://www.getoutline.com/developers): one method per endpoint, typed
// answers of which only what is used is decoded, and one typed error.
//
// Every endpoint is a POST of a JSON body to {base}/namespace.method. Calls
// that only read are repeated after transient failures; see [Options]. Calls
// that change something are repeated when they were refused for their rate or
// never left. Where their answer was lost, the state of what they change is
// read back: they succeed if it is as it was to be, and are repeated only where
// that cannot do anything twice. Whether one that failed may have been carried
// out all the same is told by [OutcomeUnknown].
//
// A call takes the document or collection that it is about, its id, as a UUID
// or a URL id. Any other identifier, such as a CollectionID or a
// ParentDocumentID, and that of anything else must be a UUID, which is for the
// caller to see to: Outline answers with ErrInvalid. See
// [Client.ResolveCollectionID].
package outline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/go-resty/resty/v2"

	"outline-mcp/outline/transport"
)

// Options configure a [Client]. Zero values are usable defaults apart from
// BaseURL.
type Options struct {
	BaseURL        string            // of the API, as ParseBaseURL takes it
	Credentials    CredentialSource  // of each call; nil: calls fail with ErrNoKey and nothing is sent
	UserAgent      string            // e.g. outline-mcp/1.2.3; "": outline-mcp
	Transport      http.RoundTripper // nil: transport.New(transport.Options{})
	RequestTimeout time.Duration     // for one attempt, its answer included; 0: 20 s. AnswerQuestion has none
	MaxRetries     int               // repetitions after the first attempt; 0: none
	MaxRetryWait   time.Duration     // longest single wait before a repetition; 0: 20 s
	MaxAnswerBytes int64             // longest answer, decompressed; 0: 32 MiB
	Log            *slog.Logger      // nil: discard. Gets no keys, arguments or document text
	// Observe is told of each attempt when it has ended, with the context of
	// the call; nil: nobody is.
	Observe func(context.Context, Attempt)
}

// Client calls one Outline instance, on behalf of whom its CredentialSource
// names for each call. It is safe for concurrent use. It follows no redirects and keeps no cookies.
type Client struct {
	http        *resty.Client // holds no token: each request brings its own
	base        string
	host        string
	credentials CredentialSource
	buffers     transport.Buffers
	limiter     transport.RateLimiter[limit]
	known       known
	alone       chan struct{} // held by the one exclusive request that is being sent
	log         *slog.Logger
	observe     func(context.Context, Attempt)

	requestTimeout time.Duration
	maxRetries     int
	maxRetryWait   time.Duration
	maxAnswer      int64
}

// New returns a client. It fails when BaseURL is not an address of an API; no
// request is made.
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
		credentials:    o.Credentials,
		alone:          make(chan struct{}, 1),
		log:            cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		observe:        o.Observe,
		requestTimeout: o.RequestTimeout,
		maxRetries:     o.MaxRetries,
		maxRetryWait:   o.MaxRetryWait,
		maxAnswer:      o.MaxAnswerBytes,
	}
	if c.credentials == nil {
		c.credentials = StaticKey("")
	}
	if c.requestTimeout <= 0 {
		c.requestTimeout = 20 * time.Second
	}
	if c.maxRetryWait <= 0 {
		c.maxRetryWait = 20 * time.Second
	}
	if c.maxAnswer <= 0 {
		c.maxAnswer = 32 << 20
	}
	c.maxAnswer = min(c.maxAnswer, math.MaxInt64-1)
	c.http.SetLogger(silent{}).
		SetHeaders(map[string]string{
			// An Accept that prefers HTML gets error pages.
			"Accept":       "application/json",
			"Content-Type": "application/json",
			"User-Agent":   cmp.Or(o.UserAgent, "outline-mcp"),
		})
	return c, nil
}

// CloseIdleConnections closes the connections that no request is using.
func (c *Client) CloseIdleConnections() { c.http.GetClient().CloseIdleConnections() }

// String names the instance. It keeps the key out of printed values.
func (c *Client) String() string { return "outline.Client(" + c.base + ")" }

// GoString does for %#v what String does for %v.
func (c *Client) GoString() string { return c.String() }

// envelope is what surrounds every successful answer.
type envelope[T any] struct {
	OK         bool       `json:"ok"`
	Data       *T         `json:"data"`
	Pagination pagination `json:"pagination"`

	date time.Time // when the server made it, by its own clock
}

// dated takes the time of an answer from its Date header (RFC 9110, section
// 6.6.1), or that of this machine where there is none.
func (e *envelope[T]) dated(h http.Header) {
	var err error
	if e.date, err = http.ParseTime(h.Get("Date")); err != nil {
		e.date = time.Now()
	}
}

// query calls an endpoint that changes nothing, and may therefore be repeated
// after any transient failure. The Data of its answer is never nil.
func query[T any](ctx context.Context, c *Client, endpoint string, params any) (envelope[T], error) {
	var answer envelope[T]
	if failure := c.call(ctx, request{endpoint: endpoint, params: params}, transient, &answer); failure != nil {
		return envelope[T]{}, failure
	}
	if failure := answer.failure(endpoint); failure != nil {
		return envelope[T]{}, failure
	}
	return answer, nil
}

// failure tells what an answer lacks that every successful one has.
func (e envelope[T]) failure(endpoint string) *Error {
	switch {
	case !e.OK:
		return wrongShape(endpoint, `it lacks "ok": true`)
	case e.Data == nil:
		return wrongShape(endpoint, `it has no "data"`)
	}
	return nil
}

// A request is what a call sends.
type request struct {
	endpoint string
	params   any
	// exclusive requests are sent one at a time, whoever makes them: Outline
	// deadlocks when several moves or permanent deletes run side by side. A
	// request waits for its turn only while it is sent, not while its call waits
	// for a rate limit, which concerns one subject.
	exclusive bool
	unlimited bool // Options.RequestTimeout does not apply
}

// call sends a request, repeats it as long as may allows it, and decodes the
// answer into answer.
func (c *Client) call(ctx context.Context, r request, may func(*Error) bool, answer any) *Error {
	payload, err := json.Marshal(r.params)
	if err != nil {
		return &Error{Endpoint: r.endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	return c.repeat(ctx, r.endpoint, may, func(token string) *Error {
		if r.exclusive {
			select {
			case c.alone <- struct{}{}:
				defer func() { <-c.alone }()
			case <-ctx.Done():
				return ended(r.endpoint, ctx.Err())
			}
		}
		return c.post(ctx, r, token, payload, answer)
	})
}

// post makes one attempt.
func (c *Client) post(ctx context.Context, r request, token string, payload []byte, answer any) *Error {
	if err := ctxErr(ctx); err != nil {
		return ended(r.endpoint, err)
	}
	start := time.Now()
	timeout := c.requestTimeout
	if r.unlimited {
		timeout = math.MaxInt64
	}
	attempt, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	connecting, traced := transport.TraceConnecting(attempt)

	response, err := c.http.R().
		SetContext(traced).
		SetHeaders(traceHeaders(ctx)).
		SetAuthToken(token).
		SetDoNotParseResponse(true). // read here: limited, into a reused buffer
		SetBody(bytes.NewReader(payload)).
		Post(c.base + "/" + r.endpoint)
	if err != nil {
		failure := c.transportFailure(ctx, attempt, r.endpoint, token, err)
		failure.sent = failure.sent && !connecting.Load()
		c.record(ctx, r.endpoint, 0, start, failure)
		return failure
	}
	raw := response.RawResponse
	defer raw.Body.Close()

	failure := c.read(raw, r.endpoint, token, answer)
	if failure != nil && failure.kind == errBroken {
		failure = c.transportFailure(ctx, attempt, r.endpoint, token, failure.Err)
	}
	if failure != nil {
		failure.sent = true
	}
	c.record(ctx, r.endpoint, raw.StatusCode, start, failure)
	return failure
}

func (c *Client) record(ctx context.Context, endpoint string, status int, start time.Time, failure *Error) {
	if !c.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("endpoint", endpoint), slog.Int("status", status), slog.Duration("duration", time.Since(start)),
	}
	if failure != nil {
		attrs = append(attrs, slog.String("failure", failure.Kind().Error()))
	}
	c.log.LogAttrs(ctx, slog.LevelDebug, "Outline request", attrs...)
}

// silent keeps resty's logger, which writes to stderr, quiet.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
