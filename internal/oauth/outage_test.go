package oauth_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"outline-mcp/internal/oauth"
)

// A fault is what Outline, or what is in front of it, answers.
type fault struct {
	name   string
	answer func() *http.Response // nil: none
	status int
	code   string
	reason oauth.Reason
}

func faults() []fault {
	return []fault{
		{"no answer", nil, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"an internal error", func() *http.Response { return answer(500, `{"ok":false}`) }, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"a proxy without Outline", func() *http.Response { return answer(502, "<html>") }, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"a redirection", func() *http.Response {
			elsewhere := answer(307, "")
			elsewhere.Header.Set("Location", "https://wiki.example.net/elsewhere")
			return elsewhere
		}, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"a web page", func() *http.Response { return answer(200, "<html>") }, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"an empty object", func() *http.Response { return answer(200, "{}") }, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"an endless answer", func() *http.Response {
			endless := answer(200, "")
			endless.Body = io.NopCloser(zeros{})
			return endless
		}, 503, "temporarily_unavailable", oauth.OutlineDown},
		{"a rate limit", func() *http.Response { return answer(429, `{"ok":false,"error":"rate_limit_exceeded"}`) }, 429, "temporarily_unavailable", oauth.OutlineBusy},
		{"a refused code", func() *http.Response {
			return answer(400, `{"error":"invalid_request","error_description":"Invalid grant: authorization code is invalid"}`)
		}, 400, "invalid_grant", oauth.Used},
		{"a refused application", func() *http.Response {
			return answer(400, `{"error":"invalid_request","error_description":"Invalid client: client is invalid"}`)
		}, 500, "server_error", oauth.Misconfigured},
		{"no authentication", func() *http.Response { return answer(401, `{"error":"invalid_client"}`) }, 500, "server_error", oauth.Misconfigured},
		{"no such page", func() *http.Response { return answer(404, `{}`) }, 500, "server_error", oauth.Misconfigured},
	}
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// at returns a fault of one path.
func (f fault) at(path string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		switch {
		case r.URL.Path != path:
			return nil, nil
		case f.answer == nil:
			return nil, errors.New("connection refused")
		}
		return f.answer(), nil
	}
}

// Whatever Outline does, clients get an answer of OAuth that says whether to try again or
// to log in again, and nothing of Outline's own answer.
func TestAnOutageInEachStepIsAnAnswerOfOAuth(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	for _, step := range []struct {
		name, path string
		do         func() reply
	}{
		{"exchange", "/oauth/token", func() reply { return b.send("/oauth/token", redeems(clientID, b.code(asks(clientID)))) }},
		{"who it is", "/api/auth.info", func() reply { return b.send("/oauth/token", redeems(clientID, b.code(asks(clientID)))) }},
		{"refresh", "/oauth/token", func() reply { return b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))) }},
		{"revocation", "/oauth/revoke", func() reply {
			return b.send("/oauth/revoke", with(map[string][]string{}, "token", tokens.value("access_token")))
		}},
	} {
		for _, fault := range faults() {
			if step.name == "revocation" && fault.answer != nil && fault.answer().StatusCode == http.StatusOK {
				continue // says nothing but that it is done
			}
			if fault.name == "a refused application" && step.path != "/oauth/token" {
				continue
			}
			revocations := w.askedFor("/oauth/revoke")
			w.breakOutline(fault.at(step.path))
			got := step.do()
			w.breakOutline(nil)
			if got.StatusCode != fault.status || got.value("error") != fault.code || w.last().Reason != fault.reason {
				t.Errorf("%s, %s: %d %s %v", step.name, fault.name, got.StatusCode, got.body, w.last())
			}
			wait := map[int]string{429: "17", 503: "5"}[fault.status]
			if got.Header.Get("Retry-After") != wait {
				t.Errorf("%s, %s: Retry-After %q", step.name, fault.name, got.Header.Get("Retry-After"))
			}
			if step.name == "who it is" && w.askedFor("/oauth/revoke") != revocations+1 {
				t.Errorf("%s, %s: a grant is left that nobody knows of", step.name, fault.name)
			}
		}
	}
	if w.askedFor("/elsewhere") > 0 {
		t.Error("secrets were sent elsewhere")
	}
	if got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))); got.StatusCode != http.StatusOK {
		t.Errorf("when it is over: %d %s", got.StatusCode, got.body)
	}
}
