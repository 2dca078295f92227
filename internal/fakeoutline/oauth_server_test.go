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

var oauthNoon = time.Date(2026, time.November, 2, 12, 0, 0, 0, time.UTC)

// newTestOAuthServer returns a server with one person and one application.
func newTestOAuthServer() *oauthServer {
	max := oauthPerson{ID: "max", Name: "Max", Role: "member"}
	s := newOAuthServer(oauthOptions{
		Now:          func() time.Time { return oauthNoon },
		Person:       func(id string) (oauthPerson, bool) { return max, id == max.ID },
		People:       func() []oauthPerson { return []oauthPerson{max} },
		Team:         "Team",
		Registration: true, DetectReuse: true,
	})
	s.Add(oauthClient{ClientID: "app", Secret: "secret", Name: "App", Redirects: []string{"https://example.com/cb"}})
	return s
}

// sendOAuth sends a request and returns the status and the body.
func sendOAuth(s *oauthServer, method, path, contentType, authorization, body string) (int, string) {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.URL = &url.URL{Path: path}
	if query, found := strings.CutPrefix(body, "?"); found {
		r.URL.RawQuery = query
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", authorization)
	reply := s.Answer(r)
	var text strings.Builder
	_, _ = reply.Reader().WriteTo(&text) // a builder does not fail
	return reply.Status, text.String()
}

const formType = "application/x-www-form-urlencoded"

func TestStoresAreBounded(t *testing.T) {
	s := newTestOAuthServer()
	app, _ := s.Client("app")
	oldest := s.issue("max", app.ID, "", nil)
	for range maxGrants {
		s.issue("max", app.ID, "", nil)
	}
	if n := len(s.grants.list); n != maxGrants || len(s.grants.byAccess) != n || len(s.grants.byRefresh) != n {
		t.Errorf("%d pairs of tokens, %d by access token, %d by refresh token", n, len(s.grants.byAccess), len(s.grants.byRefresh))
	}
	if _, _, err := s.Access(oldest.access); err == nil {
		t.Error("the oldest access token is still valid")
	}
	for range maxCodes + 1 {
		s.save(authorizationCode{client: app.ID})
	}
	if n := len(s.codes); n != maxCodes {
		t.Errorf("%d codes", n)
	}
	for i := range maxRegistered + 1 {
		status, answer := sendOAuth(s, http.MethodPost, registerPath, "application/json", "", fmt.Sprintf(`{"client_name":"%d","redirect_uris":["http://localhost/%d"]}`, i, i))
		if status != http.StatusCreated {
			t.Fatalf("status %d: %s", status, answer)
		}
	}
	if n := len(s.clients); n > maxRegistered+1 {
		t.Errorf("%d clients", n)
	}
	if _, ok := s.Client("app"); !ok {
		t.Error("the application of the admin is gone")
	}
}

func TestALongBodyIsRefused(t *testing.T) {
	if status, answer := sendOAuth(newTestOAuthServer(), http.MethodPost, revokePath, formType, "", "token="+strings.Repeat("x", maxOAuthBody)); status != http.StatusBadRequest {
		t.Errorf("status %d: %s", status, answer)
	}
}

func TestScopesFollowTheGrammar(t *testing.T) {
	for scope, want := range map[string]bool{
		"read": true, "write": true, "create": true, "documents:read": true, "/api/documents.search_titles": true, "/api/documents.*": true, "/api/*.list": true,
		"*": false, "/api/*.*": false, "openid": false, "documents:all": false, ":read": false, "a:b:read": false, "/api/documents": false, "/api/.list": false,
		"/api/documents.": false, "READ": false, "*:read": false,
	} {
		if got := validScope(scope); got != want {
			t.Errorf("%q: %v", scope, got)
		}
	}
}

func TestRedirectsAreFollowedLetterForLetter(t *testing.T) {
	c := oauthClient{Redirects: []string{
		"https://example.com/cb", "http://localhost:8787/cb", "http://127.0.0.1/cb", "http://[::1]/cb", "cursor://app/cb",
		"http://example.com/cb", "https://example.com/#", "https://*.example.com/", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "VBScript:x",
		"http://localhost.example.com/cb", "http://localhost@example.com/cb", "http://127.0.0.1.example.com/cb",
	}}
	for i, redirect := range c.Redirects {
		if got, want := c.Allows(redirect), i < 5; got != want {
			t.Errorf("%q: %v", redirect, got)
		}
	}
	if (&oauthClient{Redirects: []string{"", "cb"}}).Allows("") {
		t.Error("an empty redirect URI is followed")
	}
	for _, redirect := range []string{"", "https://example.com/cb/", "https://example.com/cb?x", "https://example.com:443/cb", "http://localhost:8788/cb", "HTTPS://example.com/cb"} {
		if c.Allows(redirect) {
			t.Errorf("%q is followed", redirect)
		}
	}
}

// FuzzRequests sends any request to a server that has issued a code and tokens.
func FuzzRequests(f *testing.F) {
	f.Add("POST", tokenPath, formType, "", "grant_type=authorization_code&code=x&client_id=app&client_secret=secret&redirect_uri=https://example.com/cb")
	f.Add("POST", tokenPath, formType, "Basic YXBwOnNlY3JldA==", "grant_type=refresh_token&refresh_token=x&scope=read")
	f.Add("POST", authorizePath, formType, "Bearer SESSION", "client_id=app&response_type=code&state=x&scope=read+/api/a.b&redirect_uri=https://example.com/cb")
	f.Add("POST", loginPath, formType, "", "person=max&query=state%3Dx")
	f.Add("POST", revokePath, "application/json", "", `{"token":"ol_at_x"}`)
	f.Add("POST", registerPath, "application/json", "", `{"client_name":"x","redirect_uris":["http://localhost/cb"],"token_endpoint_auth_method":"client_secret_post"}`)
	f.Add("GET", authorizePath, "", "", "?client_id=app&response_type=code&state=x&redirect_uri=https://example.com/cb&scope=%3Cscript%3E")
	f.Add("GET", wellKnown+"oauth-authorization-server/mcp", "", "", "")
	f.Fuzz(func(t *testing.T, method, path, contentType, authorization, body string) {
		r, err := http.NewRequest(method, "http://outline.example/", nil)
		if err != nil || r.Method == "" {
			t.Skip("not a method")
		}
		s := newTestOAuthServer()
		authorization = strings.ReplaceAll(authorization, "SESSION", s.Session("max"))
		status, answer := sendOAuth(s, method, path, contentType, authorization, body)
		if status >= 500 || path == authorizePath && strings.Contains(answer, "<script") {
			t.Errorf("status %d: %s", status, answer)
		}
		if strings.Contains(answer, accessPrefix) && path == tokenPath {
			t.Errorf("tokens for nothing: %s", answer)
		}
	})
}
