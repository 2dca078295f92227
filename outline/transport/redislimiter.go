package transport

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"log/slog"
	"time"

	"github.com/gomodule/redigo/redis"
)

// RedisOptions configure [NewRedisLimiter].
type RedisOptions struct {
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

// A RedisLimiter is a [Limiter] that replicas of a server share through Redis. Outline counts
// all requests from one IP address together. If each replica counted alone, a caller who sends
// requests to all of them in turn would get a share of the limit at each, and together all of
// it: everybody else would be refused.
//
// Redis holds counts, times, names of endpoints, and hashes of subjects; each entry
// expires. Nothing depends on it: while Redis cannot be used, each replica has limits of
// its own. A RedisLimiter is safe for concurrent use.
type RedisLimiter struct {
	redis  redisConnection
	prefix string
	local  *RateLimiter
}

var (
	//go:embed admit.lua
	admitSource string
	//go:embed refused.lua
	refusedSource string
)

var (
	admitScript   = redis.NewScript(3, admitSource)
	refusedScript = redis.NewScript(3, refusedSource)
)

// NewRedisLimiter returns a limiter, without connecting. It fails if the URL is not one of Redis; its
// errors don't show the URL.
func NewRedisLimiter(o RedisOptions) (*RedisLimiter, error) {
	c, err := newRedisConnection(o)
	if err != nil {
		return nil, err
	}
	return &RedisLimiter{
		redis: c,
		// The braces keep the keys of a script on one node of a cluster.
		prefix: "outline-mcp:{" + hash(o.Outline) + "}:",
		local:  NewRateLimiter(true),
	}, nil
}

// Close closes the connections.
func (l *RedisLimiter) Close() error { return l.redis.pool.Close() }

// hash returns what stands for a name in Redis.
func hash(name string) string {
	sum := sha256.Sum256([]byte("outline-mcp " + name))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// keys returns those of the scripts about rate limits.
func (l *RedisLimiter) keys(what Limit) (subject string, keys []any) {
	subject = hash(what.Subject)
	return subject, []any{
		l.prefix + "refused:" + what.Endpoint + ":" + subject,
		l.prefix + "limit:" + what.Endpoint,
		l.prefix + "window:" + what.Endpoint,
	}
}

// Admit implements [Limiter].
func (l *RedisLimiter) Admit(ctx context.Context, what Limit) time.Duration {
	_, arguments := l.keys(what)
	arguments = append(arguments, hash(what.Share()), PerSubjectShare)
	wait, ok := l.redis.run(ctx, admitScript, longestRedisWait.Milliseconds(), arguments...)
	if !ok {
		return l.local.Admit(ctx, what)
	}
	return time.Duration(wait) * time.Millisecond
}

// longestRedisWait is the longest time that Redis can make a request wait: that of a limit per
// hour. A longer one was not written by this program.
const longestRedisWait = 2 * time.Hour

// Refused implements [Limiter]. The replica also remembers it for itself.
func (l *RedisLimiter) Refused(ctx context.Context, what Limit, r Refusal) {
	l.local.Refused(ctx, what, r)
	requests := 0
	if r.Counts() {
		requests = r.Requests
	}
	wait := min(max(r.Wait, time.Millisecond), time.Hour)
	length := WindowOf(wait)
	subject, arguments := l.keys(what)
	arguments = append(arguments, subject, wait.Milliseconds(), requests, length.Milliseconds(), ForgetLimit(length).Milliseconds())
	l.redis.run(ctx, refusedScript, 0, arguments...)
}
