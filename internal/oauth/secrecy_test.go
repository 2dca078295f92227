package oauth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
)

// recorder is a transport that keeps what travels where others may see it: URLs, and
// bodies of failures.
type recorder struct {
	next http.RoundTripper
	seen *strings.Builder
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	fmt.Fprintln(r.seen, request.Method, request.URL)
	response, err := r.next.RoundTrip(request)
	if err == nil {
		fmt.Fprintln(r.seen, response.StatusCode, response.Header.Get("Location"), response.Header.Get("WWW-Authenticate"))
	}
	return response, err
}

func TestTokensAppearInNoURLLogErrorOrEvent(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	var urls, failures strings.Builder
	b.client.Transport = recorder{b.client.Transport, &urls}
	clientID, tokens := b.logIn()
	renewed := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
	access, refresh := renewed.value("access_token"), renewed.value("refresh_token")
	grant, err := w.servers[0].Open(access)
	if err != nil {
		t.Fatal(err)
	}
	code := b.code(asks(clientID))
	allowed := b.allow(asks(clientID))
	for _, fault := range faults() {
		w.breakOutline(func(r *http.Request) (*http.Response, error) {
			if fault.answer == nil { // with what was sent, as transports do
				content, _ := r.GetBody()
				return nil, fmt.Errorf("%s %v: %w", r.URL, content, errors.New("refused"))
			}
			return fault.answer(), nil
		})
		for _, got := range []reply{
			b.send("/oauth/token", redeems(clientID, code)), b.send("/oauth/token", refreshes(clientID, refresh)), b.send("/oauth/revoke", url.Values{"token": {access}}),
		} {
			failures.WriteString(got.body)
		}
	}
	w.breakOutline(nil)
	for _, got := range []reply{
		b.send("/oauth/token", redeems(clientID, access)), b.send("/oauth/token", redeems(clientID, code, "code_verifier", "x")),
		b.send("/oauth/token", refreshes("x", refresh)), b.send("/oauth/token", refreshes(clientID, access)),
		b.get("/oauth/callback?code=ol_ac_secret&state=" + allowed.Query().Get("state") + "x"), b.get("/oauth/authorize?code=ol_ac_secret&client_id=" + clientID),
	} {
		failures.WriteString(got.body)
	}
	if _, err := w.servers[0].Open(refresh); err != nil {
		failures.WriteString(err.Error())
	}
	w.mu.Lock()
	log := w.log.String() + fmt.Sprint(w.events) + fmt.Sprintf("%v %+v %#v %s %q", grant, grant, grant, grant.Token, grant.Token)
	w.mu.Unlock()

	// Codes and states have to travel in URLs.
	for _, part := range []string{"omcp_at_", "omcp_rt_", "ol_at_", "ol_rt_", "ol_sk_", verifier, secret, fakeoutline.ClientSecret, string(grant.Token)} {
		if strings.Contains(urls.String(), part) {
			t.Errorf("%s is in a URL", part)
		}
	}
	for _, part := range []string{
		"omcp_", "ol_at_", "ol_rt_", "ol_ac_", "ol_sk_", verifier, secret, "the state", string(grant.Token),
		access[20:60], refresh[20:60], code[20:60], clientID[20:60], allowed.Query().Get("state")[20:60], allowed.Query().Get("code_challenge"),
	} {
		if strings.Contains(log, part) {
			t.Errorf("%s is in the log: %s", part, log)
		}
		if strings.Contains(failures.String(), part) {
			t.Errorf("%s is in an error: %s", part, failures.String())
		}
	}
	if !strings.Contains(log, "reason=") || !strings.Contains(log, grant.Subject) {
		t.Errorf("the log is not the one of this test: %s", log)
	}
}

