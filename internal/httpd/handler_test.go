package httpd_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/httpd"
)

func TestTheHostIsOneThatIsServed(t *testing.T) {
	for _, test := range []struct {
		name     string
		loopback bool
		allowed  []string
		host     string
		served   bool
	}{
		{"localhost on loopback", true, nil, "localhost:3000", true},
		{"localhost in capitals", true, nil, "LocalHost", true},
		{"an address of loopback", true, nil, "127.3.2.1:80", true},
		{"an address of IPv6 loopback", true, nil, "[::1]:3000", true},
		{"an address of IPv6 loopback without port", true, nil, "[::1]", true},
		{"an address of IPv4 in IPv6", true, nil, "[::ffff:127.0.0.1]:3000", true},
		{"another host on loopback", true, nil, "evil.example.com", false},
		{"a host that begins like loopback", true, nil, "127.0.0.1.evil.example.com", false},
		{"a host that begins like localhost", true, nil, "localhost.evil.example.com:3000", false},
		{"a private address on loopback", true, nil, "192.168.1.2:3000", false},
		{"all addresses on loopback", true, nil, "0.0.0.0:3000", false},
		{"no host on loopback", true, nil, "", false},
		{"an allowed host on loopback", true, []string{"mcp.example.com"}, "mcp.example.com", true},
		{"an allowed host with any port", true, []string{"mcp.example.com"}, "MCP.example.com.:8443", true},
		{"an allowed host with its port", true, []string{"mcp.example.com:8443"}, "mcp.example.com:8443", true},
		{"an allowed host with another port", true, []string{"mcp.example.com:8443"}, "mcp.example.com:80", false},
		{"a host below an allowed one", true, []string{"example.com"}, "mcp.example.com", false},
		{"localhost beside an allowed one", true, []string{"mcp.example.com"}, "localhost", true},
		{"any host elsewhere", false, nil, "whatever.example.com", true},
		{"an allowed host elsewhere", false, []string{"mcp.example.com", "::1"}, "mcp.example.com:3000", true},
		{"an allowed address elsewhere", false, []string{"mcp.example.com", "::1"}, "[::1]:3000", true},
		{"another host elsewhere", false, []string{"mcp.example.com"}, "evil.example.com", false},
		{"localhost elsewhere", false, []string{"mcp.example.com"}, "localhost", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, err := httpd.New(httpd.Options{MCP: echo, Fallback: operator(), AllowedHosts: test.allowed})
			if err != nil {
				t.Fatal(err)
			}
			for path, served := range map[string]bool{"/mcp": test.served, "/health": true, "/ready": true} {
				request := httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}"))
				if path != "/mcp" {
					request.Method = http.MethodGet
				}
				request.Host = test.host
				recorder := httptest.NewRecorder()
				server.Handler(test.loopback).ServeHTTP(recorder, request)
				if status := recorder.Code; served && status != http.StatusOK || !served && status != http.StatusForbidden {
					t.Errorf("%s: status %d: %s", path, status, recorder.Body)
				}
			}
		})
	}
}

func TestAListenerOnLoopbackIsServedUnderLoopbackHosts(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator()})
	if a := s.send(t, "/mcp", "{}"); a.status != http.StatusOK {
		t.Errorf("its own address: %s", a.body)
	}
	if a := s.send(t, "/mcp", "{}", "Host: evil.example.com"); a.status != http.StatusForbidden {
		t.Errorf("another host: status %d", a.status)
	}
	if a := s.send(t, "/health", "", "GET", "Host: evil.example.com"); a.status != http.StatusOK {
		t.Errorf("a probe: status %d", a.status)
	}
}

func TestTheEndpointIsServedWithAndWithoutASlashAtItsEnd(t *testing.T) {
	for configured, served := range map[string][]string{"": {"/mcp", "/mcp/"}, "/": {"/"}, "/a/b": {"/a/b", "/a/b/"}, "/a/": {"/a", "/a/"}} {
		s := serve(t, httpd.Options{Fallback: operator(), Path: configured})
		for _, path := range served {
			if a := s.send(t, path, "{}"); a.status != http.StatusOK {
				t.Errorf("configured as %q, %s is answered with %d, %s", configured, path, a.status, a.header.Get("Location"))
			}
		}
		for _, path := range []string{served[0] + "//", served[0] + "/x", "/x"} {
			if a := s.send(t, path, "{}"); a.status != http.StatusNotFound {
				t.Errorf("configured as %q, %s is answered with %d", configured, path, a.status)
			}
		}
	}
}

