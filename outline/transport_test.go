package outline_test

import (
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

func TestACertificateIsChecked(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		equal(t, "protocol", r.Proto, "HTTP/2.0")
		reply(w, 200, jsonType, authJSON)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(t *testing.T, base string, o transport.Options) error {
		transport, err := transport.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var retries int
		_, err = newClient(t, base, func(o *outline.Options) {
			o.MaxRetries = 3
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) { retries++; return transport.RoundTrip(r) })
		}).AuthInfo(t.Context())
		transport.CloseIdleConnections()
		equal(t, "attempts", retries, 1)
		return err
	}
	t.Run("an unknown issuer is refused", func(t *testing.T) {
		err := call(t, server.URL, transport.Options{})
		if !errors.Is(err, outline.ErrUnreachable) {
			t.Errorf("error %v, want ErrUnreachable", err)
		}
		contains(t, err, "unknown authority", strings.TrimPrefix(server.URL, "https://"))
		suggests(t, err, outline.TrustIssuer)
	})
	t.Run("another host's is refused though its issuer is known", func(t *testing.T) {
		err := call(t, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), transport.Options{CAFile: file})
		if !errors.Is(err, outline.ErrUnreachable) {
			t.Errorf("error %v, want ErrUnreachable", err)
		}
		contains(t, err, "certificate", "localhost")
	})
	t.Run("a known issuer is accepted", func(t *testing.T) {
		if err := call(t, server.URL, transport.Options{CAFile: file}); err != nil {
			t.Error(err)
		}
	})
	t.Run("any is accepted when it is not checked", func(t *testing.T) {
		if err := call(t, server.URL, transport.Options{SkipVerify: true}); err != nil {
			t.Error(err)
		}
	})
}

// TestTheProxyOfTheEnvironmentIsUsed runs the test binary again, because
// net/http reads the proxy settings only once and never for loopback.
func TestTheProxyOfTheEnvironmentIsUsed(t *testing.T) {
	requested := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested <- r.Method + " " + r.URL.String()
		reply(w, 200, jsonType, authJSON)
	}))
	defer proxy.Close()
	throughProxy := func(t *testing.T, setting, base string) string {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), proxied+"="+base, "HTTP_PROXY="+setting, "HTTPS_PROXY="+setting, "NO_PROXY=", "no_proxy=", "http_proxy=", "https_proxy=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	t.Run("for a call", func(t *testing.T) {
		equal(t, "error", throughProxy(t, proxy.URL, "http://outline.invalid"), "<nil>")
		equal(t, "request", <-requested, "POST http://outline.invalid/api/auth.info")
	})
	t.Run("and its settings are named when it is unreachable, without its password", func(t *testing.T) {
		for _, base := range []string{"https://outline.invalid", "http://outline.invalid"} {
			out := throughProxy(t, "http://user:sesame@127.0.0.1:1", base)
			if !strings.Contains(out, "cannot connect to the proxy") || !strings.Contains(out, "check the proxy") || strings.Contains(out, "sesame") {
				t.Errorf("error %q", out)
			}
		}
	})
}
