package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/oauth"
)

// words returns what a page says, without its markup.
func words(page string) string {
	_, page, _ = strings.Cut(page, "<main>")
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(page)), " ")
}

func TestTheConsentPageSaysWhoWhereAndWhat(t *testing.T) {
	limited := func(o *oauth.Options) { o.Limits = []string{"Nothing can be deleted."} }
	readOnly := func(o *oauth.Options) { o.ReadOnly = true }
	const longHost = "accounts.google.com.sign-in.a-long-name-that-does-not-fit-into-a-line.evil.example.com"
	for name, test := range map[string]struct {
		change      func(*oauth.Options)
		app, uri    string
		scope       string
		says, hides []string
	}{
		"a registered app": {limited, "Claude", redirect, "read write",
			[]string{"“ Claude ”", "not verified", "Access goes to claude.ai ", "Read and change", "Read only", "delete", "Limits of this server Nothing can be deleted.", "wiki.example.com", "Allow Deny"}, []string{"device"}},
		"an app without a name":     {limited, "", redirect, "", []string{"an app without a name"}, nil},
		"an app that reads":         {limited, "Claude", redirect, "read", []string{"can't change anything"}, []string{"Read and change", "archive"}},
		"a server that reads":       {readOnly, "Claude", redirect, "read write", []string{"can't change anything", "Apps can only read."}, []string{"Read and change", "archive"}},
		"a program on localhost":    {limited, "Cursor", "http://localhost:8787/callback", "", []string{"localhost:8787", "on your own device"}, nil},
		"an app with its scheme":    {limited, "Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", "", []string{"cursor:", "on your own device"}, nil},
		"a host that is long":       {limited, "Google", "https://" + longHost + "/x", "", []string{longHost}, nil},
		"a name with markup":        {limited, `</h1><script>alert(1)</script><b "`, redirect, "", []string{"<script>alert(1)</script>"}, nil},
		"a name that ends itself":   {limited, "Claude” of your administrator", redirect, "", []string{"“ Claude' of your administrator ”"}, nil},
		"a name that is a template": {limited, "{request}{style}", redirect, "", []string{"{request}{style}"}, nil},
	} {
		w := newWiki(t, test.change)
		b := w.browser()
		page := b.get("/oauth/authorize?" + asks(b.register(test.app, test.uri), "redirect_uri", test.uri, "scope", test.scope).Encode())
		said := words(page.body)
		for _, want := range test.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is missing in %s", name, want, said)
			}
		}
		for _, not := range test.hides {
			if strings.Contains(said, not) {
				t.Errorf("%s: %q is in %s", name, not, said)
			}
		}
		if strings.Contains(page.body, "<script") || strings.Count(page.body, "<h1>") != 1 || strings.Count(page.body, "<form") != 1 {
			t.Errorf("%s: %s", name, page.body)
		}
	}
}

func TestNamesCannotHideOrTurnText(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	for _, trick := range []string{"\u202e", "\u2066", "\u200b", "\u200f", "\u00ad", "\ufe0f", "\u2028", "\u0007", "\U000e0041", "\u00a0", "\ufeff"} {
		page := b.get("/oauth/authorize?" + asks(b.register("Cla"+trick+"ude", redirect)).Encode())
		if page.StatusCode != http.StatusOK || strings.Contains(page.body, trick) || !strings.Contains(page.body, "Cla") {
			t.Errorf("%+q: %d %s", trick, page.StatusCode, words(page.body))
		}
	}
	if page := b.get("/oauth/authorize?" + asks(b.register(strings.Repeat("x", 500), redirect)).Encode()); strings.Contains(page.body, strings.Repeat("x", 70)) {
		t.Errorf("a long name is shown in full: %s", words(page.body))
	}
}

func TestPagesMayUseTheirOwnStyleOnly(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	for _, page := range []reply{b.get("/oauth/authorize?" + asks(b.register("Claude", redirect)).Encode()), b.get("/oauth/callback")} {
		_, style, _ := strings.Cut(page.body, "<style>")
		style, _, found := strings.Cut(style, "</style>")
		sum := sha256.Sum256([]byte(style))
		if !found || !strings.Contains(page.Header.Get("Content-Security-Policy"), "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("%s does not allow the style of the page", page.Header.Get("Content-Security-Policy"))
		}
		if strings.Contains(page.body, "style=") || strings.Contains(page.body, "http-equiv") {
			t.Error("the page has what its policy does not allow")
		}
	}
}

