package httpd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

const (
	tokenA = "0123456789abcdef-a"
	tokenB = "0123456789abcdef-b"
	key1   = "ol_api_test_key_1"
	key2   = "ol_api_test_key_2"
)

func TestWhoMayCall(t *testing.T) {
	open := httpd.Options{}
	fallback := httpd.Options{Fallback: operator()}
	tokens := httpd.Options{Tokens: []string{tokenA, tokenB}}
	both := httpd.Options{Tokens: []string{tokenA, tokenB}, Fallback: operator()}
	demo := httpd.Options{Tokens: []string{tokenA}, TokenOptional: true, Fallback: operator()}
	const server = operatorKey
	const refused = ""
	for _, test := range []struct {
		name    string
		options httpd.Options
		headers []string
		key     string // "": refused
	}{
		{"a key as Bearer", open, []string{"Authorization: Bearer " + key1}, key1},
		{"a key as bearer in any case", open, []string{"Authorization: bEaReR  " + key1}, key1},
		{"a key in its header", open, []string{"X-Outline-API-Key: " + key1}, key1},
		{"the same key in both", open, []string{"X-Outline-API-Key: " + key1, "Authorization: Bearer " + key1}, key1},
		{"two different keys", open, []string{"X-Outline-API-Key: " + key1, "Authorization: Bearer " + key2}, refused},
		{"no key", open, nil, refused},
		{"a token that nobody asks for is no key", open, []string{"X-MCP-Token: " + tokenA}, refused},
		{"a key of an old Outline", open, []string{"Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789AB"}, "abcdefghijklmnopqrstuvwxyz0123456789AB"},

		{"a key as long as any", fallback, []string{"Authorization: Bearer " + strings.Repeat("y", 4096)}, strings.Repeat("y", 4096)},

		{"no key with a fallback", fallback, nil, server},
		{"a key with a fallback", fallback, []string{"Authorization: Bearer " + key1}, key1},
		{"an empty Bearer never falls back", fallback, []string{"Authorization: Bearer "}, refused},
		{"an empty Authorization never falls back", fallback, []string{"Authorization: "}, refused},
		{"an empty key never falls back", fallback, []string{"X-Outline-API-Key: "}, refused},
		{"a variable that was not expanded never falls back", fallback, []string{"X-Outline-API-Key: ${OUTLINE_API_KEY}"}, refused},
		{"a key with a space never falls back", fallback, []string{"X-Outline-API-Key: ol_api a"}, refused},
		{"Bearer in the header of the key never falls back", fallback, []string{"X-Outline-API-Key: Bearer " + key1}, refused},
		{"a key with a byte that is no character never falls back", fallback, []string{"X-Outline-API-Key: ol_api_\xff"}, refused},
		{"a key with a tab never falls back", fallback, []string{"Authorization: Bearer ol_api\tx"}, refused},
		{"another scheme never falls back", fallback, []string{"Authorization: Basic YTpi"}, refused},
		{"another scheme beside a key", fallback, []string{"Authorization: Basic YTpi", "X-Outline-API-Key: " + key1}, refused},
		{"a bad Bearer beside a good key", fallback, []string{"Authorization: Bearer a b", "X-Outline-API-Key: " + key1}, refused},
		{"two Authorizations", fallback, []string{"Authorization: Bearer " + key1, "Authorization: Bearer " + key1}, refused},
		{"two key headers", fallback, []string{"X-Outline-API-Key: " + key1, "X-Outline-API-Key: " + key2}, refused},
		{"a key longer than any", fallback, []string{"X-Outline-API-Key: " + strings.Repeat("x", 4097)}, refused},

		{"a token as Bearer with a key", tokens, []string{"Authorization: Bearer " + tokenA, "X-Outline-API-Key: " + key1}, key1},
		{"another of the tokens", tokens, []string{"Authorization: Bearer " + tokenB, "X-Outline-API-Key: " + key1}, key1},
		{"a token in its header with a key as Bearer", tokens, []string{"X-MCP-Token: " + tokenB, "Authorization: Bearer " + key1}, key1},
		{"a token in its header with a key in its", tokens, []string{"X-MCP-Token: " + tokenB, "X-Outline-API-Key: " + key1}, key1},
		{"a token in both places", tokens, []string{"X-MCP-Token: " + tokenB, "Authorization: Bearer " + tokenA, "X-Outline-API-Key: " + key1}, key1},
		{"a key without a token", tokens, []string{"Authorization: Bearer " + key1}, refused},
		{"a key in its header without a token", tokens, []string{"X-Outline-API-Key: " + key1}, refused},
		{"a wrong token", tokens, []string{"X-MCP-Token: 0123456789abcdef-c", "X-Outline-API-Key: " + key1}, refused},
		{"a wrong token beside a right one", tokens, []string{"X-MCP-Token: wrong", "Authorization: Bearer " + tokenA, "X-Outline-API-Key: " + key1}, refused},
		{"the beginning of a token", tokens, []string{"X-MCP-Token: " + tokenA[:16], "X-Outline-API-Key: " + key1}, refused},
		{"an empty token", tokens, []string{"X-MCP-Token: ", "X-Outline-API-Key: " + key1}, refused},
		{"a token and no key", tokens, []string{"X-MCP-Token: " + tokenA}, refused},
		{"a token as Bearer and no key", tokens, []string{"Authorization: Bearer " + tokenA}, refused},
		{"a token in the place of the key", tokens, []string{"X-MCP-Token: " + tokenA, "X-Outline-API-Key: " + tokenB}, refused},

		{"a token and no key with a fallback", both, []string{"X-MCP-Token: " + tokenA}, server},
		{"a token as Bearer and no key with a fallback", both, []string{"Authorization: Bearer " + tokenA}, server},
		{"neither with a fallback", both, nil, refused},
		{"a token and a malformed key with a fallback", both, []string{"X-MCP-Token: " + tokenA, "Authorization: Bearer a b"}, refused},
		{"a key that is a token never falls back", both, []string{"X-MCP-Token: " + tokenA, "X-Outline-API-Key: " + tokenA}, refused},

		{"nothing in the demo", demo, nil, server},
		{"a key in the demo", demo, []string{"Authorization: Bearer " + key1}, key1},
		{"a token in the demo", demo, []string{"Authorization: Bearer " + tokenA}, server},
		{"a malformed key in the demo", demo, []string{"Authorization: Bearer a b"}, refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			test.options.Log = slog.New(slog.NewTextHandler(&log, nil))
			s := serve(t, test.options)
			a := s.send(t, "/mcp", "{}", test.headers...)
			if test.key == refused {
				if a.status != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("status %d, WWW-Authenticate %q: %s", a.status, a.header.Get("WWW-Authenticate"), a.body)
				}
			} else {
				var got echoed
				if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK || got.Key != test.key {
					t.Errorf("status %d, key %q: %v: %s", a.status, got.Key, err, a.body)
				}
			}
			s.stop()
			if err := <-s.ended; err != nil { // the log is complete
				t.Error(err)
			}
			s.ended <- nil
			for _, secret := range append([]string{tokenA, tokenB, key1, key2, "OUTLINE_API_KEY}"}, strings.Repeat("x", 99)) {
				if strings.Contains(log.String(), secret) || test.key == refused && strings.Contains(a.body, secret) {
					t.Errorf("%s is shown: %s %s", secret, a.body, log.String())
				}
			}
		})
	}
}

func TestTokensAreReadAgainWhenTheirFileChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(tokenA)
	s := serve(t, httpd.Options{Fallback: operator(), Tokens: []string{tokenA}, TokensFile: file, ReadTokens: func() ([]string, error) {
		content, err := os.ReadFile(file)
		if len(content) == 0 {
			err = errors.New("no token")
		}
		return strings.Fields(string(content)), err
	}})
	accepts := func(token string) bool {
		return s.send(t, "/mcp", "{}", "X-MCP-Token: "+token).status == http.StatusOK
	}
	if !accepts(tokenA) || accepts(tokenB) {
		t.Error("the first token is not the one that counts")
	}
	write(tokenB)
	if accepts(tokenA) || !accepts(tokenB) {
		t.Error("the token that replaced it is not the one that counts")
	}
	write("")
	if accepts(tokenA) || !accepts(tokenB) {
		t.Error("a file without tokens changes who may call")
	}
}

func TestARequestMayLimitItselfToReading(t *testing.T) {
	s := serve(t, httpd.Options{Fallback: operator()})
	for value, want := range map[string]bool{"true": true, "TRUE": true, "1": true, "yes": true, "on": true, "false": false, "0": false, "off": false} {
		var got echoed
		if a := s.send(t, "/mcp", "{}", "X-Outline-Read-Only: "+value); json.Unmarshal([]byte(a.body), &got) != nil || got.ReadOnly != want {
			t.Errorf("%q: status %d, %s", value, a.status, a.body)
		}
	}
	if a := s.send(t, "/mcp", "{}", "X-Outline-Read-Only: true", "X-Outline-Read-Only: false"); !strings.Contains(a.body, `"ReadOnly":true`) {
		t.Errorf("yes and no: %s", a.body)
	}
	for _, value := range []string{"ture", ""} {
		if a := s.send(t, "/mcp", "{}", "X-Outline-Read-Only: "+value); a.status != http.StatusBadRequest || !strings.Contains(a.message, "true or false") {
			t.Errorf("%q, neither yes nor no: status %d, %s", value, a.status, a.body)
		}
	}
}

