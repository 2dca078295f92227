package httpd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
)

// A gate is an endpoint whose calls stay until they are let go.
type gate struct {
	entered chan string // the key of each call
	leave   chan struct{}
}

func newGate() *gate { return &gate{make(chan string, 1000), make(chan struct{})} }

func (g *gate) serve(w http.ResponseWriter, r *http.Request, _ []byte) {
	principal, _ := auth.FromContext(r.Context())
	key, _ := principal.APIKey()
	g.entered <- string(key)
	select {
	case <-g.leave:
	case <-r.Context().Done():
	}
}

func TestOneCallTooManyIsToldToComeAgain(t *testing.T) {
	g := newGate()
	s := serve(t, httpd.Options{MCP: g.serve, MaxCalls: 3, MaxCallsPerKey: 2})
	var calls sync.WaitGroup
	begin := func(key string) {
		calls.Go(func() {
			if a := s.send(t, "/mcp", "{}", "X-Outline-API-Key: "+key); a.status != http.StatusOK {
				t.Errorf("a call that fits: status %d: %s", a.status, a.body)
			}
		})
		soon(t, "a call", g.entered)
	}
	begin(key1)
	begin(key1)
	if a := s.send(t, "/mcp", "{}", "X-Outline-API-Key: "+key1); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" {
		t.Errorf("the third call with a key: status %d, Retry-After %q: %s", a.status, a.header.Get("Retry-After"), a.body)
	}
	begin(key2)
	if a := s.send(t, "/mcp", "{}", "X-Outline-API-Key: "+key2); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" || a.message == "" {
		t.Errorf("the fourth call: status %d, Retry-After %q: %s", a.status, a.header.Get("Retry-After"), a.body)
	}
	if a := s.send(t, "/health", "", "GET"); a.status != http.StatusOK {
		t.Errorf("a busy server is not alive: status %d", a.status)
	}
	close(g.leave)
	calls.Wait()
	begin(key1)
	begin(key2)
	begin(key1)
	calls.Wait()
}

func TestABodyIsLimited(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator(), MaxBody: 1000})
	if a := s.send(t, "/mcp", strings.Repeat("x", 1000)); a.status != http.StatusOK || !strings.Contains(a.body, strings.Repeat("x", 1000)) {
		t.Errorf("a body at the limit: status %d", a.status)
	}
	if a := s.send(t, "/mcp", strings.Repeat("x", 1001)); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: status %d", a.status)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+"/mcp", io.MultiReader(strings.NewReader(strings.Repeat("x", 600)), strings.NewReader(strings.Repeat("x", 600))))
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(request) // chunked: its length is not told
	if err != nil {
		t.Fatal(err)
	}
	if a := read(t, response); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit in pieces: status %d", a.status)
	}
}

// dial opens a connection and sends something.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

func post(headers ...string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n"
}

func TestABodyThatNeverEndsIsEnded(t *testing.T) {
	inMemory(t, httpd.Options{Fallback: operator(), BodyTimeout: 200 * time.Millisecond, MaxCalls: 1}, func(t *testing.T, s *running, l *memoryListener) {
		for name, begun := range map[string]string{
			"announced": post("Content-Length: 100") + "{",
			"in pieces": post("Transfer-Encoding: chunked") + "1\r\n{\r\n",
		} {
			connection := l.dial(t, begun)
			response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: http.MethodPost})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if a := read(t, response); a.status != http.StatusRequestTimeout {
				t.Errorf("%s: status %d: %s", name, a.status, a.body)
			}
			if _, err := io.Copy(io.Discard, connection); err != nil {
				t.Errorf("%s: the connection is not closed: %v", name, err)
			}
		}
		// A refused request keeps its connection no longer, though nobody reads its body.
		connection := l.dial(t, post("Content-Length: 100", "Authorization: Basic YTpi")+"{")
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Errorf("the connection of a refused request is not closed: %v", err)
		}
		if a := s.send(t, "/mcp", "{}"); a.status != http.StatusOK {
			t.Errorf("the server does not go on: status %d", a.status)
		}
	})
}

