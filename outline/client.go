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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

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
	limiter     transport.RateLimiter
	known       known
	own         ownStates
	created     newCollections
	writers     writers
	exclusive   chan struct{} // held by the one exclusive request that is being sent
	large       largeAnswers
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
		exclusive:      make(chan struct{}, 1),
		large:          newLargeAnswers(),
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

// query calls an endpoint that changes nothing, and returns the data of the
// answer. check returns what is missing from the data, or ""; nil checks nothing.
func query[T any](ctx context.Context, c *Client, endpoint string, params any, check func(T) string) (T, error) {
	return fetch(ctx, c, request{endpoint: endpoint, params: params}, check)
}

// fetch makes a request and returns the data of the answer. check is as for
// query.
func fetch[T any](ctx context.Context, c *Client, r request, check func(T) string) (T, error) {
	answer := envelope[T]{check: check}
	if err := c.call(ctx, r, &answer); err != nil {
		var none T
		return none, err
	}
	return *answer.Data, nil
}

// A request is one call of an endpoint.
type request struct {
	endpoint string
	params   any
	// exclusive requests are sent one at a time, for all subjects together:
	// Outline deadlocks when several moves or permanent deletes run at once. A
	// call that waits for a rate limit, which concerns one subject, does not hold
	// up the others.
	exclusive bool
	unlimited bool    // RequestTimeout does not apply
	optional  bool    // not every server has the endpoint
	command   bool    // it changes something
	passing   bool    // of the answer, little is kept when it has been decoded
	page      bool    // the answer is kept only until the next ones arrive
	version   string  // of the API; "" is the server's default
	upload    *upload // the body, in place of params; it can be sent once only
}

// An upload is a body that is read while it is sent.
type upload struct {
	reader      io.Reader
	contentType string
	size        int64 // in bytes
}

// uploading is the key of an upload in the context of its request.
type uploading struct{}

// sendUpload gives a request its upload as the body: resty would hold the whole of it
// in memory.
func sendUpload(_ *resty.Client, r *http.Request) error {
	if u, ok := r.Context().Value(uploading{}).(*upload); ok {
		r.Body, r.ContentLength, r.GetBody = io.NopCloser(u.reader), u.size, nil
	}
	return nil
}

// call sends a request and decodes the answer, which tells what it lacks. A
// request that changes nothing is repeated after any transient failure, a command
// only if it was refused unread.
func (c *Client) call(ctx context.Context, r request, answer interface{ lacks() string }) error {
	if may := optionsOf(ctx).mayCommand; may != nil && r.command {
		if err := may(ctx); err != nil {
			return &Error{Endpoint: r.endpoint, Message: "the request was not sent", Err: err, kind: ErrWithheld}
		}
	}
	payload, err := json.Marshal(r.params)
	if err != nil {
		return &Error{Endpoint: r.endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	failure := c.repeat(ctx, r, func(token string) *Error {
		if r.exclusive {
			select {
			case c.exclusive <- struct{}{}:
				defer func() { <-c.exclusive }()
			case <-ctx.Done():
				return ended(r.endpoint, ctx.Err())
			}
		}
		return c.post(ctx, r, token, payload, answer)
	})
	if failure == nil {
		why := answer.lacks()
		if why == "" {
			return nil
		}
		failure = wrongShape(r.endpoint, why)
	}
	if failure.Kind() == ErrNotFound && !r.optional && !names(payload) {
		failure.Message, failure.Remedy = "there is no Outline API at "+c.base, CheckAddress
	}
	// A command that was refused, or never sent, cannot have been carried out.
	refused := failure.Status >= 300 && failure.Status < 500
	failure.outcomeUnknown = r.command && failure.sent && !refused
	return failure
}

// names reports whether the arguments of a request name something that may not
// exist: they have a field such as id or documentId.
func names(payload []byte) bool {
	var arguments map[string]json.RawMessage
	if json.Unmarshal(payload, &arguments) != nil {
		return false
	}
	for field := range arguments {
		if field == "id" || strings.HasSuffix(field, "Id") {
			return true
		}
	}
	return false
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

	message := c.http.R()
	if r.version != "" {
		message.SetHeader("x-api-version", r.version)
	}
	if r.upload != nil {
		traced = context.WithValue(traced, uploading{}, r.upload)
		message.SetHeader("Content-Type", r.upload.contentType)
	}
	response, err := message.
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

	keeps, done := keeper(ctx, r)
	defer done()
	length := int64(0)
	failure := c.read(raw, r.endpoint, token, answer, func(bytes int64) error {
		length = bytes
		return keeps.reserve(attempt, c.large, bytes, r.command)
	})
	if !r.page {
		keeps.add(length)
	}
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

// silent replaces resty's logger, which writes to stderr.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