func FuzzARequestThatPresentsAKeyNeverFallsBack(f *testing.F) {
	for _, seed := range [][2]string{{"Bearer " + key1, ""}, {"", key1}, {"Bearer " + tokenA, key2}, {"Basic YTpi", ""}, {"bearer", " "}, {"Bearer  \x00", tokenA}, {"Bearer ${KEY}", "é"}} {
		f.Add(seed[0], seed[1])
	}
	server, err := httpd.New(httpd.Options{MCP: echo, Tokens: []string{tokenA}, TokenOptional: true, Fallback: operator()})
	if err != nil {
		f.Fatal(err)
	}
	handler := server.Handler(true)
	f.Fuzz(func(t *testing.T, authorization, key string) {
		request := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
		request.Host = "localhost"
		request.Header["Authorization"] = []string{authorization}
		request.Header.Set("X-Outline-API-Key", key)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		switch recorder.Code {
		case http.StatusUnauthorized:
		case http.StatusOK:
			var got echoed
			if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil || got.Key == "" || got.Key == tokenA || !strings.Contains(authorization+" "+key, got.Key) {
				t.Errorf("%q and %q act with the key %q: %v", authorization, key, got.Key, err)
			}
		default:
			t.Errorf("status %d: %s", recorder.Code, recorder.Body)
		}
	})
}

func FuzzHostAndOriginAreServedOrRefused(f *testing.F) {
	for _, seed := range [][2]string{{"localhost", "http://localhost"}, {"[::1]:80", "https://app.example.com:443"}, {"[", "null"}, {"a:b:c", "://"}, {"%", "http://[::1"}} {
		f.Add(seed[0], seed[1])
	}
	server, err := httpd.New(httpd.Options{MCP: echo, Fallback: operator(), AllowedHosts: []string{"mcp.example.com"}, AllowedOrigins: []string{"https://app.example.com"}})
	if err != nil {
		f.Fatal(err)
	}
	handler := server.Handler(true)
	f.Fuzz(func(t *testing.T, host, origin string) {
		request := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
		request.Host = host
		request.Header["Origin"] = []string{origin}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusOK && recorder.Code != http.StatusForbidden {
			t.Errorf("%q, %q: status %d: %s", host, origin, recorder.Code, recorder.Body)
		}
		known := false
		for _, name := range []string{"localhost", "127.", "::1", "::ffff:", "mcp.example.com"} {
			known = known || strings.Contains(strings.ToLower(host), name)
		}
		// IPv6 can be written in many ways.
		if recorder.Code == http.StatusOK && !known && !strings.Contains(host, ":") {
			t.Errorf("the host %q is served", host)
		}
	})
}
