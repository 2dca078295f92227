package httpd_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"outline-mcp/internal/httpd"
)

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
