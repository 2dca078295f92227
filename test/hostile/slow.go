package hostile

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ReadSlowly makes requests with a number of clients until ctx is done. They read 400
// bytes a second of each answer, and begin again when they are cut off. Client n sends body
// n, in turn, with the key that key returns for n, on a connection of its own, or all on one
// connection of HTTP/2. The function that it returns waits for their end, and returns how
// many answers have begun.
func ReadSlowly(ctx context.Context, url string, bodies [][]byte, clients int, together bool, key func(int) string) (wait func() int64) {
	var dialer net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dialer.DialContext(ctx, network, address)
			if tcp, ok := connection.(*net.TCPConn); ok {
				_ = tcp.SetReadBuffer(4 << 10) // else the system reads ahead
			}
			return connection, err
		},
		DisableKeepAlives: !together, ForceAttemptHTTP2: together,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		HTTP2:           &http.HTTP2Config{MaxReceiveBufferPerStream: 16 << 10},
	}
	var (
		all   sync.WaitGroup
		begun atomic.Int64
	)
	for n := range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				if readSlowly(ctx, transport, url, bodies[n%len(bodies)], key(n)) {
					begun.Add(1)
				}
			}
		})
	}
	return func() int64 {
		all.Wait()
		transport.CloseIdleConnections()
		return begun.Load()
	}
}

// readSlowly makes one request and reports whether an answer has begun.
func readSlowly(ctx context.Context, transport http.RoundTripper, url string, body []byte, key string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("X-Outline-API-Key", key)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for piece := make([]byte, 400); err == nil && ctx.Err() == nil; {
		_, err = response.Body.Read(piece)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return response.StatusCode == http.StatusOK
}