func TestTheOriginIsOneThatIsAllowed(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator(), AllowedHosts: []string{"mcp.example.com"}, AllowedOrigins: []string{"https://app.example.com", "http://localhost:6274", "https://other.example.com:443"}})
	for _, test := range []struct {
		name, host, origin string
		served, cross      bool
	}{
		{"an allowed page", "", "https://app.example.com", true, true},
		{"an allowed page in capitals", "", "HTTPS://App.Example.Com", true, true},
		{"an allowed page with the port of its scheme", "", "https://app.example.com:443", true, true},
		{"a page that is allowed with the port of its scheme", "", "https://other.example.com", true, true},
		{"an allowed page with a port", "", "http://localhost:6274", true, true},
		{"another port", "", "http://localhost:6275", false, false},
		{"another scheme", "", "http://app.example.com", false, false},
		{"a page below an allowed one", "", "https://evil.app.example.com", false, false},
		{"a page that begins like an allowed one", "", "https://app.example.com.evil.com", false, false},
		{"no page at all", "", "null", false, false},
		{"an empty origin", "", "", false, false},
		{"no origin", "", "evil", false, false},
		{"an origin with a user", "", "https://app.example.com@evil.com", false, false},
		{"a page of the same host", "mcp.example.com", "http://mcp.example.com", true, false},
		{"a page of the same host behind TLS", "mcp.example.com", "https://mcp.example.com", true, false},
		{"a page of the same host on another port", "mcp.example.com", "http://mcp.example.com:8080", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			headers := []string{"Origin: " + test.origin}
			if test.host != "" {
				headers = append(headers, "Host: "+test.host)
			}
			a := s.send(t, "/mcp", "{}", headers...)
			if test.served && a.status != http.StatusOK || !test.served && a.status != http.StatusForbidden {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			want := ""
			if test.cross {
				want = test.origin
			}
			if got := a.header.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("Access-Control-Allow-Origin is %q, want %q", got, want)
			}
			if !slices.Contains(a.header.Values("Vary"), "Origin") {
				t.Error("caches are not told that the origin matters")
			}
		})
	}
	if a := s.send(t, "/mcp", "{}", "Origin: https://app.example.com", "Origin: https://app.example.com"); a.status != http.StatusForbidden {
		t.Errorf("two origins: status %d", a.status)
	}
}

func TestBrowsersAreToldWhatAllowedPagesMaySend(t *testing.T) {
	s := serve(t, httpd.Options{Tokens: []string{tokenA}, AllowedOrigins: []string{"https://app.example.com"}})
	asks := []string{"OPTIONS", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, mcp-name"}
	a := s.send(t, "/mcp", "", append(asks, "Origin: https://app.example.com")...)
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" || a.header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("status %d: %v", a.status, a.header)
	}
	for _, name := range []string{"Authorization", "Content-Type", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "X-Outline-API-Key", "X-MCP-Token", "X-Outline-Read-Only"} {
		if !slices.Contains(strings.Split(a.header.Get("Access-Control-Allow-Headers"), ", "), name) {
			t.Errorf("%s may not be sent", name)
		}
	}
	if a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Error("browsers may send cookies")
	}
	if a := s.send(t, "/mcp", "", append(asks, "Origin: https://evil.example.com")...); a.status != http.StatusForbidden || a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a page that is not allowed: status %d, %v", a.status, a.header)
	}
	if a := s.send(t, "/mcp", "{}", "Origin: https://app.example.com"); a.status != http.StatusUnauthorized || a.header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("an allowed page cannot read why it is refused: status %d, %v", a.status, a.header)
	}
}

func TestPathsAndMethods(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("counted 1\n")) })
	s := serve(t, httpd.Options{Tokens: []string{tokenA}, Path: "/api/mcp", Metrics: metrics})
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"POST", "/mcp", 404},
		{"POST", "/api/mcp//", 404},
		{"GET", "/", 404},
		{"GET", "/.well-known/oauth-protected-resource", 404},
		{"GET", "/.well-known/oauth-authorization-server", 404},
		{"GET", "/.well-known/openid-configuration", 404},
		{"POST", "/register", 404},
		{"POST", "//api/mcp", 404},
		{"GET", "/api/mcp", 405},
		{"DELETE", "/api/mcp", 405},
		{"PUT", "/api/mcp", 405},
		{"HEAD", "/api/mcp", 405},
		{"POST", "/api/mcp", 401},
		{"POST", "/api/mcp/", 401},
		{"GET", "/health", 200},
		{"HEAD", "/health", 200},
		{"POST", "/health", 405},
		{"GET", "/ready", 200},
		{"POST", "/ready", 405},
		{"GET", "/metrics", 200},
	} {
		a := s.send(t, test.path, "", test.method)
		if a.status != test.status {
			t.Errorf("%s %s: status %d, want %d: %s", test.method, test.path, a.status, test.status, a.body)
		}
		if test.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
			t.Errorf("%s %s does not say what is allowed", test.method, test.path)
		}
	}
	if a := serve(t, httpd.Options{Fallback: operator()}).send(t, "/metrics", "", "GET"); a.status != http.StatusNotFound {
		t.Errorf("without metrics: status %d", a.status)
	}
}

func TestEachRefusalIsCountedUnderAKnownReason(t *testing.T) {
	reasons := make(chan string, 100)
	s := serve(t, httpd.Options{Tokens: []string{tokenA}, MaxBody: 10, Refused: func(reason string) { reasons <- reason }, MCP: func(http.ResponseWriter, *http.Request, []byte) { panic("ol_api_test_secret") }})
	token := "X-MCP-Token: " + tokenA
	key := "X-Outline-API-Key: " + key1
	s.send(t, "/mcp", "", "Host: evil.example.com")
	s.send(t, "/mcp", "", "Origin: https://evil.example.com")
	s.send(t, "/nothing", "")
	s.send(t, "/mcp", "", "GET")
	s.send(t, "/mcp", "", key)
	s.send(t, "/mcp", "", token)
	s.send(t, "/mcp", "", token, key, "X-Outline-Read-Only: perhaps")
	s.send(t, "/mcp", "12345678901", token, key)
	if a := s.send(t, "/mcp", "", token, key); a.status != http.StatusInternalServerError || strings.Contains(a.body, "secret") {
		t.Errorf("a panic is answered with status %d, %s", a.status, a.body)
	}
	for _, want := range []string{"host", "origin", "path", "method", "token", "key", "header", "size", "panic"} {
		if got := <-reasons; got != want || !slices.Contains(httpd.Reasons(), got) {
			t.Errorf("the reason is %q, want %q", got, want)
		}
	}
	if a := s.send(t, "/health", "", "GET"); a.status != http.StatusOK {
		t.Errorf("the server does not go on: %d", a.status)
	}
}
