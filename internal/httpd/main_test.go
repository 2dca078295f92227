package httpd_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// A running server serves a test.
type running struct {
	address   string
	transport *http.Transport
	client    *http.Client // uses transport
	stop      context.CancelFunc
	ended     chan error
}

// serve starts a server on loopback. It is stopped at the end of the test.
func serve(t *testing.T, o httpd.Options) *running {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return start(t, o, listener)
}

func start(t *testing.T, o httpd.Options, listener net.Listener) *running {
	t.Helper()
	if o.MCP == nil {
		o.MCP = echo
	}
	server, err := httpd.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	s := &running{address: listener.Addr().String(), transport: transport, client: &http.Client{Transport: transport}, stop: stop, ended: make(chan error, 1)}
	go func() { s.ended <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-s.ended; err != nil {
			t.Errorf("serving ends with %v", err)
		}
	})
	return s
}

const operatorKey = "the server's own"

// operator is who requests without a key act for.
func operator() *auth.Principal { return new(auth.ForOperator(operatorKey)) }

// echo answers who called and with what.
func echo(w http.ResponseWriter, r *http.Request, body []byte) {
	principal, ok := auth.FromContext(r.Context())
	key, err := principal.Credential(r.Context())
	if !ok || err != nil {
		http.Error(w, "no principal", http.StatusInternalServerError)
		return
	}
	for problem := range strings.FieldsSeq(string(body)) { // what Outline answers to the calls of a tool
		challenge := auth.ChallengeFrom(r.Context())
		switch problem {
		case "rejects":
			challenge.Answered(http.StatusUnauthorized, true)
		case "reads":
			challenge.Answered(http.StatusOK, false)
		case "writes":
			challenge.Answered(http.StatusOK, true)
		case "lost":
			challenge.Answered(0, true)
		case "refused":
			challenge.Answered(http.StatusForbidden, true)
		case "demands":
			challenge.NeedsWrite()
		case "streams":
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
		}
	}
	_ = json.NewEncoder(w).Encode(echoed{key, principal.ReadOnly, string(body)})
}

type echoed struct {
	Key      string
	ReadOnly bool
	Body     string
}

// An answer is what came back.
type answer struct {
	status  int
	header  http.Header
	body    string
	message string // of a refusal
}

// send sends a request with headers given as "Name: value"; one without a
// colon is its method.
func (s *running) send(t *testing.T, path, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range headers {
		name, value, isHeader := strings.Cut(header, ":")
		switch value = strings.TrimSpace(value); {
		case !isHeader:
			request.Method = name
		case name == "Host":
			request.Host = value
		default:
			request.Header.Add(name, value)
		}
	}
	response, err := s.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, response)
}

// read reads an answer. Every refusal is JSON and says why.
func read(t *testing.T, response *http.Response) answer {
	t.Helper()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(raw)}
	if a.status >= 400 && response.Request.Method != http.MethodHead && a.status != http.StatusServiceUnavailable || strings.Contains(a.body, "jsonrpc") {
		var refusal struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(raw, &refusal); err != nil || refusal.JSONRPC != "2.0" || refusal.Error.Code != -32000 || refusal.Error.Message == "" ||
			response.Header.Get("Content-Type") != "application/json" {
			t.Errorf("a refusal with status %d is %s %q: %v", a.status, response.Header.Get("Content-Type"), raw, err)
		}
		a.message = refusal.Error.Message
	}
	return a
}

// soon fails the test when done does not happen.
func soon[T any](t *testing.T, what string, done <-chan T) T {
	t.Helper()
	select {
	case v := <-done:
		return v
	case <-time.After(time.Minute):
		t.Fatal(what + " does not happen")
		panic("not reached")
	}
}

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

// inMemory runs a test with a server whose time is synthetic: it continues only
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