// Everything that is answered, also in failures.
func TestEveryAnswerIsSafeToShow(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	for name, got := range map[string]reply{
		"the consent page": b.get("/oauth/authorize?" + asks(clientID).Encode()),
		"an error page":    b.get("/oauth/authorize"),
		"a link back":      b.get("/oauth/authorize?" + asks(clientID, "code_challenge", "").Encode()),
		"the callback":     b.get("/oauth/callback"),
		"a decision":       b.post("/oauth/authorize", nil),
		"tokens":           b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))),
		"a refusal":        b.send("/oauth/token", nil),
		"a revocation":     b.send("/oauth/revoke", nil),
		"a registration":   b.send("/oauth/register", nil),
		"metadata":         b.get("/.well-known/oauth-authorization-server"),
		"another method":   b.do(http.MethodPut, "/oauth/token", http.Header{}, ""),
	} {
		h := got.Header
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", name, h)
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "form-action") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", name, policy)
		}
		referrer := "no-referrer"
		if name == "the consent page" {
			referrer = "same-origin" // or its form would not say where it comes from
		}
		if got := h.Get("Referrer-Policy"); got != referrer {
			t.Errorf("%s: %s", name, got)
		}
		if strings.Contains(got.body, "<script") || strings.Contains(got.body, "onclick") {
			t.Errorf("%s has a script", name)
		}
	}
}

func TestPagesOfAnyOriginMayUseWhatNeedsNoCookie(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	for path, public := range map[string]bool{
		"/.well-known/oauth-protected-resource": true, "/.well-known/oauth-protected-resource/mcp": true, "/.well-known/oauth-authorization-server": true,
		"/oauth/register": true, "/oauth/token": true, "/oauth/revoke": true, "/oauth/authorize": false, "/oauth/callback": false,
	} {
		got := b.do(http.MethodOptions, path, http.Header{"Origin": {"https://inspector.example"}, "Access-Control-Request-Method": {"POST"}}, "")
		allowed := got.StatusCode == http.StatusNoContent && got.Header.Get("Access-Control-Allow-Origin") == "*" && strings.Contains(got.Header.Get("Access-Control-Allow-Headers"), "Content-Type")
		if allowed != public || got.Header.Get("Access-Control-Allow-Credentials") != "" || !public && got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
		}
	}
}

func TestEndpointsHaveTheirMethodsOnly(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	for path, allow := range map[string]string{
		"/oauth/register": "POST, OPTIONS", "/oauth/token": "POST, OPTIONS", "/oauth/revoke": "POST, OPTIONS",
		"/oauth/authorize": "GET, HEAD, POST", "/oauth/callback": "GET, HEAD", "/.well-known/oauth-authorization-server": "GET, HEAD, OPTIONS",
	} {
		if got := b.do(http.MethodDelete, path, http.Header{}, ""); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != allow {
			t.Errorf("%s: %d %q", path, got.StatusCode, got.Header.Get("Allow"))
		}
	}
	if w.servers[0].Serves("/mcp") || w.servers[0].Serves("/oauth") || w.servers[0].Serves("/oauth/token/") {
		t.Error("it serves what it does not have")
	}
}

func TestBodiesAreOfTheRightKindAndSize(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	long := strings.Repeat("x", 16<<10)
	for name, test := range map[string]struct {
		path, contentType, body string
		status                  int
	}{
		"JSON as a form":        {"/oauth/token", "application/json", "{}", 400},
		"a form without a type": {"/oauth/token", "", "a=b", 400},
		"a form as JSON":        {"/oauth/register", "application/x-www-form-urlencoded", "a=b", 400},
		"malformed JSON":        {"/oauth/register", "application/json", "{", 400},
		"a malformed form":      {"/oauth/token", "application/x-www-form-urlencoded", "a=%zz", 400},
		"a form too long":       {"/oauth/token", "application/x-www-form-urlencoded", "a=" + long, 413},
		"JSON too long":         {"/oauth/register", "application/json; charset=utf-8", `{"a":"` + long + `"}`, 413},
		"a revocation too long": {"/oauth/revoke", "application/x-www-form-urlencoded", "token=" + long, 413},
	} {
		got := b.do(http.MethodPost, test.path, http.Header{"Content-Type": {test.contentType}}, test.body)
		if got.StatusCode != test.status || got.value("error") == "" {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.body)
		}
	}
	if w.last().Kind != oauth.Refused {
		t.Errorf("%v", w.last())
	}
}
