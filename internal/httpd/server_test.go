package httpd_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"outline-mcp/internal/httpd"
)

func TestStoppingLetsCallsInFlightEnd(t *testing.T) {
	g := newGate()
	s := serve(t, httpd.Options{MCP: g.serve, Fallback: operator(), ShutdownGrace: 20 * time.Second})
	answered := make(chan answer, 1)
	go func() { answered <- s.send(t, "/mcp", "{}") }()
	soon(t, "the call", g.entered)
	if a := s.send(t, "/ready", "", "GET"); a.status != http.StatusOK {
		t.Errorf("ready before: status %d", a.status)
	}
	s.stop()
	for a := s.send(t, "/ready", "", "GET"); a.status != http.StatusServiceUnavailable; { // it hears of it soon
		a = s.send(t, "/ready", "", "GET")
	}
	if a := s.send(t, "/health", "", "GET"); a.status != http.StatusOK {
		t.Errorf("alive while stopping: status %d", a.status)
	}
	if a := s.send(t, "/mcp", "{}"); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || a.message == "" {
		t.Errorf("another call: status %d: %s", a.status, a.body)
	}
	select {
	case err := <-s.ended:
		t.Fatalf("serving ended with a call in flight: %v", err)
	case <-answered:
		t.Fatal("the call ended early")
	default:
	}
	close(g.leave)
	if a := soon(t, "the answer", answered); a.status != http.StatusOK {
		t.Errorf("the call in flight: status %d", a.status)
	}
	if err := soon(t, "the end", s.ended); err != nil {
		t.Errorf("serving ends with %v", err)
	}
	s.ended <- nil
}

func TestStoppingCutsOffWhatOutlastsTheGrace(t *testing.T) {
	cut := make(chan struct{})
	entered := make(chan struct{})
	s := serve(t, httpd.Options{Fallback: operator(), ShutdownGrace: 100 * time.Millisecond, MCP: func(_ http.ResponseWriter, r *http.Request, _ []byte) {
		close(entered)
		<-r.Context().Done()
		close(cut)
	}})
	connection := dial(t, s.address, post("Content-Length: 2")+"{}")
	soon(t, "the call", entered)
	s.stop()
	if err := soon(t, "the end", s.ended); err != nil {
		t.Errorf("serving ends with %v", err)
	}
	s.ended <- nil
	soon(t, "the end of the call", cut)
	if _, err := http.ReadResponse(bufio.NewReader(connection), nil); err == nil {
		t.Error("a call that was cut off is answered")
	}
}

func TestServingFailsWhenTheListenerDoes(t *testing.T) {
	server, err := httpd.New(httpd.Options{MCP: echo})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := server.Serve(t.Context(), listener); err == nil {
		t.Error("a closed listener serves")
	}
}

func TestReadinessIsAskedForOncePerTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, answer := 0, error(nil)
		server, err := httpd.New(httpd.Options{MCP: echo, Ready: func(ctx context.Context) error {
			asked++
			if _, limited := ctx.Deadline(); !limited || ctx.Err() != nil {
				t.Errorf("asking is not limited, or ended: %v", ctx.Err())
			}
			return answer
		}})
		if err != nil {
			t.Fatal(err)
		}
		ready := func() *httptest.ResponseRecorder {
			gone, leave := context.WithCancel(t.Context())
			leave() // who asks may have left
			recorder := httptest.NewRecorder()
			server.Handler(true).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ready", nil).WithContext(gone))
			return recorder
		}
		if got := ready(); got.Code != http.StatusOK || got.Body.String() != `{"status":"ready"}`+"\n" {
			t.Errorf("status %d, %s", got.Code, got.Body)
		}
		answer = errors.New("Outline does not answer")
		time.Sleep(9 * time.Second)
		if got := ready(); got.Code != http.StatusOK || asked != 1 {
			t.Errorf("after 9 s: status %d, asked %d times", got.Code, asked)
		}
		time.Sleep(time.Second)
		if got := ready(); got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "Outline does not answer") || asked != 2 {
			t.Errorf("after 10 s: status %d, asked %d times: %s", got.Code, asked, got.Body)
		}
		answer = nil
		if got := ready(); got.Code != http.StatusServiceUnavailable || asked != 2 {
			t.Errorf("a failure is not remembered: status %d, asked %d times", got.Code, asked)
		}
		time.Sleep(10 * time.Second)
		if got := ready(); got.Code != http.StatusOK || asked != 3 {
			t.Errorf("after another 10 s: status %d, asked %d times", got.Code, asked)
		}
	})
}

// A pair writes a certificate for localhost, and its key, into two files.
type pair struct{ cert, key string }

