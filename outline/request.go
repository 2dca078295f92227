package outline

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"outline-mcp/outline/transport"
)

// A request is one call of an endpoint.
type request struct {
	endpoint string
	params   any // of an upload, those in its form
	kind     kind
	version  string  // of the API; "" is the server's default
	upload   *upload // the body, which has params in it; it can be sent once only
	about    any     // what Bounds are told beside params; not sent
}

// A kind is what calls have in common.
type kind int

const (
	reading  kind = iota // returns what is kept as long as [WithPlace] says
	listing              // returns what little is kept of when it has been decoded
	scanning             // returns a page that is kept only until the next one arrives
	linking              // returns a redirect to a file
	asking               // waits for a language model, without RequestTimeout
	changing             // is a command: it changes something
	// changingAlone is a command that is sent one at a time, for all subjects together:
	// Outline deadlocks when several moves or permanent deletes run at once, and releases
	// when several creates do in one collection. A call that waits for a rate limit, which
	// concerns one subject, does not hold up the others.
	changingAlone
)

// request returns a request of the kind.
func (k kind) request(endpoint string, params any) request {
	return request{endpoint: endpoint, params: params, kind: k}
}

// linkTo requests return a redirect to a file. about is what [Bounds] are told beside
// params.
func linkTo(endpoint string, params, about any) request {
	return request{endpoint: endpoint, params: params, kind: linking, about: about}
}

// uploadTo requests are commands with a body that is read while it is sent, without
// RequestTimeout.
func uploadTo(endpoint string, params any, body *upload) request {
	return request{endpoint: endpoint, params: params, kind: changing, upload: body}
}

// command reports whether the request changes something.
func (r request) command() bool { return r.kind >= changing }

// unlimited reports whether RequestTimeout does not apply.
func (r request) unlimited() bool { return r.kind == asking || r.upload != nil }

// optional reports whether not every server has the endpoint.
func (r request) optional() bool {
	return r.endpoint == "documents.answerQuestion" || strings.HasPrefix(r.endpoint, "oauthClients.")
}

// An upload is a body that is read while it is sent.
type upload struct {
	reader      io.Reader
	contentType string
	size        int64 // in bytes
}

// uploadKey is the key of an upload in the context of its request.
type uploadKey struct{}

// sendUpload gives a request its upload as the body: resty would hold the whole of it
// in memory.
func sendUpload(_ *resty.Client, r *http.Request) error {
	if u, ok := r.Context().Value(uploadKey{}).(*upload); ok {
		r.Body, r.ContentLength, r.GetBody = io.NopCloser(u.reader), u.size, nil
	}
	return nil
}

// maxRenewals is how often the credential of one request is renewed. Another program may
// renew the new one before it is sent.
const maxRenewals = 3

