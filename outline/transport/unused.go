package transport

import (
	"context"
	"net"
	"time"
)

// unusedFor is how long a new connection may stay without a request.
const unusedFor = time.Second

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// closingUnused returns dial, whose connections close if
// nothing is written to them within the given time.
//
// [net/http.Transport] goes on connecting when the request that it connects for has
// ended, and keeps the connection for later requests. When many clients leave at
// once, each such connection would hold two goroutines until IdleConnTimeout.
// A request that takes a connection just when it closes is sent again on another one,
// because nothing of it has been written, unless it is an upload, whose body cannot be
// read twice. This works for plain HTTP only: a TLS handshake counts as written.
func closingUnused(after time.Duration, dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &unused{connection, time.AfterFunc(after, func() { _ = connection.Close() })}, nil
	}
}

// An unused connection closes when its timer fires.
type unused struct {
	net.Conn
	timer *time.Timer
}

// Write implements [net.Conn]. From then on, the connection stays open.
func (c *unused) Write(b []byte) (int, error) {
	c.timer.Stop()
	return c.Conn.Write(b)
}
