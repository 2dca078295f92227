package fakeoutline

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const callback = "http://127.0.0.1:4000/oauth/callback"

// application is the application of the tests.
var application = Application{ClientID: ClientID, Secret: ClientSecret, Redirects: []string{callback}}

// asksFor returns the parameters with which the application sends a person to log in.
func asksFor(scope string) url.Values {
	return url.Values{
		"client_id": {ClientID}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"S"}, "scope": {scope},
	}
}

// post sends a form to a workspace and returns the response and its body.
func post(t *testing.T, w *Workspace, path, authorization string, form url.Values) (*http.Response, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://outline.example"+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, text := transmit(t, w, req)
	var body map[string]any
	_ = json.Unmarshal(text, &body) // redirections have none
	return res, body
}

// codeFor returns the code of a person's click on Authorize.
func codeFor(t *testing.T, w *Workspace, key string, asked url.Values) string {
	t.Helper()
	session, err := w.Session(key)
	if err != nil {
		t.Fatal(err)
	}
	res, body := post(t, w, "/oauth/authorize", "Bearer "+session, asked)
	to, err := res.Location()
	if err != nil {
		t.Fatalf("status %d: %v", res.StatusCode, body)
	}
	return to.Query().Get("code")
}

// redeems returns the form with which the application redeems a code.
func redeems(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {ClientID}, "client_secret": {ClientSecret}}
}

// refreshes returns the form with which the application refreshes its tokens.
func refreshes(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {ClientID}, "client_secret": {ClientSecret}}
}

// tokensOf returns the tokens of a successful request for them.
func tokensOf(t *testing.T, w *Workspace, form url.Values) (access, refresh string) {
	t.Helper()
	res, body := post(t, w, "/oauth/token", "", form)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %v", res.StatusCode, body)
	}
	return body["access_token"].(string), body["refresh_token"].(string)
}

// demoWithOAuth returns the sample workspace with the application.
func demoWithOAuth(t *testing.T, opts Options) *Workspace {
	t.Helper()
	opts.OAuth = application
	w, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestAPersonLogsInWithABrowser walks the pages below a prefix, as a browser does.
func TestAPersonLogsInWithABrowser(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	mux := http.NewServeMux()
	mux.Handle("/demo/outline/", http.StripPrefix("/demo/outline", w.LoginHandler()))
	server := httptest.NewServer(mux)
	defer server.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := server.Client()
	browser.Jar = jar
	browser.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(req.URL.String(), callback) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	visit := func(req *http.Request, err error) (*http.Response, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		res, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(text)
	}
	// submit presses a button of the first form of a page that has it.
	submit := func(page *http.Response, text, button string) (*http.Response, string) {
		t.Helper()
		for _, form := range strings.Split(text, "<form ")[1:] {
			name, value, found := findButton(form, button)
			if !found {
				continue
			}
			fields := url.Values{name: {value}}
			for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(form, -1) {
				fields.Set(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
			}
			action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(form)[1]
			to, err := page.Request.URL.Parse(action)
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to.String(), strings.NewReader(fields.Encode()))
			if err == nil {
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			return visit(req, err)
		}
		t.Fatalf("there is no button %q in %s", button, text)
		return nil, ""
	}

	start := server.URL + "/demo/outline/oauth/authorize?" + asksFor("read").Encode()
	res, text := visit(http.NewRequestWithContext(t.Context(), http.MethodGet, start, nil))
	if res.Header.Get("X-Frame-Options") != "DENY" || strings.Contains(text, "<script") {
		t.Error("the page may be framed, or has a script")
	}
	res, text = submit(res, text, "(admin)")
	if !strings.Contains(text, "read the workspace") {
		t.Fatalf("no question for consent: %s", text)
	}
	consent := res
	cancelled, _ := submit(consent, text, "Cancel")
	if to := cancelled.Header.Get("Location"); to != callback+"?error=access_denied" {
		t.Errorf("Cancel leads to %q", to)
	}
	authorized, _ := submit(consent, text, "Authorize")
	to, err := authorized.Location()
	if err != nil {
		t.Fatal(err)
	}
	access, _ := tokensOf(t, w, redeems(to.Query().Get("code")))
	if to.Query().Get("state") != "S" {
		t.Errorf("the state is %q", to.Query().Get("state"))
	}
	me := data[struct{ User struct{ Role string } }](t, call(t, w, access, "auth.info", `{}`))
	if me.User.Role != "admin" {
		t.Errorf("the token is of a %s", me.User.Role)
	}
	expectError(t, call(t, w, access, "documents.create", `{"title":"x"}`), 403, "Access token does not have access to this resource")
	if _, text = submit(consent, text, "Log in as someone else"); !strings.Contains(text, "Who are you?") {
		t.Errorf("no login page: %s", text)
	}
}

// findButton returns what a button of a form sends whose label contains a text.
func findButton(form, label string) (name, value string, found bool) {
	for _, m := range regexp.MustCompile(`<button(?: name="([^"]*)" value="([^"]*)")?>([^<]*)<`).FindAllStringSubmatch(form, -1) {
		if strings.Contains(m[3], label) {
			return m[1], m[2], true
		}
	}
	return "", "", false
}

func TestTokensAreRefreshedAndRevoked(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	access, refresh := tokensOf(t, w, redeems(codeFor(t, w, MemberKey, asksFor("read write"))))
	newer, newest := tokensOf(t, w, refreshes(refresh))
	expectError(t, call(t, w, access, "auth.info", `{}`), 401, "Invalid access token")
	expectTitles(t, call(t, w, newer, "documents.search_titles", `{"query":"no such title"}`))
	if res, body := post(t, w, "/oauth/revoke", "", url.Values{"token": {newest}}); res.StatusCode != 200 || body["success"] != true {
		t.Errorf("revoke: %d %v", res.StatusCode, body)
	}
	expectError(t, call(t, w, newer, "auth.info", `{}`), 401, "Invalid access token")
}

func TestAccessTokensExpireAfterTheirLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for option, lifetime := range map[time.Duration]time.Duration{0: time.Hour, 90 * time.Second: 90 * time.Second} {
			w := demoWithOAuth(t, Options{TokenLifetime: option})
			_, body := post(t, w, "/oauth/token", "", redeems(codeFor(t, w, MemberKey, asksFor("read"))))
			if body["expires_in"] != lifetime.Seconds() {
				t.Errorf("expires_in is %v, want %s", body["expires_in"], lifetime)
			}
			access, _ := body["access_token"].(string)
			time.Sleep(lifetime - time.Second)
			expectTitles(t, call(t, w, access, "documents.search", `{"query":"no such title"}`))
			time.Sleep(2 * time.Second)
			expectError(t, call(t, w, access, "auth.info", `{}`), 401, "Access token is expired")
		}
	})
}
