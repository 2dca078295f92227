// Package replicas shares Outline's rate limits among the replicas of a server through
// Redis. Outline counts all requests from one IP address together. If each replica counted
// alone, a caller who sends requests to all of them in turn would get a share of the limit at
// each, and together all of it: everybody else would be refused.
//
// Redis holds counts, times, names of endpoints, and hashes of subjects; each entry
// expires. Nothing depends on it: while Redis cannot be used, each replica has limits of
// its own.
package replicas

import (
	"context"
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
	Outline string

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
	redis  connection
	prefix string
	local  *transport.RateLimiter
}

var (
	//go:embed admit.lua
	admitSource string
	//go:embed refused.lua
	refusedSource string
)

var (
	admit   = redis.NewScript(3, admitSource)
	refused = redis.NewScript(3, refusedSource)
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
		prefix: "outline-mcp:{" + hash(o.Outline) + "}:",
		local:  transport.NewRateLimiter(true),
	}, nil
}

// Close closes the connections.
func (l *Limits) Close() error { return l.redis.pool.Close() }

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
