package fakeoutline

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// get visits a page of a workspace with a cookie, and returns the status and the page.
func get(t *testing.T, w *Workspace, path, cookie string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://outline.example"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	res, text := transmit(t, w, req)
	return res.StatusCode, string(text)
}

// expectOAuthError checks the answer to a form for an error.
func expectOAuthError(t *testing.T, w *Workspace, path, authorization string, form url.Values, status int, description string) {
	t.Helper()
	res, body := post(t, w, path, authorization, form)
	if res.StatusCode != status || body["error_description"] != description {
		t.Errorf("%s: %d %v, want %d %q", path, res.StatusCode, body, status, description)
	}
}

func TestPagesShowTextsAsText(t *testing.T) {
	w, err := New(Options{OAuth: Application{ClientID: "<b>", Secret: "s", Redirects: []string{callback + `?"><script>`}}})
	if err != nil {
		t.Fatal(err)
	}
	admin := call(t, w, AdminKey, "oauthClients.create", `{"name":"<script>alert(1)</script>","redirectUris":["https://example.com/\"><script>"]}`)
	client := data[struct{ ID, ClientID string }](t, admin)
	asked := asksFor("read /api/x.*")
	asked.Set("client_id", client.ClientID)
	asked.Set("redirect_uri", `https://example.com/"><script>`)
	asked.Set("state", `"><script>`)
	session, err := w.Session(MemberKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range []string{"", "outline_session=" + session} {
		status, page := get(t, w, "/oauth/authorize?"+asked.Encode(), cookie)
		if status != http.StatusOK || strings.Contains(page, "<script") {
			t.Errorf("status %d: %s", status, page)
		}
	}
	asked.Set("response_type", "<script>")
	if status, page := get(t, w, "/oauth/authorize?"+asked.Encode(), ""); status != http.StatusBadRequest || strings.Contains(page, "<script") {
		t.Errorf("status %d: %s", status, page)
	}
}

func TestASessionIsNeededToAuthorize(t *testing.T) {
	var now time.Time
	w := demoWithOAuth(t, Options{Now: func() time.Time { return now }})
	now = SampleDay()
	session, err := w.Session(MemberKey)
	if err != nil {
		t.Fatal(err)
	}
	other := demoWithOAuth(t, Options{})
	foreign, err := other.Session(MemberKey)
	if err != nil {
		t.Fatal(err)
	}
	asked := asksFor("read")
	for name, bearer := range map[string]string{
		"nonsense": "x", "no signature": session[:strings.LastIndex(session, ".")+1], "another signature": session + "A",
		"another workspace's": foreign, "no token": "..",
	} {
		t.Run(name, func(t *testing.T) {
			expectOAuthError(t, w, "/oauth/authorize", "Bearer "+bearer, asked, 401, "Unable to decode token")
		})
	}
	expectTitles(t, call(t, w, session, "documents.search_titles", `{"query":"no such title"}`)) // a session is a key to the API
	now = now.AddDate(0, 0, 91)
	expectOAuthError(t, w, "/oauth/authorize", "Bearer "+session, asked, 401, "Unable to decode token")
	if _, err := w.Session("ol_api_unknown"); err == nil {
		t.Error("an unknown key has a session")
	}
}

func TestACookieNeedsTheFormOfItsPage(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	session, err := w.Session(MemberKey)
	if err != nil {
		t.Fatal(err)
	}
	asked := asksFor("read")
	for _, token := range []string{"", "x", w.oauth.Session("someone")} {
		asked.Set("_csrf", token)
		req := httptest.NewRequest(http.MethodPost, "/oauth/authorize", strings.NewReader(asked.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.AddCookie(&http.Cookie{Name: "outline_session", Value: session})
		res := httptest.NewRecorder()
		w.ServeHTTP(res, req)
		if res.Code != http.StatusForbidden {
			t.Errorf("status %d", res.Code)
		}
	}
}

func TestTheLoginLeadsBackToThePageOnly(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	person := w.store.userIDs[0]
	for _, query := range []string{"", "state=x", "//evil.example", "\r\nSet-Cookie: a=b", "a=b#c", "a=%zz"} {
		res, _ := post(t, w, "/oauth/login", "", url.Values{"person": {person}, "query": {query}})
		if res.StatusCode == http.StatusBadRequest && query == "a=%zz" {
			continue
		}
		to, err := url.Parse(res.Header.Get("Location"))
		if err != nil || to.Host != "" || to.Path != "authorize" || to.Fragment != "" || strings.ContainsAny(to.String(), "\r\n") {
			t.Errorf("%q leads to %q", query, res.Header.Get("Location"))
		}
	}
	if res, _ := post(t, w, "/oauth/login", "", url.Values{"person": {"nobody"}}); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("nobody is logged in: %d", res.StatusCode)
	}
}

func TestABrowserReachesThePagesOnly(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	for path, want := range map[string]int{
		"/oauth/authorize": 400, "/oauth/token": 404, "/oauth/register": 404, "/api/auth.info": 404, "/": 404, "/.well-known/oauth-authorization-server": 404,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			res := httptest.NewRecorder()
			w.LoginHandler().ServeHTTP(res, httptest.NewRequest(method, path, nil))
			if method == http.MethodPost && want == 400 {
				want = 401
			}
			if res.Code != want {
				t.Errorf("%s %s: %d, want %d", method, path, res.Code, want)
			}
		}
	}
}

func TestThePageAsksForReadingAndWritingUnlessTold(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	session, err := w.Session(MemberKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []string{"", "claudeai"} {
		_, page := get(t, w, "/oauth/authorize?"+asksFor(scope).Encode(), "outline_session="+session)
		if !strings.Contains(page, `name="scope" value="read write"`) {
			t.Errorf("scope %q: %s", scope, page)
		}
	}
}

func TestSuspendedPeopleGetNoCode(t *testing.T) {
	w := newTestWorkspace(t)
	asked := asksFor("read")
	asked.Set("client_id", data[struct{ ClientID string }](t, call(t, w, keyOf("admin"), "oauthClients.create", `{"name":"x","redirectUris":["`+callback+`"]}`)).ClientID)
	session, err := w.Session(keyOf("member"))
	if err != nil {
		t.Fatal(err)
	}
	w.store.users[people["member"]].Suspended = true
	expectOAuthError(t, w, "/oauth/authorize", "Bearer "+session, asked, 403, "Your access has been suspended by a workspace admin")
}

func TestOfRefreshesAtOnceOneSucceeds(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	_, refresh := tokensOf(t, w, redeems(codeFor(t, w, MemberKey, asksFor("read"))))
	statuses := make(chan int, 8)
	t.Run("at once", func(t *testing.T) {
		for range cap(statuses) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				res, _ := post(t, w, "/oauth/token", "", refreshes(refresh))
				statuses <- res.StatusCode
			})
		}
	})
	succeeded := 0
	for range cap(statuses) {
		if <-statuses == http.StatusOK {
			succeeded++
		}
	}
	if succeeded != 1 {
		t.Errorf("%d succeeded", succeeded)
	}
}

