package httpd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/httpd"
)

// desk is a login with two tokens.
type desk struct{}

const (
	writer  = "omcp_at_writer"
	reader  = "omcp_at_reader"
	expired = "omcp_at_expired"

	oldKey = "abcdefghijklmnopqrstuvwxyz0123456789AB" // of an Outline before keys had a prefix
)

func (desk) Serves(path string) bool { return path == "/oauth/authorize" }

func (desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "log in by %s", r.Method)
}

func (desk) IsToken(credential string) bool { return strings.HasPrefix(credential, "omcp_") }

func (desk) Principal(token string) (auth.Principal, error) {
	if token != writer && token != reader {
		return auth.Principal{}, errors.New("it has expired")
	}
	return auth.ForLogin(auth.Login{User: token[8:], Writes: token == writer, Expires: time.Now().Add(time.Hour), Source: auth.APIKey("outline's " + token[8:])}), nil
}

func (desk) Challenge(code, description string) string {
	return fmt.Sprintf("Bearer code=%s description=%t", code, description != "")
}

func TestWhoMayCallWhereClientsCanLogIn(t *testing.T) {
	login := httpd.Options{Login: desk{}}
	fallback := httpd.Options{Login: desk{}, Fallback: operator()}
	anonymous := httpd.Options{Login: desk{}, Fallback: operator(), Anonymous: true}
	tokens := httpd.Options{Login: desk{}, Fallback: operator(), Tokens: []string{tokenA}}
	anonymousWithTokens := httpd.Options{Login: desk{}, Fallback: operator(), Tokens: []string{tokenA}, Anonymous: true}
	demo := httpd.Options{Login: desk{}, Fallback: operator(), Tokens: []string{tokenA}, TokenOptional: true}
	off := httpd.Options{Fallback: operator()}
	const none, bad = "none", "invalid_token"
	for _, test := range []struct {
		name    string
		options httpd.Options
		headers []string
		key     string // of the principal; "": refused
		wrong   string // the code of the challenge
	}{
		{"a login", login, []string{"Authorization: Bearer " + writer}, "outline's writer", ""},
		{"a login needs no token", tokens, []string{"Authorization: Bearer " + writer}, "outline's writer", ""},
		{"a login beside a token", tokens, []string{"Authorization: Bearer " + writer, "X-MCP-Token: " + tokenA}, "outline's writer", ""},
		{"an expired login", fallback, []string{"Authorization: Bearer " + expired}, "", bad},
		{"an expired login never falls back", anonymous, []string{"Authorization: Bearer " + expired}, "", bad},
		{"a refresh token", fallback, []string{"Authorization: Bearer omcp_rt_x"}, "", bad},
		{"a login in the header of the key", fallback, []string{"X-Outline-API-Key: " + writer}, "", bad},
		{"a login and a key", login, []string{"Authorization: Bearer " + writer, "X-Outline-API-Key: " + key1}, "", bad},
		{"two logins", login, []string{"Authorization: Bearer " + writer, "Authorization: Bearer " + writer}, "", bad},
		{"a token of Outline", fallback, []string{"Authorization: Bearer ol_at_fake"}, "", bad},
		{"a token of Outline in the header of the key", fallback, []string{"X-Outline-API-Key: ol_at_fake"}, "", bad},
		{"a refresh token of Outline", anonymous, []string{"Authorization: Bearer ol_rt_fake"}, "", bad},
		{"a token of Outline as a token beside a key", login, []string{"X-MCP-Token: ol_at_fake", "Authorization: Bearer " + key1}, "", bad},

		{"a key", login, []string{"Authorization: Bearer " + key1}, key1, ""},
		{"a key and a token", tokens, []string{"Authorization: Bearer " + key1, "X-MCP-Token: " + tokenA}, key1, ""},
		{"a key without a token", tokens, []string{"Authorization: Bearer " + key1}, "", bad},
		{"a token", tokens, []string{"Authorization: Bearer " + tokenA}, operatorKey, ""},
		{"a token in its header", tokens, []string{"X-MCP-Token: " + tokenA}, operatorKey, ""},
		{"nothing", login, nil, "", none},
		{"nothing with a fallback", fallback, nil, "", none},
		{"nothing, for everyone on purpose", anonymous, nil, operatorKey, ""},
		{"nothing with tokens", tokens, nil, "", none},
		{"nothing with tokens, for everyone on purpose", anonymousWithTokens, nil, "", none},
		{"nothing in the demo", demo, nil, "", none},
		{"a token in the demo", demo, []string{"Authorization: Bearer " + tokenA}, operatorKey, ""},
		{"a token in its header in the demo", demo, []string{"X-MCP-Token: " + tokenA}, operatorKey, ""},
		{"an unknown token in the demo", demo, []string{"X-MCP-Token: 0123456789abcdef-x"}, "", none},
		{"another scheme", anonymous, []string{"Authorization: Basic YTpi"}, "", bad},

		{"a lower-case scheme", login, []string{"Authorization: bearer " + key1}, key1, ""},
		{"a key of an old Outline", login, []string{"Authorization: Bearer " + oldKey}, oldKey, ""},
		{"a key of an old Outline in its header", fallback, []string{"X-Outline-API-Key: " + oldKey}, oldKey, ""},
		{"rubbish", login, []string{"Authorization: Bearer rubbish"}, "", bad},
		{"rubbish where there is a key", fallback, []string{"Authorization: Bearer rubbish"}, "", bad},
		{"rubbish in a lower-case scheme", fallback, []string{"Authorization: bearer rubbish"}, "", bad},
		{"rubbish, for everyone on purpose", anonymous, []string{"Authorization: Bearer rubbish"}, "", bad},
		{"rubbish beside a token", tokens, []string{"Authorization: Bearer rubbish", "X-MCP-Token: " + tokenA}, "", bad},
		{"rubbish in the demo", demo, []string{"Authorization: Bearer rubbish"}, "", bad},
		{"rubbish in the header of the key", fallback, []string{"X-Outline-API-Key: rubbish"}, "", bad},
		{"rubbish beside a key", fallback, []string{"Authorization: Bearer rubbish", "X-Outline-API-Key: " + key1}, "", bad},
		{"the token of another server", fallback, []string{"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"}, "", bad},
		{"the beginning of a key", fallback, []string{"Authorization: Bearer ol_api_"}, "", bad},
		{"a key that was never filled in", fallback, []string{"Authorization: Bearer ol_api_..."}, "", bad},
		{"a token as long as a key", fallback, []string{"Authorization: Bearer " + oldKey[1:] + "-"}, "", bad},
		{"rubbish as long as any", fallback, []string{"Authorization: Bearer " + strings.Repeat("y", 4096)}, "", bad},
		{"a key without a scheme", fallback, []string{"Authorization: " + key1}, "", bad},
		{"a scheme twice", fallback, []string{"Authorization: Bearer Bearer " + key1}, "", bad},
		{"an empty Bearer", anonymous, []string{"Authorization: Bearer "}, "", bad},
		{"an empty Authorization", anonymous, []string{"Authorization: "}, "", bad},

		{"rubbish without a login", off, []string{"Authorization: Bearer rubbish"}, "rubbish", ""},
		{"a token of Outline without a login", off, []string{"Authorization: Bearer ol_at_fake"}, "ol_at_fake", ""},
		{"a token of a login without one", off, []string{"Authorization: Bearer " + writer}, writer, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, test.options)
			a := s.send(t, "/mcp", "{}", test.headers...)
			if test.key != "" {
				var got echoed
				if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK || got.Key != test.key {
					t.Errorf("status %d, key %q: %v: %s", a.status, got.Key, err, a.body)
				}
				return
			}
			want := "Bearer code= description=true" // clients leave a description without a code aside
			if test.wrong != none {
				want = "Bearer code=" + test.wrong + " description=true"
			}
			if got := a.header.Get("WWW-Authenticate"); a.status != http.StatusUnauthorized || got != want || strings.Contains(a.body, "omcp_") || strings.Contains(a.body, "ol_at_") {
				t.Errorf("status %d, %s, want %s: %s", a.status, got, want, a.body)
			}
			if test.wrong == none && !strings.Contains(a.message, "log in with Outline") {
				t.Errorf("it does not say that one can log in: %s", a.message)
			}
		})
	}
}

