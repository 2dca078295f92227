package httpd_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/httpd"
)

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
