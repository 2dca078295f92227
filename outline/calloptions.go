package outline

import (
	"context"
	"math"
	"time"
)

// A CallOption changes how calls are made. Options apply to all calls of the
// context that carries them; see [WithCallOptions].
type CallOption func(*callOptions)

type callOptions struct {
	noRetries    bool
	noLimitWaits bool
	maxRetryWait time.Duration
	mayCommand   func(context.Context) error // see BeforeCommands
	inPassing    bool
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

// InPassing keeps what calls read out of [Touched], because it is not what the caller
// asked for. What they change is collected nevertheless.
func InPassing() CallOption { return func(o *callOptions) { o.inPassing = true } }

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
