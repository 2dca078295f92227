package outline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"outline-mcp/outline/transport"
)

// query calls an endpoint that changes nothing, and returns the data of the
// answer. check returns what is missing from the data, or ""; nil checks nothing.
func query[T any](ctx context.Context, c *Client, endpoint string, params any, check func(T) string) (T, error) {
	return fetch(ctx, c, reading.request(endpoint, params), check)
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

// call sends a request and decodes the answer, which tells what it lacks.
func (c *Client) call(ctx context.Context, r request, answer interface{ lacks() string }) error {
	_, err := c.callAt(ctx, r, answer)
	return err
}

// callAt is like call, and returns when the answer was sent, by the server's clock.
func (c *Client) callAt(ctx context.Context, r request, answer interface{ lacks() string }) (time.Time, error) {
	reply, err := c.ask(ctx, r)
	if err != nil {
		return time.Time{}, err
	}
	defer reply.done()
	objectsOf(ctx, r).answers(r, reply.body)
	if failure := reply.decode(answer); failure != nil {
		return time.Time{}, failure
	}
	return reply.sent(), nil
}

// ask sends a request and returns the reply. A request that changes nothing is repeated
// after any transient failure, a command only if it was refused unread.
func (c *Client) ask(ctx context.Context, r request) (reply, error) {
	if text, ok := r.params.(interface{ cells() int }); ok && ctx.Err() == nil {
		if err := CheckTables(text.cells()); err != nil {
			return reply{}, err
		}
	}
	payload, err := marshal(r.endpoint, r.params)
	if err != nil {
		return reply{}, err
	}
	if err := mayCommand(ctx, r, payload); err != nil {
		return reply{}, &Error{Endpoint: r.endpoint, Message: "the request was not sent", Err: err, kind: ErrWithheld}
	}
	if c.bounds != nil && c.bounds.Apply(ctx) {
		return c.askWithin(ctx, r, payload)
	}
	answer, failure := c.send(ctx, r, payload)
	if failure != nil {
		return reply{}, failure
	}
	return answer, nil
}

// maxCells is how many cells the tables of a text may have. Outline works on a text with
// 5,000 cells for several seconds, in which it answers nobody, and may give up after ten.
const maxCells = 5000

// CheckTables returns an error if tables with so many cells are not sent.
func CheckTables(cells int) error {
	if cells <= maxCells {
		return nil
	}
	return &Error{kind: ErrTables, Message: fmt.Sprintf("the tables in the text have %d cells (rows × columns), more than the %d that can be sent: "+
		"Outline answers no other requests while it works on them; split them into several documents, or attach the data as a file", cells, maxCells)}
}

// marshal returns the arguments of a request as JSON.
func marshal(endpoint string, params any) ([]byte, error) {
	payload, err := json.Marshal(params)
	if err != nil {
		return nil, &Error{Endpoint: endpoint, Message: "the arguments cannot be sent as JSON", Err: err, kind: ErrInvalid}
	}
	return payload, nil
}

// send is ask without what limits it.
func (c *Client) send(ctx context.Context, r request, payload []byte) (answer reply, failure *Error) {
	failure = c.repeat(ctx, r, func(token string, answering func()) (failure *Error) {
		answer, failure = c.post(ctx, r, token, payload, answering)
		return failure
	})
	if failure == nil {
		return answer, nil
	}
	if suspension := c.suspension(ctx, failure); suspension != nil {
		suspension.Endpoint, failure = r.endpoint, suspension
	}
	if failure.Kind() == ErrNotFound && !r.optional() && !names(payload) {
		failure.Message, failure.Remedy = "there is no Outline API at "+c.base, CheckAddress
	}
	// A command that was refused, or never sent, cannot have been carried out.
	refused := failure.Status >= 300 && failure.Status < 500 && !brokenOff(failure.Status)
	failure.outcomeUnknown = r.command() && failure.sent && !refused
	return reply{}, failure
}

// suspension returns the error of documents.list if it says that the owner of the token
// is suspended. Outline 1.9.2 answers documents.info and documents.search as if the token
// were unknown then, because these can be called without one.
func (c *Client) suspension(ctx context.Context, failure *Error) *Error {
	if !failure.sent || failure.Kind() != ErrUnauthorized || failure.Endpoint != "documents.info" && failure.Endpoint != "documents.search" {
		return nil
	}
	_, err := query[json.RawMessage](WithCallOptions(ctx, NoRetries()), c, "documents.list", ListParams{Limit: 1}, nil)
	if suspended, ok := errors.AsType[*Error](err); ok && Suspended(err) {
		return suspended
	}
	return nil
}

// mayCommand returns an error if a request changes something and must not be sent.
func mayCommand(ctx context.Context, r request, payload []byte) error {
	objects := objectsOf(ctx, r)
	if !r.command() {
		objects.asks(r, payload)
		return nil
	}
	if may := optionsOf(ctx).mayCommand; may != nil {
		if err := may(ctx); err != nil {
			return err
		}
	}
	objects.asks(r, payload)
	if objects == nil || objects.BeforeWrite == nil {
		return nil
	}
	return objects.BeforeWrite(ctx, r.endpoint, accessIn(r.endpoint, payload))
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
func (c *Client) post(ctx context.Context, r request, token string, payload []byte, answering func()) (reply, *Error) {
	if err := ctxErr(ctx); err != nil {
		return reply{}, unsentEndError(r.endpoint, err)
	}
	start := time.Now()
	timeout := c.requestTimeout
	if r.unlimited() {
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
		traced = context.WithValue(traced, uploadKey{}, r.upload)
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
		return reply{}, failure
	}
	// An answer that waits until it may be read must not keep others from being sent:
	// what it waits for may be one of them (see Client.takePlace).
	answering()
	raw := response.RawResponse
	defer raw.Body.Close()

	place, done := c.placeOf(ctx, r)
	buf := c.buffers.Get()
	length := int64(0)
	answer, failure := c.read(raw, r, token, buf, func(bytes int64) error {
		length = bytes
		return c.takePlace(attempt, place, bytes, r.kind)
	})
	answer.done = func() {
		c.buffers.Put(buf)
		if r.kind == listing {
			place.add(-length)
		}
		done()
	}
	if r.kind != scanning {
		place.add(length)
	}
	if failure != nil {
		answer.done()
		if failure.kind == errBroken {
			failure = c.transportFailure(ctx, attempt, r.endpoint, token, failure.Err)
		}
		failure.sent = true
	}
	c.record(ctx, r.endpoint, raw.StatusCode, start, failure)
	return answer, failure
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

// A CallOption changes how calls are made. Options apply to all calls of the
// context that carries them; see [WithCallOptions].
type CallOption func(*callOptions)

type callOptions struct {
	noRetries    bool
	noLimitWaits bool
	maxRetryWait time.Duration
	mayCommand   func(context.Context) error // see BeforeCommands
	inPassing    bool
	toChange     bool
}

type callOptionsKey struct{}

// WithCallOptions returns a context with options for the calls made with it and
// for all requests of these calls. Options of the parent context stay in force:
// an option can only restrict what the client and the parent allow.
func WithCallOptions(ctx context.Context, options ...CallOption) context.Context {
	o := optionsOf(ctx)
	for _, option := range options {
		option(&o)
	}
	return context.WithValue(ctx, callOptionsKey{}, o)
}

// NoRetries limits calls to one attempt without waiting for a rate limit. An
// update that conflicts with those of others is still made again for what they
// have written.
func NoRetries() CallOption { return func(o *callOptions) { o.noRetries = true } }

// MaxRetryWait limits a single wait before a repetition or for a rate limit. It
// cannot extend Options.MaxRetryWait. 0 or less is the same as NoRetries.
func MaxRetryWait(d time.Duration) CallOption {
	return func(o *callOptions) {
		o.maxRetryWait = min(o.maxRetryWait, d)
		o.noRetries = o.noRetries || d <= 0
	}
}

// BeforeCommands calls f before each request that changes something. If f fails, the
// request is not sent: the call fails with ErrWithheld and wraps the error of f. f
// may be called by several goroutines at a time.
func BeforeCommands(f func(context.Context) error) CallOption {
	return func(o *callOptions) { o.mayCommand = f }
}

// InPassing keeps what calls read out of [Objects], because it is not what the caller
// asked for. What they change is collected nevertheless.
func InPassing() CallOption { return func(o *callOptions) { o.inPassing = true } }

// ToChange says that what calls read by its ID is to be changed afterwards. The calls fail
// where [Bounds] would refuse that, before anything else is checked or asked about it.
func ToChange() CallOption { return func(o *callOptions) { o.toChange = true } }

// NoLimitWaits lets calls fail at once if a rate limit is used up, because others
// wait for what the caller holds.
func NoLimitWaits() CallOption { return func(o *callOptions) { o.noLimitWaits = true } }

func optionsOf(ctx context.Context) callOptions {
	if o, ok := ctx.Value(callOptionsKey{}).(callOptions); ok {
		return o
	}
	return callOptions{maxRetryWait: math.MaxInt64}
}

// retries returns how often a call may be repeated, and the longest wait
// before each repetition.
func (c *Client) retries(ctx context.Context) (n int, wait time.Duration) {
	o := optionsOf(ctx)
	if o.noRetries {
		return 0, min(c.maxRetryWait, o.maxRetryWait)
	}
	return c.maxRetries, min(c.maxRetryWait, o.maxRetryWait)
}