// repeat makes attempts until one succeeds, one fails in a way that must not be
// repeated, or the retries are used up, and returns the last failure. It waits between
// attempts for as long as the server asks (Retry-After, RateLimit-Reset), or for
// a jittered exponential backoff. It does not start a wait that is longer than
// the call allows or would pass the deadline of the context, but returns the
// failure at once. After a 429, other calls of the same subject to the endpoint
// wait as well, and those of all subjects if the limit is theirs in common (see
// transport.RateLimiter).
//
// Resty's own retry is not used: it shortens a Retry-After to its maximum and
// then repeats too early, ignores the deadline, loses the error of the answer
// when the wait is too long, and by default repeats any POST after a transport
// error, even if that is not safe.
func (c *Client) repeat(ctx context.Context, r request, attempt func(token string, answering func()) *Error) *Error {
	endpoint := r.endpoint
	retries, longest := c.retries(ctx)
	for n, renewals := 0, 0; ; n++ {
		arrived := time.Now()
		credential, failure := c.credential(ctx, endpoint)
		if failure != nil {
			return failure
		}
		// Outline counts by key and endpoint, and by IP address and endpoint.
		limited := transport.Limit{Subject: credential.subject(), Endpoint: endpoint, Group: credential.Group}
		held, failure := c.awaitLimit(ctx, limited)
		if failure != nil {
			return failure
		}
		place, failure := c.awaitPlace(ctx, r, limited.Share())
		if failure != nil {
			return failure
		}
		start := time.Now()
		failure = attempt(credential.Token, place.answering)
		place.done()
		if c.observe != nil && (failure == nil || !failure.unsent) {
			did := Attempt{Endpoint: endpoint, Status: http.StatusOK, Duration: time.Since(start), Command: r.command(), Retry: n > 0}
			if held || place.waited {
				did.Waited = start.Sub(arrived)
			}
			if failure != nil {
				did.Status = failure.Status
			}
			c.observe(ctx, did)
		}
		if failure == nil {
			return nil
		}
		// What is rejected was not carried out, whatever it is.
		if failure.Status == http.StatusUnauthorized && credential.Renew != nil && renewals < maxRenewals {
			if err := credential.Renew(ctx); err != nil {
				return noCredential(ctx, endpoint, err)
			}
			renewals++
			n--
			continue
		}
		wait := failure.pause(n, longest)
		if failure.Kind() == ErrRateLimited {
			c.limiter.Refused(ctx, limited, transport.Refusal{Wait: wait, Requests: failure.allowed})
		}
		if n >= retries || !failure.transient || r.command() && !refusedUnread(failure) || !c.mayWait(ctx, wait) ||
			failure.Kind() == ErrRateLimited && optionsOf(ctx).noLimitWaits {
			return failure
		}
		c.log.LogAttrs(ctx, slog.LevelInfo, "repeating an Outline request",
			slog.String("endpoint", endpoint), slog.String("reason", failure.Kind().Error()),
			slog.Int("status", failure.Status), slog.Duration("wait", wait), slog.Int("retry", n+1))
		if failure.Kind() == ErrRateLimited {
			continue // the rate limiter holds it back
		}
		if err := transport.Pause(ctx, wait); err != nil {
			return endError(endpoint, err)
		}
	}
}

// pause returns how long to wait before repetition n, at most longest unless the server asks
// for more.
func (e *Error) pause(n int, longest time.Duration) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	return min(transport.Backoff(n), longest)
}

// awaitLimit waits until a limit is no longer in force, and reports whether it
// had to wait. If that would take longer than the call or its context allows, it
// fails at once, with the time in RetryAfter.
func (c *Client) awaitLimit(ctx context.Context, what transport.Limit) (bool, *Error) {
	for waited := false; ; waited = true {
		wait := c.limiter.Admit(ctx, what)
		if wait == 0 {
			return waited, nil
		}
		if !c.mayWait(ctx, wait) || optionsOf(ctx).noLimitWaits {
			return waited, &Error{
				Endpoint: what.Endpoint, RetryAfter: wait, kind: ErrRateLimited,
				Message: "the rate limit is used up; the request was not sent",
			}
		}
		if err := transport.Pause(ctx, wait); err != nil {
			return waited, endError(what.Endpoint, err)
		}
	}
}

// A place is the permission to send a request now.
type place struct {
	waited    bool
	answering func() // Outline has done its work: another request may take the place
	done      func() // the attempt has ended
}

// awaitPlace waits until a request may be sent beside those of other subjects.
func (c *Client) awaitPlace(ctx context.Context, r request, subject string) (place, *Error) {
	end, release, waited := func() {}, func() {}, false
	var err error
	if r.kind == changingAlone {
		if end, waited, err = c.exclusive.Acquire(ctx, subject); err != nil {
			return place{}, endError(r.endpoint, err)
		}
	}
	// A request without a limit waits for a language model, not for Outline.
	if c.requests != nil && !r.unlimited() {
		var also bool
		if release, also, err = c.requests.Acquire(ctx, subject); err != nil {
			end()
			return place{}, endError(r.endpoint, err)
		}
		waited = waited || also
	}
	return place{waited: waited, answering: release, done: func() { release(); end() }}, nil
}

// mayWait reports whether a call may wait this long before it is (re)sent.
func (c *Client) mayWait(ctx context.Context, wait time.Duration) bool {
	retries, longest := c.retries(ctx)
	if retries <= 0 || wait > longest {
		return false
	}
	deadline, limited := ctx.Deadline()
	return !limited || time.Until(deadline) > wait
}
