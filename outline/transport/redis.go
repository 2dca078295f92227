package transport

import (
	"cmp"
	"context"
	"crypto/tls"
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
)

const (
	// redisAnswerTimeout bounds what a Redis that is away costs a call. To connect may take
	// twice as long.
	redisAnswerTimeout = 250 * time.Millisecond
	// redisPause is how long Redis is left alone after a failure.
	redisPause = 5 * time.Second
	// mostRedisConnections is the number of connections of a replica.
	mostRedisConnections = 32
)

// A redisConnection runs scripts in Redis. After a failure it does not try for a while.
type redisConnection struct {
	pool    *redis.Pool
	connect time.Duration // how long it may take to get a connection
	log     *slog.Logger
	failed  func()
	state   *redisState
}

type redisState struct {
	mu       sync.Mutex
	away     bool
	again    time.Time // when it is tried again
	failures int       // that changed the state
}

func newRedisConnection(o RedisOptions) (redisConnection, error) {
	u, err := parseRedisURL(o.URL)
	if err != nil {
		return redisConnection{}, err
	}
	if o.Failed == nil {
		o.Failed = func() {}
	}
	within := cmp.Or(o.AnswerTimeout, redisAnswerTimeout)
	return redisConnection{
		pool: &redis.Pool{
			MaxIdle: 8, MaxActive: mostRedisConnections, Wait: true, IdleTimeout: time.Minute,
			DialContext: redisDialer(u, within),
		},
		connect: 2 * within,
		log:     cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		failed:  o.Failed,
		state:   new(redisState),
	}, nil
}

// run runs a script whose result is a number from 0 to most. It reports false if Redis
// cannot be used.
func (c redisConnection) run(ctx context.Context, script *redis.Script, most int64, arguments ...any) (result int64, ok bool) {
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
func (c redisConnection) with(ctx context.Context, use func(redis.Conn) error) error {
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
func (c redisConnection) done(since int, err error) bool {
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
		return Cause(err, func(text string) string { return text }).Error()
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
func (s *redisState) tries() (since int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.away && now.Before(s.again) {
		return 0, false
	}
	s.again = now.Add(redisPause)
	return s.failures, true
}

// note records whether an attempt failed, and reports whether that is a change. An
// attempt that began before the last failure says nothing new.
func (s *redisState) note(since int, failed bool) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since != s.failures {
		return false
	}
	changed = s.away != failed
	s.away = failed
	if failed {
		s.failures++
		s.again = time.Now().Add(redisPause)
	}
	return changed
}

// CheckRedisURL returns an error that says why a URL is not one of Redis, without showing it:
// it may have a password.
func CheckRedisURL(address string) error {
	_, err := parseRedisURL(address)
	return err
}

func parseRedisURL(address string) (*url.URL, error) {
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

// redisDialer returns a function that connects to the Redis of a URL, which has to answer
// within the given time.
func redisDialer(u *url.URL, within time.Duration) func(context.Context) (redis.Conn, error) {
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
				return &guardedConn{Conn: conn}, err
			}
			dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}
			conn, err := dialer.DialContext(ctx, network, address)
			return &guardedConn{Conn: conn}, err
		}),
	}
	return func(ctx context.Context) (redis.Conn, error) {
		return redis.DialContext(ctx, "tcp", hostPort(u), options...)
	}
}

// hostPort returns where the Redis of a URL listens.
func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "6379")) }

// errNotRedis reports an answer that Redis does not give to what a [RedisLimiter] asks.
var errNotRedis = errors.New("its answer is not one that Redis gives")

// longestRedisLine bounds an answer, in bytes. Errors of scripts take a few hundred.
const longestRedisLine = 4 << 10

// A guardedConn is a connection that fails with errNotRedis at anything but lines with a status, an
// error or a number. The library would allocate what a server announces, and read lists
// within lists without an end.
type guardedConn struct {
	net.Conn
	length int // of the line so far, in bytes
}

func (g *guardedConn) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for _, b := range p[:n] {
		if g.length == 0 && b != '+' && b != '-' && b != ':' || g.length == longestRedisLine {
			return 0, errNotRedis
		}
		if g.length++; b == '\n' {
			g.length = 0
		}
	}
	return n, err
}
