package replicas

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

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
var errNotRedis = errors.New("it gave an answer that Redis does not give")

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
