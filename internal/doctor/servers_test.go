package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// sample returns the embedded workspace as a server would answer.
func sample(t *testing.T, options fakeoutline.Options) http.Handler {
	t.Helper()
	options.Now = time.Now
	built, err := fakeoutline.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// small returns a workspace with a user for each key below.
func small(t *testing.T) http.Handler { return team(t, "") }

// team is small with a setting for who may comment.
func team(t *testing.T, commenting fakeoutline.Commenting) http.Handler {
	t.Helper()
	joined := time.Now().Add(-24 * time.Hour)
	user := func(n string, role fakeoutline.Role, suspended bool) fakeoutline.User {
		return fakeoutline.User{ID: "0000000" + n + "-0000-4000-8000-000000000001", Name: "Ada " + n, Email: "ada" + n + "@example.com", Role: role, Suspended: suspended, CreatedAt: joined}
	}
	key := func(n, secret string, expires time.Duration, scopes ...string) fakeoutline.Key {
		k := fakeoutline.Key{ID: "0000000" + n + "-0000-4000-8000-00000000000a", Secret: secret, UserID: "0000000" + n + "-0000-4000-8000-000000000001", Scopes: scopes, CreatedAt: joined}
		if expires != 0 {
			k.ExpiresAt = time.Now().Add(expires)
		}
		return k
	}
	built, err := fakeoutline.Empty(fakeoutline.Options{Answers: true}, fakeoutline.Seed{
		Team: fakeoutline.Team{ID: "00000000-0000-4000-8000-0000000000ff", Name: "Acme", Commenting: commenting},
		Users: []fakeoutline.User{user("1", fakeoutline.Admin, false), user("2", fakeoutline.Member, true), user("3", fakeoutline.Guest, false),
			user("4", fakeoutline.Member, false), user("5", fakeoutline.Member, false), user("6", fakeoutline.Admin, false), user("7", fakeoutline.Admin, false)},
		Keys: []fakeoutline.Key{key("1", "ol_api_fake_of_admin", 0), key("2", "ol_api_fake_suspended", 0), key("3", "ol_api_fake_of_guest", 0),
			key("4", "ol_api_fake_ends_soon", 5*24*time.Hour+time.Hour), key("5", "ol_api_fake_ended_past", -time.Hour), key("6", "ol_api_fake_reads_only", 0, "read"), key("7", "ol_api_fake_no_tools", 0, "auth:read", "apiKeys:read")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// serve serves a handler until the test ends, and returns its address.
func serveHandler(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// serveTLS does so over TLS.
func serveTLS(t *testing.T, handler http.Handler, settings *tls.Config) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are to fail
	server.TLS = settings
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// listen accepts connections until the test ends, and gives each to handle.
func listen(t *testing.T, handle func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			handle(connection)
		}
	}()
	t.Cleanup(func() { listener.Close(); <-ended })
	return listener.Addr().String()
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// says answers everything in one way.
func says(status int, body string, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// below serves a handler below a path, and a web page everywhere else.
func below(path string, handler http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(path+"/", http.StripPrefix(path, handler))
	mux.Handle("/", says(http.StatusNotFound, "<!doctype html><title>Not found</title>", "Content-Type", "text/html"))
	return mux
}

// onlyAt answers like Outline below /api, and with its web page elsewhere.
func onlyAt(outline http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", outline)
	mux.Handle("/", says(http.StatusOK, "<!doctype html><title>Outline</title>", "Content-Type", "text/html"))
	return mux
}

// instead answers requests to one endpoint, outline all others.
func instead(outline http.Handler, endpoint string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/"+endpoint) {
			handler.ServeHTTP(w, r)
			return
		}
		outline.ServeHTTP(w, r)
	})
}

// withKey answers requests that have a key, outline all others.
func withKey(outline, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			handler.ServeHTTP(w, r)
			return
		}
		outline.ServeHTTP(w, r)
	})
}

// An issued certificate, and the PEM files of it, of its key and of who signed it.
type issued struct {
	certificate       tls.Certificate
	file, key, signer string
}

func (i issued) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{i.certificate}}
}

// issue makes a certificate for a host, good from one moment to another,
// counted from now.
func issue(t *testing.T, host string, from, until time.Duration) issued {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		return key
	}
	signerKey, key := newKey(), newKey()
	signer := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Example Authority"}, NotBefore: time.Now().Add(-9000 * time.Hour), NotAfter: time.Now().Add(9000 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	signerDER, err := x509.CreateCertificate(rand.Reader, signer, signer, signerKey.Public(), signerKey)
	must(err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(until)}
	if ip := net.ParseIP(host); ip != nil {
		leaf.IPAddresses = []net.IP{ip}
	} else {
		leaf.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, signer, key.Public(), signerKey)
	must(err)
	keyDER, err := x509.MarshalECPrivateKey(key)
	must(err)
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), name)
		must(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return file
	}
	return issued{
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		file:        write("certificate.pem", "CERTIFICATE", der),
		key:         write("key.pem", "EC PRIVATE KEY", keyDER),
		signer:      write("authority.pem", "CERTIFICATE", signerDER),
	}
}

// file writes a file for the test and returns where it is.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