// TestPeopleUseTheirOwnTokens calls the API as many people at once who refresh their
// tokens in between.
func TestPeopleUseTheirOwnTokens(t *testing.T) {
	w := demoWithOAuth(t, Options{})
	for i := range 20 {
		name := fmt.Sprintf("Demo User %d", i)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			access, refresh := tokensOf(t, w, redeems(codeFor(t, w, fmt.Sprintf("ol_api_demo_user_%d", i), asksFor("read"))))
			for range 20 {
				me := data[struct{ User struct{ Name string } }](t, call(t, w, access, "auth.info", `{}`))
				if me.User.Name != name {
					t.Errorf("the token is of %s", me.User.Name)
				}
				access, refresh = tokensOf(t, w, refreshes(refresh))
			}
		})
	}
}

func TestReleasesHaveTheOAuthOfTheirTime(t *testing.T) {
	for release, want := range map[Release]struct {
		registers, detects bool
	}{"1.5": {}, "1.6": {true, false}, "1.8": {true, false}, "1.9.0": {true, true}, "": {true, true}} {
		t.Run("release "+string(release), func(t *testing.T) {
			now := SampleDay()
			w := demoWithOAuth(t, Options{Release: release, Now: func() time.Time { return now }})
			status, metadata := get(t, w, "/.well-known/oauth-authorization-server", "")
			for _, endpoint := range []string{"registration_endpoint", "revocation_endpoint"} {
				if status != 200 || strings.Contains(metadata, endpoint) != want.registers {
					t.Errorf("metadata: %d %s", status, metadata)
				}
			}
			if res, _ := post(t, w, "/oauth/revoke", "", url.Values{"token": {"x"}}); (res.StatusCode == 200) != want.registers {
				t.Errorf("revoke: %d", res.StatusCode)
			}
			_, refresh := tokensOf(t, w, redeems(codeFor(t, w, MemberKey, asksFor("read"))))
			access, _ := tokensOf(t, w, refreshes(refresh))
			now = now.Add(11 * time.Second)
			expectOAuthError(t, w, "/oauth/token", "", refreshes(refresh), 400, "Invalid grant: refresh token is invalid")
			if alive := call(t, w, access, "auth.info", `{}`).Status == 200; alive == want.detects {
				t.Errorf("after a second use of the refresh token, the grant is alive: %v", alive)
			}
		})
	}
}
