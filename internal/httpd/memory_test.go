package httpd_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/httpd"
)

// A memoryListener accepts connections within this process, for tests in which
// time is synthetic.
type memoryListener struct {
	dialed chan net.Conn
	closed chan struct{}
	close  func()
}

func newMemoryListener() *memoryListener {
	closed := make(chan struct{})
	return &memoryListener{make(chan net.Conn), closed, sync.OnceFunc(func() { close(closed) })}
}

// Accept implements net.Listener.
func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.dialed:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *memoryListener) Close() error {
	l.close()
	return nil
}

// Addr implements net.Listener.
func (l *memoryListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// DialContext opens a connection, for http.Transport.
func (l *memoryListener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.dialed <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// dial opens a connection and sends something.
func (l *memoryListener) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	connection, err := l.DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

// inMemory runs a test with a server whose time is synthetic: it goes on only
// while nothing else can, so that no timeout depends on the machine. The test has
// five seconds of that time.
func inMemory(t *testing.T, o httpd.Options, test func(*testing.T, *running, *memoryListener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := newMemoryListener()
		s := start(t, o, listener)
		s.transport.DialContext = listener.DialContext
		begin := time.Now()
		test(t, s, listener)
		if took := time.Since(begin); took > 5*time.Second { // the default of each timeout is longer
			t.Errorf("it took %s", took)
		}
	})
}