func TestALoginThatOutlineRejectsIsToldInPlaceOfTheResult(t *testing.T) {
	var reasons []string
	s := serve(t, httpd.Options{Login: desk{}, Refused: func(reason string) { reasons = append(reasons, reason) }})
	for _, test := range []struct {
		does   string // during the call
		status int
		wrong  string
	}{
		{"reads", http.StatusOK, ""},
		{"rejects", http.StatusUnauthorized, "invalid_token"},
		{"reads rejects", http.StatusUnauthorized, "invalid_token"},
		{"refused rejects", http.StatusUnauthorized, "invalid_token"},
		{"rejects writes", http.StatusOK, ""}, // repeating the call would write twice
		{"writes rejects", http.StatusOK, ""},
		{"lost rejects", http.StatusOK, ""},
		{"rejects streams", http.StatusOK, ""}, // some of the call may still be running
		{"streams rejects", http.StatusOK, ""},
		{"demands", http.StatusForbidden, "insufficient_scope"},
	} {
		reasons = nil
		a := s.send(t, "/mcp", test.does, "Authorization: Bearer "+writer)
		challenge := a.header.Get("WWW-Authenticate")
		if a.status != test.status || (challenge != "") != (test.wrong != "") || !strings.Contains(challenge, test.wrong) {
			t.Errorf("%s: status %d, %s", test.does, a.status, challenge)
		}
		if refused := test.wrong != ""; refused == strings.Contains(a.body, `"Key"`) || refused != (len(reasons) == 1) {
			t.Errorf("%s: counted as %v, answered with %s", test.does, reasons, a.body)
		}
		// A key has no login that could be renewed.
		if a := s.send(t, "/mcp", test.does, "Authorization: Bearer "+key1); a.status != http.StatusOK {
			t.Errorf("%s with a key: status %d", test.does, a.status)
		}
	}
}