func TestACallMayTakeLongerThanItsBody(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request, _ []byte) {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-r.Context().Done():
			w.WriteHeader(http.StatusTeapot)
		}
	}
	inMemory(t, httpd.Options{Fallback: operator(), BodyTimeout: 100 * time.Millisecond, MCP: slow}, func(t *testing.T, s *running, _ *memoryListener) {
		if a := s.send(t, "/mcp", "{}"); a.status != http.StatusOK {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}

func TestAHeaderThatNeverEndsIsEnded(t *testing.T) {
	inMemory(t, httpd.Options{Fallback: operator(), HeaderTimeout: 100 * time.Millisecond}, func(t *testing.T, _ *running, l *memoryListener) {
		for _, begun := range []string{"", "POST /mcp HTTP/1.1\r\nHost: local"} {
			if _, err := io.Copy(io.Discard, l.dial(t, begun)); err != nil {
				t.Errorf("after %q the connection is not closed: %v", begun, err)
			}
		}
	})
	s := serve(t, httpd.Options{Fallback: operator()})
	for length, want := range map[int]int{15 << 10: http.StatusOK, 17 << 10: http.StatusRequestHeaderFieldsTooLarge, 32 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		connection := dial(t, s.address, post("Content-Length: 2", "X: "+strings.Repeat("x", length))+"{}")
		if response, err := http.ReadResponse(bufio.NewReader(connection), nil); err != nil || response.StatusCode != want {
			t.Errorf("a header of %d KiB: %v, %v", length>>10, response, err)
		}
	}
	// A kept connection may have read 4 KiB before net/http begins to count.
	for length, want := range map[int]int{15 << 10: http.StatusOK, 21 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		connection := dial(t, s.address, post("Content-Length: 2")+"{}")
		answers := bufio.NewReader(connection)
		first, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, first.Body)
		_, _ = io.WriteString(connection, post("Content-Length: 2", "X: "+strings.Repeat("x", length))+"{}")
		if response, err := http.ReadResponse(answers, nil); err != nil || response.StatusCode != want {
			t.Errorf("a header of %d KiB on a kept connection: %v, %v", length>>10, response, err)
		}
	}
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	inMemory(t, httpd.Options{Fallback: operator(), IdleTimeout: 100 * time.Millisecond}, func(t *testing.T, _ *running, l *memoryListener) {
		connection := l.dial(t, post("Content-Length: 2")+"{}")
		reader := bufio.NewReader(connection)
		response, err := http.ReadResponse(reader, nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", response, err)
		}
		if _, err := io.Copy(io.Discard, reader); err != nil {
			t.Errorf("it is not closed: %v", err)
		}
	})
}

func TestAnAnswerThatNobodyTakesIsEnded(t *testing.T) {
	failed := make(chan error, 1)
	endless := func(w http.ResponseWriter) {
		var err error
		for chunk := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(chunk)
		}
		failed <- err
	}
	s := serve(t, httpd.Options{Fallback: operator(), WriteTimeout: 100 * time.Millisecond,
		MCP:     func(w http.ResponseWriter, _ *http.Request, _ []byte) { endless(w) },
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { endless(w) }),
	})
	for _, request := range []string{post("Content-Length: 2") + "{}", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
		dial(t, s.address, request) // and does not read
		soon(t, "the end of the answer", failed)
	}
}

func TestAClientThatReadsSlowlyButSteadilyGetsAllOfItsAnswer(t *testing.T) {
	const length = 16 << 20
	inMemory(t, httpd.Options{Fallback: operator(), WriteTimeout: 700 * time.Millisecond, MCP: func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		_, _ = w.Write(make([]byte, length))
	}}, func(t *testing.T, _ *running, l *memoryListener) {
		connection := l.dial(t, post("Content-Length: 2")+"{}")
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		// Less than a quarter of the answer in each period of the timeout.
		begin, got := time.Now(), int64(0)
		for err == nil {
			var n int64
			n, err = io.CopyN(io.Discard, response.Body, length/1000)
			got += n
			time.Sleep(3 * time.Millisecond)
		}
		if got != length {
			t.Errorf("after %s it got %d of %d bytes: %v", time.Since(begin), got, length, err)
		}
	})
}

func TestAnAnswerIsNoLateRefusalOfTheNext(t *testing.T) {
	inMemory(t, httpd.Options{Fallback: operator(), WriteTimeout: 50 * time.Millisecond}, func(t *testing.T, _ *running, l *memoryListener) {
		connection := l.dial(t, "")
		reader := bufio.NewReader(connection)
		for _, next := range []struct{ request, status string }{
			{post("Content-Length: 2") + "{}", "200 OK"},
			{post("Content-Length: 2", "X-Outline-Read-Only: perhaps") + "{}", "400 Bad Request"},
			{post("Content-Length: 2") + "{}", "200 OK"},
		} {
			time.Sleep(100 * time.Millisecond) // longer than an answer may take
			if _, err := io.WriteString(connection, next.request); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(reader, nil)
			if err != nil || response.Status != next.status {
				t.Fatalf("%v: %v", response, err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestConnectionsWithoutARequestMakeRoomForOthers(t *testing.T) {
	g := newGate()
	s := serve(t, httpd.Options{MCP: g.serve, Fallback: operator(), HeaderTimeout: time.Minute})
	working := dial(t, s.address, post("Content-Length: 2")+"{}")
	soon(t, "the call", g.entered)
	first := dial(t, s.address, "")
	for i := range 1100 { // more than there may be
		begun := []string{"", "POST /mcp HTTP/1.1\r\nX: " + strings.Repeat("x", 10_000)}[i%2]
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		_, _ = io.WriteString(connection, begun) // it may be closed already
	}
	if _, err := first.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection that waits for longest is not closed: %v", err)
	}
	if a := s.send(t, "/health", "", "GET"); a.status != http.StatusOK {
		t.Errorf("a new connection: status %d", a.status)
	}
	close(g.leave)
	if response, err := http.ReadResponse(bufio.NewReader(working), nil); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("the connection with a request: %v, %v", response, err)
	}
}

func TestCallersWhoLeaveEndTheirCalls(t *testing.T) {
	var g *gate
	enter := func(w http.ResponseWriter, r *http.Request, body []byte) { g.serve(w, r, body) }
	inMemory(t, httpd.Options{MCP: enter, Fallback: operator(), MaxCalls: 200, MaxCallsPerKey: 200}, func(t *testing.T, _ *running, l *memoryListener) {
		g = newGate()
		for range 2 { // 200 calls fit again when those before have left
			var connections []net.Conn
			for i := range 200 {
				connections = append(connections, l.dial(t, post(fmt.Sprintf("X-Outline-API-Key: ol_api_demo_user_%d", i), "Content-Length: 2")+"{}"))
			}
			for range connections {
				soon(t, "a call", g.entered)
			}
			for _, connection := range connections {
				connection.Close()
			}
			synctest.Wait() // until all calls have ended
		}
	})
}
