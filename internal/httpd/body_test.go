package httpd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/httpd"
)

func TestBodiesTogetherTakeABoundedAmountOfMemory(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator(), MaxBody: 200_000}) // 1.6 MB for all
	var begun []net.Conn
	refused := 0
	for range 12 { // 12 times 192 KB, none of them complete
		connection := dial(t, s.address, post("Content-Length: 200000"))
		if _, err := io.WriteString(connection, strings.Repeat("x", 196_000)); err != nil {
			refused++
			continue
		}
		begun = append(begun, connection)
	}
	// Those that fit wait for the rest; the others were told to come again.
	told := make(chan struct{}, len(begun))
	var reading sync.WaitGroup
	for _, connection := range begun {
		reading.Go(func() {
			response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: http.MethodPost})
			if err != nil {
				return // closed below
			}
			if a := read(t, response); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			told <- struct{}{}
		})
	}
	for ; refused < 3; refused++ {
		soon(t, "a refusal", told)
	}
	for _, connection := range begun {
		_ = connection.Close()
	}
	reading.Wait()
	if refused += len(told); refused > 6 {
		t.Errorf("%d of 12 were refused", refused)
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		if a := s.send(t, "/mcp", strings.Repeat("x", 200_000)); a.status == http.StatusOK {
			break // their memory was given back
		}
		if time.Now().After(deadline) {
			t.Fatal("the memory of those who left is not given back")
		}
	}
	for range 12 { // more than fits at a time
		if a := s.send(t, "/mcp", strings.Repeat("x", 200_000)); a.status != http.StatusOK {
			t.Fatalf("the memory of a call is not given back: status %d", a.status)
		}
	}
}

func TestABodyThatDoesNotArriveIsNoCall(t *testing.T) {
	g := newGate()
	close(g.leave)
	s := serve(t, httpd.Options{MCP: g.serve, Fallback: operator(), MaxCalls: 1, ShutdownGrace: 20 * time.Second})
	connection := dial(t, s.address, post("Content-Length: 100")+"{")
	for range 3 {
		if a := s.send(t, "/mcp", "{}"); a.status != http.StatusOK {
			t.Errorf("beside half a body: status %d", a.status)
		}
	}
	start := time.Now()
	s.stop()
	if err := soon(t, "the end", s.ended); err != nil {
		t.Errorf("serving ends with %v", err)
	}
	s.ended <- nil
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("half a body held the end up for %v", took)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: http.MethodPost})
	if err != nil {
		t.Fatal(err)
	}
	if a := read(t, response); a.status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}

func TestAPauseBetweenEventsIsNoSlowReader(t *testing.T) {
	folder := t.TempDir()
	files := pair{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	files.write(t, "localhost")
	events := func(w http.ResponseWriter, r *http.Request, _ []byte) {
		fmt.Fprintln(w, "an event")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(400 * time.Millisecond):
			fmt.Fprintln(w, "the answer")
		case <-r.Context().Done():
		}
	}
	for major := 1; major <= 2; major++ {
		inMemory(t, httpd.Options{Fallback: operator(), WriteTimeout: 100 * time.Millisecond, CertFile: files.cert, KeyFile: files.key, MCP: events}, func(t *testing.T, s *running, _ *memoryListener) {
			s.transport.ForceAttemptHTTP2 = major == 2
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+s.address+"/mcp", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			response, err := s.transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || string(body) != "an event\nthe answer\n" || response.ProtoMajor != major {
				t.Errorf("HTTP/%d: %q, %v", response.ProtoMajor, body, err)
			}
		})
	}
}