func TestAGetWithoutALoginIsToldHowToLogIn(t *testing.T) {
	s := serve(t, httpd.Options{Login: desk{}})
	if a := s.send(t, "/mcp", "", "GET"); a.status != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer code=") {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	if a := s.send(t, "/mcp", "", "GET", "Authorization: Bearer "+writer); a.status != http.StatusMethodNotAllowed {
		t.Errorf("with a login: status %d, %s", a.status, a.body)
	}
}

func TestALoginMayBeLimitedToReading(t *testing.T) {
	s := serve(t, httpd.Options{Login: desk{}})
	for _, test := range []struct {
		token, header string
		want          bool
	}{{writer, "false", false}, {writer, "true", true}, {reader, "false", true}, {reader, "true", true}} {
		var got echoed
		a := s.send(t, "/mcp", "{}", "Authorization: Bearer "+test.token, "X-Outline-Read-Only: "+test.header)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.ReadOnly != test.want {
			t.Errorf("%s, %s: %s", test.token, test.header, a.body)
		}
	}
}

func TestThePathsOfTheLoginAreServedToEveryPageOfAServedHost(t *testing.T) {
	s := serve(t, httpd.Options{Login: desk{}, PublicHost: "mcp.example.com"})
	for _, test := range []struct {
		headers []string
		status  int
	}{
		{[]string{"GET"}, http.StatusOK},
		{[]string{"GET", "Origin: https://anywhere.example"}, http.StatusOK},
		{[]string{"GET", "Host: mcp.example.com"}, http.StatusOK}, // behind a proxy on the same machine
		{[]string{"GET", "Host: evil.example"}, http.StatusForbidden},
	} {
		if a := s.send(t, "/oauth/authorize", "", test.headers...); a.status != test.status || a.status == http.StatusOK && a.body != "log in by GET" {
			t.Errorf("%v: status %d, %s", test.headers, a.status, a.body)
		}
	}
	if a := s.send(t, "/oauth/other", "", "GET"); a.status != http.StatusNotFound {
		t.Errorf("another path: status %d", a.status)
	}
	if a := serve(t, httpd.Options{}).send(t, "/oauth/authorize", "", "GET"); a.status != http.StatusNotFound {
		t.Errorf("without a login: status %d", a.status)
	}
}

// What a login costs beside a key, apart from opening its token.
func BenchmarkPrincipal(b *testing.B) {
	for _, credential := range []string{key1, writer} {
		b.Run(credential[:4], func(b *testing.B) {
			server, err := httpd.New(httpd.Options{Login: desk{}, MCP: func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusOK) }})
			if err != nil {
				b.Fatal(err)
			}
			handler := server.Handler(false)
			request := func() *http.Request {
				r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", strings.NewReader("{}"))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+credential)
				return r
			}
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(discard{}, request())
			}
		})
	}
}

type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
