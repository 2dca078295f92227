// Package replicas shares limits among the replicas of a server through Redis: what
// Outline has said about its rate limits, and the calls of each subject.
//
// Redis holds counts, times, names of endpoints, and hashes of subjects; each entry
// expires. Nothing depends on it: while Redis cannot be used, each replica has limits of
// its own.
package replicas

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"log/slog"
	"time"

	"github.com/gomodule/redigo/redis"

	"outline-mcp/outline/transport"
)

// Options configure [New].
type Options struct {
	URL string // redis:// or rediss://, with the password and the number of the database
	// Outline is the address of the Outline whose limits are shared. Servers for
	// different ones can use the same Redis.
	Outline  string
	CallTime time.Duration // that a call can take; one that is not released counts no longer

	// AnswerTimeout is how long Redis may take to answer; 0 means 250 ms. To connect may
	// take twice as long.
	AnswerTimeout time.Duration

	Log *slog.Logger // nil discards. Never gets the password
	// Failed is called after each attempt to use Redis that fails; nil disables the
	// callback.
	Failed func()
}

// Limits are shared limits. They are safe for concurrent use.
type Limits struct {
	redis    connection
	prefix   string
	callTime time.Duration
	local    *transport.RateLimiter
}

var (
	//go:embed admit.lua
	admitSource string
	//go:embed refused.lua
	refusedSource string
	//go:embed acquire.lua
	acquireSource string
)

var (
	admit   = redis.NewScript(3, admitSource)
	refused = redis.NewScript(3, refusedSource)
	acquire = redis.NewScript(1, acquireSource)
)

// New returns limits, without connecting. It fails if the URL is not one of Redis; its
// errors don't show the URL.
func New(o Options) (*Limits, error) {
	c, err := newConnection(o)
	if err != nil {
		return nil, err
	}
	return &Limits{
		redis: c,
		// The braces keep the keys of a script on one node of a cluster.
		prefix:   "outline-mcp:{" + hash(o.Outline) + "}:",
		callTime: cmp.Or(o.CallTime, time.Minute),
		local:    transport.NewRateLimiter(true),
	}, nil
}

// Close closes the connections.
func (l *Limits) Close() error { return l.redis.pool.Close() }

// Address returns the host and port of Redis.
func (l *Limits) Address() string { return l.redis.address }

// Ping returns an error that says why Redis cannot be used.
func (l *Limits) Ping(ctx context.Context) error { return l.redis.ping(ctx) }

// hash returns what stands for a name in Redis.
func hash(name string) string {
	sum := sha256.Sum256([]byte("outline-mcp " + name))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// keys returns those of the scripts about rate limits.
func (l *Limits) keys(what transport.Limit) (subject string, keys []any) {
	subject = hash(what.Subject)
	return subject, []any{
		l.prefix + "refused:" + what.Endpoint + ":" + subject,
		l.prefix + "limit:" + what.Endpoint,
		l.prefix + "window:" + what.Endpoint,
	}
}

// Admit implements [transport.Limiter].
func (l *Limits) Admit(ctx context.Context, what transport.Limit) time.Duration {
	_, arguments := l.keys(what)
	arguments = append(arguments, hash(what.Share()), transport.PerSubjectShare)
	wait, ok := l.redis.run(ctx, admit, longestWait.Milliseconds(), arguments...)
	if !ok {
		return l.local.Admit(ctx, what)
	}
	return time.Duration(wait) * time.Millisecond
}

// longestWait is the longest time that Redis can make a request wait: that of a limit per
// hour. A longer one was not written by this program.
const longestWait = 2 * time.Hour

// Refused implements [transport.Limiter]. The replica also remembers it for itself.
func (l *Limits) Refused(ctx context.Context, what transport.Limit, r transport.Refusal) {
	l.local.Refused(ctx, what, r)
	requests := 0
	if r.Counts() {
		requests = r.Requests
	}
	wait := min(max(r.Wait, time.Millisecond), time.Hour)
	length := transport.WindowOf(wait)
	subject, arguments := l.keys(what)
	arguments = append(arguments, subject, wait.Milliseconds(), requests, length.Milliseconds(), transport.ForgetLimit(length).Milliseconds())
	l.redis.run(ctx, refused, 0, arguments...)
}

// Acquire counts a call of a subject in all replicas until release is called, and reports
// whether the subject has no more than most under way. While Redis cannot be used, it has.
func (l *Limits) Acquire(ctx context.Context, subject string, most int) (release func(), ok bool) {
	key, call := l.prefix+"calls:"+hash(subject), rand.Text()
	counted, ok := l.redis.run(ctx, acquire, 1, key, call, most, l.callTime.Milliseconds())
	switch {
	case !ok:
		return func() {}, true
	case counted == 0:
		return nil, false
	}
	return func() { l.redis.remove(ctx, key, call) }, true
}