func TestErrorPagesSayWhatToDo(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for want, page := range map[string]reply{
		"remove the connection to this server and add it again": b.get("/oauth/authorize?" + asks("unknown").Encode()),
		"tell the developer of the app":                         b.get("/oauth/authorize?" + asks(clientID, "redirect_uri", "https://evil.example").Encode()),
		"Go back to the app and connect it again":               b.get("/oauth/callback?state=x&code=y"),
		"Tell the developer of the app. Go back to claude.ai":   b.get("/oauth/authorize?" + asks(clientID, "code_challenge", "").Encode()),
		"You can close this page":                               b.get("/oauth/callback?error=access_denied"),
	} {
		if said := words(page.body); !strings.Contains(said, want) {
			t.Errorf("%q is missing in %s", want, said)
		}
		if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || strings.Contains(page.body, "evil") {
			t.Errorf("%s", page.body)
		}
	}
	sealed := b.consent(asks(clientID))
	w.pass(11 * 60e9)
	if page := b.post("/oauth/authorize", url.Values{"request": {sealed}, "decision": {"allow"}}); !strings.Contains(words(page.body), "has expired") {
		t.Errorf("%s", words(page.body))
	}
}

// A server on a loopback host has no https, without which browsers refuse __Host-.
func TestOnALoopbackHostTheCookieHasNoPrefix(t *testing.T) {
	w := newWiki(t, func(o *oauth.Options) { o.PublicURL = "http://127.0.0.1:3000" })
	b := w.browser()
	sealed := b.consent(asks(b.register("Claude", redirect)))
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"http://127.0.0.1:3000"}}
	cookie := b.do(http.MethodPost, "/oauth/authorize", header, url.Values{"request": {sealed}, "decision": {"allow"}}.Encode()).Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "outline-mcp-login-") || strings.Contains(cookie, "Secure") || !strings.Contains(cookie, "HttpOnly") {
		t.Error(cookie)
	}
}

const public = "https://mcp.example.com"

func newServer(change func(*oauth.Options)) *oauth.Server {
	o := oauth.Options{PublicURL: public, Path: "/mcp", Secret: "a secret of at least thirty-two bytes", Outline: oauth.Outline{Origin: "https://wiki.example.com", ClientID: "id", ClientSecret: "secret"}}
	if change != nil {
		change(&o)
	}
	return oauth.New(o)
}

func TestMetadataLeadsFromTheEndpointToTheLogin(t *testing.T) {
	server := newServer(nil)
	for path, want := range map[string]map[string]any{
		"/.well-known/oauth-protected-resource":      {"resource": public + "/mcp", "authorization_servers": []any{public}, "scopes_supported": []any{"read", "write"}},
		"/.well-known/oauth-protected-resource/mcp":  {"resource": public + "/mcp"},
		"/.well-known/oauth-protected-resource/mcp/": {"resource": public + "/mcp"},
		"/.well-known/oauth-authorization-server": {
			"issuer": public, "authorization_endpoint": public + "/oauth/authorize", "token_endpoint": public + "/oauth/token",
			"token_endpoint_auth_methods_supported": []any{"none"}, "code_challenge_methods_supported": []any{"S256"},
			"authorization_response_iss_parameter_supported": true,
		},
	} {
		if !server.Serves(path) {
			t.Errorf("%s is not served", path)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v %v", path, w.Code, w.Header(), err)
		}
		for key, value := range want {
			if diff := cmp.Diff(value, got[key]); diff != "" {
				t.Errorf("%s: %s: %s", path, key, diff)
			}
		}
	}
}

func TestMetadataOffersClientsWhatTheyCanUse(t *testing.T) {
	for name, test := range map[string]struct {
		documents *oauth.Documents
		want      bool
	}{
		"no documents":            {nil, false},
		"built-in documents only": {oauth.NewDocuments(oauth.DocumentsOptions{}), false},
		"any document":            {oauth.NewDocuments(oauth.DocumentsOptions{Fetch: true}), true},
	} {
		w := httptest.NewRecorder()
		newServer(func(o *oauth.Options) { o.Documents = test.documents }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-authorization-server", nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got["client_id_metadata_document_supported"] != test.want {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestAChallengeSaysWhereToLogIn(t *testing.T) {
	const metadata = `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	server := newServer(nil)
	for want, got := range map[string]string{
		metadata + `, scope="read write"`: server.Challenge(oauth.Write, "", ""),
		metadata + `, scope="read", error="invalid_token", error_description="it has expired"`: server.Challenge(oauth.Read, "invalid_token", "it\r\n has \"expired\""),
		metadata: server.Challenge("", "", ""),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

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
	w := newWiki(t)
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
