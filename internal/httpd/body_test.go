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

	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
	"outline-mcp/test/fixtures"
)

// begin sends the beginning of a number of bodies, and returns their connections.
func begin(t *testing.T, s *running, number, announced, sent int, headers ...string) []net.Conn {
	t.Helper()
	var begun []net.Conn
	for range number {
		connection := dial(t, s.address, post(append(headers, fmt.Sprintf("Content-Length: %d", announced))...))
		if _, err := io.WriteString(connection, strings.Repeat("x", sent)); err == nil {
			begun = append(begun, connection)
		} // else it was refused before all was sent
	}
	return begun
}

// eventually sends a body until it is served.
func eventually(t *testing.T, s *running, what, body string, headers ...string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		a := s.send(t, "/mcp", body, headers...)
		if a.status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not served: status %d: %s", what, a.status, a.body)
		}
	}
}

func TestSmallBodiesTogetherTakeABoundedAmountOfMemory(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator(), MaxBody: 1 << 20}) // 6 MiB for small ones
	begun := begin(t, s, 48, 250_000, 240_000)
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
	// Those that fit wait for the rest; the others were told to come again.
	refused := 48 - len(begun)
	for ; refused < 48-28; refused++ {
		soon(t, "a refusal", told)
	}
	for _, connection := range begun {
		_ = connection.Close()
	}
	reading.Wait()
	if refused += len(told); refused > 48-18 {
		t.Errorf("%d of 48 were refused", refused)
	}
	eventually(t, s, "a body after those who left", strings.Repeat("x", 250_000))
	for range 40 { // more than fits at a time
		if a := s.send(t, "/mcp", strings.Repeat("x", 250_000)); a.status != http.StatusOK {
			t.Fatalf("the memory of a call is not given back: status %d", a.status)
		}
	}
}

func TestLargeBodiesHoldUpNeitherSmallOnesNorThoseOfKeysThatOutlineAccepts(t *testing.T) {
	const known = "X-Outline-API-Key: " + key2
	g := newGate()
	s := serve(t, httpd.Options{MCP: g.serve, MaxBody: 1 << 20, Accepted: func(who auth.Principal) bool {
		key, _ := who.APIKey()
		return key == key2
	}})
	large, half := strings.Repeat("x", 1_000_000), strings.Repeat("x", 500_000)
	answered := make(chan answer, 3)
	call := func(body string, headers ...string) {
		go func() { answered <- s.send(t, "/mcp", body, headers...) }()
		soon(t, "the call", g.entered)
	}
	if a := s.send(t, "/mcp", large, "X-Outline-API-Key: "+key1); a.status != http.StatusServiceUnavailable || !strings.Contains(a.message, "call a tool that reads first") {
		t.Errorf("the largest body of a stranger: status %d: %s", a.status, a.body)
	}
	call(half, "X-Outline-API-Key: "+key1)
	if a := s.send(t, "/mcp", half, "X-Outline-API-Key: ol_api_test_key_3"); a.status != http.StatusServiceUnavailable || !strings.Contains(a.message, "call a tool that reads first") {
		t.Errorf("the second large body of a stranger: status %d: %s", a.status, a.body)
	}
	call(large, known)
	if a := s.send(t, "/mcp", large, known); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" {
		t.Errorf("the second large body: status %d: %s", a.status, a.body)
	}
	call("{}", "X-Outline-API-Key: ol_api_test_key_3")
	close(g.leave)
	for range 3 {
		if a := soon(t, "an answer", answered); a.status != http.StatusOK {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	}
	eventually(t, s, "a large body after the others", large, known)
}

func TestABodyOfTooManyValuesIsRefused(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator()})
	for body, says := range map[string]string{
		"[" + strings.Repeat("{},", 100_000) + "{}]":        "50,000 values",
		strings.Repeat("[", 100) + strings.Repeat("]", 100): "50,000 values",
	} {
		if a := s.send(t, "/mcp", body); a.status != http.StatusRequestEntityTooLarge || !strings.Contains(a.message, says) {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	}
}

func TestAShortBodyThatTakesMuchMemoryCountsAsLarge(t *testing.T) {
	g := newGate()
	s := serve(t, httpd.Options{MCP: g.serve, Fallback: operator(), Accepted: func(auth.Principal) bool { return true }})
	dense := `"` + strings.Repeat(`* \n`, 49_000) + `"`
	answered := make(chan answer, 1)
	go func() { answered <- s.send(t, "/mcp", dense) }()
	soon(t, "the call", g.entered)
	if a := s.send(t, "/mcp", dense); a.status != http.StatusServiceUnavailable {
		t.Errorf("the second: status %d: %s", a.status, a.body)
	}
	close(g.leave)
	if a := s.send(t, "/mcp", strings.Repeat("x", 196_000)); a.status != http.StatusOK {
		t.Errorf("a body of the same length: status %d: %s", a.status, a.body)
	}
	if a := soon(t, "the answer", answered); a.status != http.StatusOK {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}

func TestABodyThatDoesNotArriveIsNoCall(t *testing.T) {
	g := newGate()
	close(g.leave)
	s := serve(t, httpd.Options{MCP: g.serve, Fallback: operator(), MaxCalls: 1, ShutdownGrace: 20 * time.Second})
	connection := dial(t, s.address, post("Content-Length: 100", "Expect: 100-continue"))
	if begun, err := http.ReadResponse(bufio.NewReader(connection), nil); err != nil || begun.StatusCode != http.StatusContinue {
		t.Fatalf("the body is not asked for: %v, %v", begun, err) // else serving could end before the request was read
	}
	if _, err := io.WriteString(connection, "{"); err != nil {
		t.Fatal(err)
	}
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
	if took := time.Since(start); fixtures.Thorough() && took > 10*time.Second {
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
