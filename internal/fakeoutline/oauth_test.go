package fakeoutline

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
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

// tokensOf returns the tokens of a successful request for them.
func tokensOf(t *testing.T, w *Workspace, form url.Values) (access, refresh string) {
	t.Helper()
	res, body := post(t, w, "/oauth/token", "", form)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %v", res.StatusCode, body)
	}
	return body["access_token"].(string), body["refresh_token"].(string)
}

// TestAPersonLogsInWithABrowser walks the pages below a prefix, as a browser does.
func TestAPersonLogsInWithABrowser(t *testing.T) {
	hostile := application
	hostile.Redirects = []string{callback, callback + `?"><script>`}
	w, err := New(Options{OAuth: hostile})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/demo/outline/", http.StripPrefix("/demo/outline", w.LoginHandler()))
	server := httptest.NewServer(mux)
	defer server.Close()
	browser := server.Client()
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	// submit presses a button of the form of a page.
	submit := func(page, name, value string) (location, text string) {
		t.Helper()
		fields := url.Values{name: {value}}
		for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
			fields.Set(m[1], html.UnescapeString(m[2]))
		}
		res, err := browser.PostForm(server.URL+"/demo/outline/oauth/authorize", fields)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Header.Get("Location"), string(body)
	}
	asked := asksFor("read")
	asked.Set("redirect_uri", hostile.Redirects[1])
	res, err := browser.Get(server.URL + "/demo/outline/oauth/authorize?" + asked.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	people, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	admin := regexp.MustCompile(`value="([^"]*)">[^<]*\(admin\)`).FindSubmatch(people)
	if admin == nil {
		t.Fatalf("%s", people)
	}
	_, consent := submit(string(people), "person", string(admin[1]))
	if strings.Contains(string(people)+consent, "<script") {
		t.Errorf("a page holds a script:\n%s\n%s", people, consent)
	}
	if to, _ := submit(consent, "decision", "cancel"); !strings.HasSuffix(to, "&error=access_denied") {
		t.Errorf("Cancel leads to %q", to)
	}
	to, _ := submit(consent, "decision", "authorize")
	back, err := url.Parse(to)
	if err != nil || back.Query().Get("state") != "S" {
		t.Fatalf("Authorize leads to %q", to)
	}
	form := redeems(back.Query().Get("code"))
	form.Set("redirect_uri", hostile.Redirects[1])
	access, _ := tokensOf(t, w, form)
	if me := data[struct{ User struct{ Role string } }](t, call(t, w, access, "auth.info", `{}`)); me.User.Role != "admin" {
		t.Errorf("the token is of a %s", me.User.Role)
	}
	if _, text := submit(strings.Replace(consent, string(admin[1]), documentID(1), 1), "decision", "authorize"); !strings.Contains(text, "Authentication required") {
		t.Errorf("an unknown person gets %s", text)
	}
}
