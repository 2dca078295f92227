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
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
)

// Options configure a [Client]. Zero values are usable defaults apart from
// BaseURL.
type Options struct {
	BaseURL        string            // of the API, as ParseBaseURL takes it
	Key            string            // API key; "": calls fail with ErrNoKey and nothing is sent
	UserAgent      string            // e.g. outline-mcp/1.2.3; "": outline-mcp
	Transport      http.RoundTripper // nil: NewTransport(TransportOptions{})
	RequestTimeout time.Duration     // for one attempt, its answer included; 0: 20 s. AnswerQuestion has none
	MaxRetries     int               // repetitions after the first attempt; 0: none
	MaxRetryWait   time.Duration     // longest single wait before a repetition; 0: 20 s
	MaxAnswerBytes int64             // longest answer, decompressed; 0: 32 MiB
	Log            *slog.Logger      // nil: discard. Gets no keys, arguments or document text
	// Observe is told of each attempt when it has ended, with the context of
	// the call; nil: nobody is.
	Observe func(context.Context, Attempt)
}

// Client calls one Outline instance with one API key. It is safe for
// concurrent use. It follows no redirects and keeps no cookies.
type Client struct {
	http    *resty.Client // holds no key: each request brings its own
	base    string
	host    string
	key     string
	buffers *bufferPool
	gates   *gates
	known   *known
	alone   chan struct{} // held by the one request that must have none of its kind beside it
	log     *slog.Logger
	observe func(context.Context, Attempt)

	requestTimeout time.Duration
	maxRetries     int
	maxRetryWait   time.Duration
	maxAnswer      int64

	deadlocks bool // calls of this kind deadlock Outline when they go side by side
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
	transport := o.Transport
	if transport == nil {
		if transport, err = NewTransport(TransportOptions{}); err != nil {
			return nil, err
		}
	}
	c := &Client{
		// Not resty.New, whose cookie jar would send one user's cookies with
		// another's requests, and whose redirects would change POST to GET.
		http: resty.NewWithClient(&http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		base:           base,
		host:           u.Host,
		key:            o.Key,
		buffers:        new(bufferPool),
		gates:          new(gates),
		known:          new(known),
		alone:          make(chan struct{}, 1),
		log:            cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		observe:        o.Observe,
		requestTimeout: o.RequestTimeout,
		maxRetries:     o.MaxRetries,
		maxRetryWait:   o.MaxRetryWait,
		maxAnswer:      o.MaxAnswerBytes,
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

// WithKey returns a client for another API key. The two share connections, and
// nothing that one learns with its key.
func (c *Client) WithKey(key string) *Client {
	other := *c
	other.key = key
	return &other
}

// WithoutRetry returns a client whose calls make one attempt and never wait
// for a rate limit.
func (c *Client) WithoutRetry() *Client {
	other := *c
	other.maxRetries = 0
	return &other
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
	if failure := c.call(ctx, endpoint, params, transient, &answer); failure != nil {
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

// call sends params to an endpoint, repeats as long as may allows it, and
// decodes the answer into answer.
func (c *Client) call(ctx context.Context, endpoint string, params any, may func(*Error) bool, answer any) *Error {
	if failure := checkKey(endpoint, c.key); failure != nil {
		return failure
	}
	payload, err := json.Marshal(params)
	if err != nil {
		return &Error{Endpoint: endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	return c.repeat(ctx, endpoint, may, func() *Error {
		if c.deadlocks {
			select {
			case c.alone <- struct{}{}:
				defer func() { <-c.alone }()
			case <-ctx.Done():
				return ended(endpoint, ctx.Err())
			}
		}
		return c.post(ctx, endpoint, payload, answer)
	})
}

// oneAtATime returns a client whose requests have none of their kind beside
// them, whichever key they are made with: several moves, or permanent deletes,
// at a time deadlock Outline. It is held for each request by itself and not
// while a call waits for a rate limit, which is one key's affair.
func (c *Client) oneAtATime() *Client {
	other := *c
	other.deadlocks = true
	return &other
}

// post makes one attempt.
func (c *Client) post(ctx context.Context, endpoint string, payload []byte, answer any) *Error {
	if err := ctxErr(ctx); err != nil {
		return ended(endpoint, err)
	}
	start := time.Now()
	attempt, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	connecting, traced := traceConnecting(attempt)

	response, err := c.http.R().
		SetContext(traced).
		SetHeaders(traceHeaders(ctx)).
		SetAuthToken(c.key).
		SetDoNotParseResponse(true). // read here: limited, into a reused buffer
		SetBody(bytes.NewReader(payload)).
		Post(c.base + "/" + endpoint)
	if err != nil {
		failure := c.transportFailure(ctx, attempt, endpoint, err)
		failure.sent = failure.sent && !connecting.Load()
		c.record(ctx, endpoint, 0, start, failure)
		return failure
	}
	raw := response.RawResponse
	defer raw.Body.Close()

	failure := c.read(raw, endpoint, answer)
	if failure != nil && failure.kind == errBroken {
		failure = c.transportFailure(ctx, attempt, endpoint, failure.Err)
	}
	if failure != nil {
		failure.sent = true
	}
	c.record(ctx, endpoint, raw.StatusCode, start, failure)
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

// checkKey refuses a key that cannot be sent. net/http would refuse one with
// a line break, too, but only after the connection is made.
func checkKey(endpoint, key string) *Error {
	if strings.TrimSpace(key) == "" {
		return &Error{Endpoint: endpoint, Message: "no Outline API key: set OUTLINE_API_KEY", kind: ErrNoKey}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &Error{Endpoint: endpoint, Message: "the Outline API key holds a space, a line break or another character that no key has: check OUTLINE_API_KEY", kind: ErrUnauthorized}
	}
	return nil
}

// silent keeps resty's logger, which writes to stderr, quiet.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
