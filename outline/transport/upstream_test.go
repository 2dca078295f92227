package transport_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/outline/transport"
)

// files are those of one side of a connection.
type files struct{ cert, key string }

func filesIn(t *testing.T) files {
	folder := t.TempDir()
	return files{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
}

// write replaces the files by a new certificate for this machine, signed by itself.
func (f files) write(t *testing.T, name string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, made, made, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{f.cert: {Type: "CERTIFICATE", Bytes: der}, f.key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		replace(t, path, string(pem.EncodeToMemory(block)))
	}
}

// replace replaces a file in one step.
func replace(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", []byte(content), 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// A request as a server got it.
type got struct {
	gate  string
	names []string // of the client certificate
}

// serve starts a server over TLS with HTTP/2 that says who asks.
func serve(t *testing.T, certificate files, ask tls.ClientAuthType) (address string, last func() got) {
	t.Helper()
	var mu sync.Mutex
	var seen got
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = got{gate: r.Header.Get("X-Gate")}
		for _, one := range r.TLS.PeerCertificates {
			seen.names = append(seen.names, one.Subject.CommonName)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pair, err := tls.LoadX509KeyPair(certificate.cert, certificate.key)
		return &tls.Config{ClientAuth: ask, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}, err
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, func() got { mu.Lock(); defer mu.Unlock(); return seen }
}

func ask(t *testing.T, way http.RoundTripper, address string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := way.RoundTrip(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if len(request.Header) > 0 {
		t.Errorf("the request was changed: %v", request.Header)
	}
	return err
}

func TestOnlyOutlineGetsHeadersAndCertificate(t *testing.T) {
	server, client := filesIn(t), filesIn(t)
	server.write(t, "server")
	client.write(t, "this server")
	outline, atOutline := serve(t, server, tls.RequireAnyClientCert)
	storage, atStorage := serve(t, server, tls.RequestClientCert)
	way, err := transport.NewUpstream(transport.UpstreamOptions{
		BaseURL: outline + "/api", CAFile: server.cert, CertFile: client.cert, KeyFile: client.key, SkipVerify: true,
		Headers: func() (http.Header, error) { return http.Header{"X-Gate": {"open"}}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer way.CloseIdleConnections()
	now, over := way.Outline()
	for name, way := range map[string]http.RoundTripper{"as it is": way, "over other connections": over(now.Clone())} {
		if err := errors.Join(ask(t, way, outline+"/api/auth.info"), ask(t, way, storage+"/file")); err != nil {
			t.Fatal(err)
		}
		if got := atOutline(); got.gate != "open" || len(got.names) != 1 || got.names[0] != "this server" {
			t.Errorf("%s: Outline got %+v", name, got)
		}
		if got := atStorage(); got.gate != "" || len(got.names) > 0 {
			t.Errorf("%s: the storage got %+v", name, got)
		}
		// Another name of the same server is another server.
		elsewhere := strings.Replace(outline, "127.0.0.1", "localhost", 1)
		if err := ask(t, way, elsewhere); err == nil {
			t.Errorf("%s: %s got a certificate", name, elsewhere)
		}
	}
}

func TestTheWayChangesUnderLoadWithoutAFailedRequest(t *testing.T) {
	server, client := filesIn(t), filesIn(t)
	server.write(t, "server")
	client.write(t, "first")
	outline, last := serve(t, server, tls.RequireAnyClientCert)
	headers := filepath.Join(t.TempDir(), "headers")
	replace(t, headers, "one")
	set := new(transport.FileSet)
	way, err := transport.NewUpstream(transport.UpstreamOptions{
		BaseURL: outline, CAFile: server.cert, CertFile: client.cert, KeyFile: client.key, Files: set,
		HeadersFile: headers, Headers: func() (http.Header, error) {
			content, err := os.ReadFile(headers)
			return http.Header{"X-Gate": {string(content)}}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer way.CloseIdleConnections()
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := ask(t, way, outline); err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
			}
		})
	}
	for _, step := range []string{"second", "third", "fourth"} {
		client.write(t, step)
		replace(t, headers, "gate "+step)
		set.Reload()
	}
	close(stop)
	group.Wait()
	if err := ask(t, way, outline); err != nil {
		t.Fatal(err)
	}
	if got := last(); got.gate != "gate fourth" || len(got.names) != 1 || got.names[0] != "fourth" {
		t.Errorf("Outline got %+v", got)
	}
	// A broken pair changes nothing, and neither does a header file that is gone.
	replace(t, client.key, "broken")
	if err := os.Remove(headers); err != nil {
		t.Fatal(err)
	}
	if err := ask(t, way, outline); err != nil || last().gate != "gate fourth" {
		t.Errorf("with broken files: %v, %+v", err, last())
	}
	// The server's certificate changes, and with it what is trusted.
	client.write(t, "fifth")
	replace(t, headers, "five")
	server.write(t, "renewed")
	if err := ask(t, way, outline); err != nil || last().names[0] != "fifth" {
		t.Errorf("with a new authority: %v, %+v", err, last())
	}
}

func TestFilesThatCannotBeUsedAreToldApart(t *testing.T) {
	good := filesIn(t)
	good.write(t, "good")
	for _, test := range []struct {
		file    transport.File
		options transport.UpstreamOptions
	}{
		{transport.FileCA, transport.UpstreamOptions{CAFile: good.key}},
		{transport.FileCertificate, transport.UpstreamOptions{CertFile: good.cert, KeyFile: good.cert}},
		{transport.FileHeaders, transport.UpstreamOptions{Headers: func() (http.Header, error) { return nil, errors.New("broken") }}},
	} {
		var failure *transport.FileError
		if _, err := transport.NewUpstream(test.options); !errors.As(err, &failure) || failure.File != test.file {
			t.Errorf("file %d: %v", test.file, err)
		}
	}
}

func TestThroughAProxyOnlyOutlineGetsTheHeaders(t *testing.T) {
	server := filesIn(t)
	server.write(t, "server")
	outline, last := serve(t, server, tls.NoClientCert)
	var mu sync.Mutex
	var connected []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connected = append(connected, r.Method+" "+r.Host+" "+r.Header.Get("X-Gate"))
		mu.Unlock()
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer to.Close()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(to, from) }()
		_, _ = io.Copy(from, to)
	}))
	defer proxy.Close()
	way, err := transport.NewUpstream(transport.UpstreamOptions{BaseURL: outline, CAFile: server.cert, Headers: func() (http.Header, error) { return http.Header{"X-Gate": {"open"}}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	now, over := way.Outline()
	through := now.Clone()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	through.Proxy = http.ProxyURL(address)
	err = ask(t, over(through), outline)
	through.CloseIdleConnections()
	mu.Lock()
	defer mu.Unlock()
	want := "CONNECT " + strings.TrimPrefix(outline, "https://") + " "
	if err != nil || last().gate != "open" || len(connected) != 1 || connected[0] != want {
		t.Errorf("%v: Outline got %+v, the proxy %q, want %q", err, last(), connected, want)
	}
}
