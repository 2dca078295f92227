package outline_test

import (
	"context"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

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

func TestEachAttemptIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var seen []outline.Attempt
		slow := func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answered(200, jsonType, okDocument), nil
		}
		c, _ := scripted(t, func(o *outline.Options) {
			o.Observe = func(ctx context.Context, a outline.Attempt) {
				equal(t, "context", ctx.Value(key{}) == "of the call", true)
				seen = append(seen, a)
			}
		}, fails(syscall.ECONNRESET), rateLimits("Retry-After", "7"), slow)
		if _, err := c.Document(context.WithValue(t.Context(), key{}, "of the call"), uuid); err != nil {
			t.Fatal(err)
		}
		want := []outline.Attempt{
			{Endpoint: "documents.info"},
			{Endpoint: "documents.info", Status: 429, Retry: true},
			{Endpoint: "documents.info", Status: 200, Retry: true, Waited: 7 * time.Second, Duration: time.Second},
		}
		equal(t, "attempts", len(seen), len(want))
		for i := range want {
			equal(t, "attempt", seen[i], want[i])
		}
	})
}

func TestATraceIsPassedOn(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, trace := range map[string]outline.Trace{"none": {}, "parent": {Parent: parent}, "both": {Parent: parent, State: "a=b"}, "state alone": {State: "a=b"}} {
		c, _ := scripted(t, nil, func(r *http.Request) (*http.Response, error) {
			want := trace
			if want.Parent == "" {
				want.State = ""
			}
			equal(t, name, outline.Trace{Parent: r.Header.Get("traceparent"), State: r.Header.Get("tracestate")}, want)
			return answered(200, jsonType, okDocument), nil
		})
		if _, err := c.Document(outline.ContextWithTrace(t.Context(), trace), uuid); err != nil {
			t.Error(err)
		}
	}
}
