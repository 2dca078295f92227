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
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
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

const (
	// answerTimeout bounds what a Redis that is away costs a call. To connect may take
	// twice as long.
	answerTimeout = 250 * time.Millisecond
	// pause is how long Redis is left alone after a failure.
	pause = 5 * time.Second
	// mostConnections is the number of connections of a replica.
	mostConnections = 32
)

// A connection runs scripts in Redis. After a failure it does not try for a while.
type connection struct {
	pool    *redis.Pool
	connect time.Duration // how long it may take to get a connection
	log     *slog.Logger
	failed  func()
	state   *state
}

type state struct {
	mu       sync.Mutex
	away     bool
	again    time.Time // when it is tried again
	failures int       // that changed the state
}

func newConnection(o Options) (connection, error) {
	u, err := parseURL(o.URL)
	if err != nil {
		return connection{}, err
	}
	if o.Failed == nil {
		o.Failed = func() {}
	}
	within := cmp.Or(o.AnswerTimeout, answerTimeout)
	return connection{
		pool: &redis.Pool{
			MaxIdle: 8, MaxActive: mostConnections, Wait: true, IdleTimeout: time.Minute,
			DialContext: dialer(u, within),
		},
		connect: 2 * within,
		log:     cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		failed:  o.Failed,
		state:   new(state),
	}, nil
}

// run runs a script whose result is a number from 0 to most. It reports false if Redis
// cannot be used.
func (c connection) run(ctx context.Context, script *redis.Script, most int64, arguments ...any) (result int64, ok bool) {
	since, tries := c.state.tries()
	if !tries {
		return 0, false
	}
	err := c.with(ctx, func(conn redis.Conn) error {
		var err error
		if result, err = redis.Int64(script.Do(conn, arguments...)); err == nil && (result < 0 || result > most) {
			err = errNotRedis
		}
		return err
	})
	return result, c.done(since, err)
}

// with calls use with a connection. A client that has gone is no failure of Redis.
func (c connection) with(ctx context.Context, use func(redis.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.connect)
	defer cancel()
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return use(conn)
}

// done notes the outcome of an attempt, which tries has let begin, and reports whether
// it succeeded.
func (c connection) done(since int, err error) bool {
	if err != nil {
		c.failed()
	}
	if changed := c.state.note(since, err != nil); changed && err != nil {
		c.log.Warn("Redis is unavailable; until it is back, this replica uses its own limits", "reason", reason(err))
	} else if changed {
		c.log.Info("Redis is available again; limits are shared")
	}
	return err == nil
}

// reason describes a failure without what Redis has sent: a server that is not Redis may
// repeat the password.
func reason(err error) string {
	var (
		refusal redis.Error
		network net.Error
	)
	switch {
	case errors.As(err, &refusal):
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "its certificate cannot be trusted"
	case errors.As(err, new(tls.RecordHeaderError)):
		return "it does not speak TLS; use redis:// instead of rediss://, or set up TLS"
	case errors.Is(err, io.EOF):
		return "it closed the connection"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "it did not answer in time"
	case errors.As(err, &network):
		return transport.Cause(err, func(text string) string { return text }).Error()
	default:
		return errNotRedis.Error()
	}
	kind, _, _ := strings.Cut(string(refusal), " ")
	switch kind {
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return "it refused the password or the user (" + kind + ")"
	case "LOADING", "OOM", "READONLY", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "MOVED":
		return fmt.Sprintf("it cannot store anything now (%s)", kind)
	}
	return "it answered with an error"
}

// tries reports whether Redis should be tried, and returns what note needs. Of the
// requests after a pause, one tries.
func (s *state) tries() (since int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.away && now.Before(s.again) {
		return 0, false
	}
	s.again = now.Add(pause)
	return s.failures, true
}

// note records whether an attempt failed, and reports whether that is a change. An
// attempt that began before the last failure says nothing new.
func (s *state) note(since int, failed bool) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since != s.failures {
		return false
	}
	changed = s.away != failed
	s.away = failed
	if failed {
		s.failures++
		s.again = time.Now().Add(pause)
	}
	return changed
}

// CheckURL returns an error that says why a URL is not one of Redis, without showing it:
// it may have a password.
func CheckURL(address string) error {
	_, err := parseURL(address)
	return err
}

func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("it is not a valid URL; use one such as redis://:password@redis.example.com:6379/0")
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errors.New("the URL must begin with redis:// or, with TLS, rediss://")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host; use one such as redis://redis.example.com:6379")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL has a query or a fragment; remove everything from ? or # on")
	}
	if number := strings.TrimPrefix(u.Path, "/"); number != "" {
		if _, err := strconv.ParseUint(number, 10, 16); err != nil {
			return nil, errors.New("the path of the URL must be empty or the number of a database, such as /0")
		}
	}
	return u, nil
}

// dialer returns a function that connects to the Redis of a URL, which has to answer
// within the given time.
func dialer(u *url.URL, within time.Duration) func(context.Context) (redis.Conn, error) {
	password, _ := u.User.Password()
	database, _ := strconv.Atoi(strings.TrimPrefix(u.Path, "/"))
	options := []redis.DialOption{
		redis.DialReadTimeout(within), redis.DialWriteTimeout(within), redis.DialClientName("outline-mcp"),
		redis.DialUsername(u.User.Username()), redis.DialPassword(password), redis.DialDatabase(database),
		// Not redis.DialUseTLS: the guard has to see the text.
		redis.DialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, 2*within)
			defer cancel()
			if u.Scheme == "redis" {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				return &guarded{Conn: conn}, err
			}
			dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}
			conn, err := dialer.DialContext(ctx, network, address)
			return &guarded{Conn: conn}, err
		}),
	}
	return func(ctx context.Context) (redis.Conn, error) {
		return redis.DialContext(ctx, "tcp", hostPort(u), options...)
	}
}

// hostPort returns where the Redis of a URL listens.
func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "6379")) }

// errNotRedis reports an answer that Redis does not give to what this package asks.
var errNotRedis = errors.New("its answer is not one that Redis gives")

// longestLine bounds an answer, in bytes. Errors of scripts take a few hundred.
const longestLine = 4 << 10

// A guarded connection fails with errNotRedis at anything but lines with a status, an
// error or a number. The library would allocate what a server announces, and read lists
// within lists without an end.
type guarded struct {
	net.Conn
	length int // of the line so far, in bytes
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for _, b := range p[:n] {
		if g.length == 0 && b != '+' && b != '-' && b != ':' || g.length == longestLine {
			return 0, errNotRedis
		}
		if g.length++; b == '\n' {
			g.length = 0
		}
	}
	return n, err
}
