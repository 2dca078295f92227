package httpd_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
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
	case <-time.After(20 * time.Second):
		t.Fatal(what + " does not happen")
		panic("not reached")
	}
}