func (p pair) write(t *testing.T, name string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{p.cert: {Type: "CERTIFICATE", Bytes: certificate}, p.key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheCertificateIsReadAgainWhenItsFilesChange(t *testing.T) {
	folder := t.TempDir()
	files := pair{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	if _, err := httpd.New(httpd.Options{MCP: echo, CertFile: files.cert, KeyFile: files.key}); err == nil {
		t.Error("a server starts without its certificate")
	}
	files.write(t, "first")
	s := serve(t, httpd.Options{Fallback: operator(), CertFile: files.cert, KeyFile: files.key})
	shown := func() string {
		t.Helper()
		connection, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		if version := connection.ConnectionState().NegotiatedProtocol; version != "h2" {
			t.Errorf("the protocol is %q", version)
		}
		return connection.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := shown(); got != "first" {
		t.Errorf("the certificate is %q", got)
	}
	old, err := os.ReadFile(files.key)
	if err != nil {
		t.Fatal(err)
	}
	files.write(t, "second")
	renewed, err := os.ReadFile(files.key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files.key, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "first" {
		t.Errorf("between the replacement of one file and of the other the certificate is %q", got)
	}
	if err := os.WriteFile(files.key, append(renewed, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "second" {
		t.Errorf("after the replacement the certificate is %q", got)
	}
	if err := os.Remove(files.cert); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "second" {
		t.Errorf("without its file the certificate is %q", got)
	}
}

func TestCallsOverTLSAreServedWithBothVersionsOfHTTP(t *testing.T) {
	folder := t.TempDir()
	files := pair{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	files.write(t, "localhost")
	slow := func(w http.ResponseWriter, r *http.Request, _ []byte) {
		select {
		case <-time.After(400 * time.Millisecond): // longer than the body may take
		case <-r.Context().Done():
			w.WriteHeader(http.StatusTeapot)
		}
	}
	for major := 1; major <= 2; major++ {
		inMemory(t, httpd.Options{Fallback: operator(), MaxBody: 100, BodyTimeout: 200 * time.Millisecond, CertFile: files.cert, KeyFile: files.key, MCP: slow}, func(t *testing.T, s *running, _ *memoryListener) {
			s.transport.ForceAttemptHTTP2 = major == 2
			for body, want := range map[string]int{"{}": http.StatusOK, strings.Repeat("x", 101): http.StatusRequestEntityTooLarge} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+s.address+"/mcp", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				response, err := s.transport.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				if response.Request = request; response.ProtoMajor != major {
					t.Errorf("HTTP/%d, want %d", response.ProtoMajor, major)
				}
				if a := read(t, response); a.status != want {
					t.Errorf("HTTP/%d: status %d, want %d", major, a.status, want)
				}
			}
		})
	}
}

func TestAProbeWaitsForAnOutlineThatHangsOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, asked := make(chan struct{}), atomic.Int32{}
		defer close(release)
		server, err := httpd.New(httpd.Options{MCP: echo, Ready: func(context.Context) error {
			asked.Add(1)
			<-release // whatever its context says
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan *httptest.ResponseRecorder)
		for range 3 {
			go func() {
				recorder := httptest.NewRecorder()
				server.Handler(true).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/ready", nil))
				answered <- recorder
			}()
		}
		begin := time.Now()
		for range 3 {
			if got := <-answered; got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "no answer from Outline") {
				t.Errorf("status %d: %s", got.Code, got.Body)
			}
		}
		if took := time.Since(begin); took > 10*time.Second || asked.Load() != 1 {
			t.Errorf("asked %d times, for %s", asked.Load(), took)
		}
	})
}

func TestStoppingDoesNotWaitForAProbe(t *testing.T) {
	release, asked := make(chan struct{}), make(chan struct{})
	defer close(release)
	s := serve(t, httpd.Options{ShutdownGrace: time.Minute, Ready: func(context.Context) error {
		close(asked)
		<-release
		return nil
	}})
	answered := make(chan answer, 1)
	go func() { answered <- s.send(t, "/ready", "", "GET") }()
	soon(t, "the question", asked)
	s.stop()
	if a := soon(t, "the answer", answered); a.status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	if err := soon(t, "the end", s.ended); err != nil {
		t.Errorf("serving ends with %v", err)
	}
	s.ended <- nil
}

// secure starts a server with TLS and HTTP/2.
func secure(t *testing.T, o httpd.Options) *running {
	t.Helper()
	folder := t.TempDir()
	files := pair{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	files.write(t, "localhost")
	o.CertFile, o.KeyFile = files.cert, files.key
	return serve(t, o)
}

// openStreams opens a connection with requests whose bodies do not arrive.
func openStreams(t *testing.T, address string, number uint32) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	var out, header bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer, encoder := http2.NewFramer(&out, nil), hpack.NewEncoder(&header)
	err = framer.WriteSettings()
	for n := uint32(0); n < number && err == nil; n++ {
		header.Reset()
		for _, field := range [][2]string{{":method", "POST"}, {":scheme", "https"}, {":path", "/mcp"}, {":authority", address}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // into memory
		}
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, BlockFragment: header.Bytes(), EndHeaders: true})
	}
	if err == nil {
		_, err = connection.Write(out.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

func TestStoppingWhileManyBodiesArriveEndsThemAll(t *testing.T) {
	for range 20 {
		s := secure(t, httpd.Options{Fallback: operator()})
		for range 10 {
			connection := openStreams(t, s.address, 64)
			if _, err := io.ReadFull(connection, make([]byte, 9)); err != nil { // it is served
				t.Fatal(err)
			}
			connection.Close()
		}
		s.stop()
		s.ended <- soon(t, "the end", s.ended)
	}
}

func TestARequestTooManyIsResetAndTheNextServed(t *testing.T) {
	g := newGate()
	s := secure(t, httpd.Options{Fallback: operator(), MCP: g.serve})
	var connections []net.Conn
	for range 16 {
		connections = append(connections, openStreams(t, s.address, 64)) // all that there may be
	}
	s.transport.ForceAttemptHTTP2 = true
	ask := func() (int, error) {
		response, err := s.client.Get("https://" + s.address + "/health")
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		return response.StatusCode, nil
	}
	full := false
	for range 1000 {
		if _, err := ask(); err != nil {
			full = true
			break
		}
	}
	if !full {
		t.Error("more than 1,024 requests are served")
	}
	for _, connection := range connections {
		connection.Close()
	}
	for range 1000 {
		if status, err := ask(); err == nil && status == http.StatusOK {
			return
		}
	}
	t.Error("no request is served when the others have gone")
}
