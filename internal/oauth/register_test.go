package oauth_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
	"outline-mcp/internal/oauth/client"
)

var asJSON = http.Header{"Content-Type": {"application/json"}}

func TestARegistrationIsHeldByTheClientIDAlone(t *testing.T) {
	same := func(*oauth.Options) {}
	w := newWorld(t, same, same, same)
	b := w.browser()
	got := b.do(http.MethodPost, "/oauth/register", asJSON, `{"client_name": "VS Code", "redirect_uris": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
		"grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"], "token_endpoint_auth_method": "none", "client_secret": "x"}`)
	var answer struct {
		ClientID     string   `json:"client_id"`
		Issued       int64    `json:"client_id_issued_at"`
		RedirectURIs []string `json:"redirect_uris"`
		GrantTypes   []string `json:"grant_types"`
		Method       string   `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if answer.Issued != w.clock().Unix() || len(answer.RedirectURIs) != 2 || len(answer.GrantTypes) != 2 || answer.Method != "none" || strings.Contains(got.body, "secret") {
		t.Errorf("%s", got.body)
	}
	// The second and the third server know the client, and any loopback port.
	for _, uri := range []string{"https://vscode.dev/redirect", "http://127.0.0.1:50123/"} {
		b.consent(asks(answer.ClientID, "redirect_uri", uri))
	}
	w.pass(365 * 24 * time.Hour)
	if page := b.get("/oauth/authorize?" + asks(answer.ClientID, "redirect_uri", "https://vscode.dev/redirect").Encode()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("after a year: %d", page.StatusCode)
	}
}

func TestARegistrationThatCannotBeIsRefused(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	var many []string
	for i := range 10 {
		many = append(many, `"https://app.example/`+strconv.Itoa(i)+strings.Repeat("x", 220)+`"`)
	}
	for body, code := range map[string]string{
		`{}`:                                  "invalid_redirect_uri",
		`[]`:                                  "invalid_client_metadata",
		`{"redirect_uris": ["javascript:x"]}`: "invalid_redirect_uri",
		`{"redirect_uris": ["http://a.example"]}`:                    "invalid_redirect_uri",
		`{"redirect_uris": ["` + w.public.URL + `/oauth/callback"]}`: "invalid_redirect_uri",
		`{"redirect_uris": [` + strings.Join(many, ",") + `]}`:       "invalid_client_metadata",
	} {
		got := b.do(http.MethodPost, "/oauth/register", asJSON, body)
		if got.StatusCode != http.StatusBadRequest || got.value("error") != code || w.last().Reason != oauth.BadClient {
			t.Errorf("%.80s: %d %s %v", body, got.StatusCode, got.body, w.last())
		}
	}
}

func TestAFloodOfRegistrationsIsStopped(t *testing.T) {
	const body = `{"redirect_uris": ["https://app.example/callback"]}`
	address := ""
	w := newWorld(t, func(o *oauth.Options) { o.Address = func(*http.Request) string { return address } })
	b := w.browser()
	registered := func() (done int, last reply) {
		for range 100 {
			if last = b.do(http.MethodPost, "/oauth/register", asJSON, body); last.StatusCode == http.StatusCreated {
				done++
			}
		}
		return done, last
	}
	done, last := registered()
	if done != 60 || last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || w.last().Reason != oauth.Limited {
		t.Errorf("one address: %d, then %d %v", done, last.StatusCode, last.Header)
	}
	for i := range 9 {
		address = fmt.Sprintf("address %d", i)
		if done, _ = registered(); done != 60 {
			t.Errorf("%s: %d", address, done)
		}
	}
	address = "another address"
	if done, _ = registered(); done != 0 {
		t.Errorf("in all, %d more than 600", done)
	}
	w.pass(time.Minute)
	if done, _ = registered(); done != 60 {
		t.Errorf("a minute later: %d", done)
	}
}

func TestClientsThatDoNotRegister(t *testing.T) {
	const claude = "https://claude.ai/oauth/mcp-oauth-client-metadata"
	w := newWorld(t, func(o *oauth.Options) {
		o.Redirects = []string{"https://app.example/callback"}
		o.Documents = client.NewDocuments(client.DocumentsOptions{})
	})
	b := w.browser()
	if page := b.get("/oauth/authorize?" + asks(oauth.ConfiguredClient, "redirect_uri", "https://app.example/callback").Encode()); page.StatusCode != http.StatusOK || !strings.Contains(page.body, "administrator") {
		t.Errorf("the configured one: %d %s", page.StatusCode, page.body)
	}
	if page := b.get("/oauth/authorize?" + asks(claude).Encode()); page.StatusCode != http.StatusOK || !strings.Contains(page.body, "claude.ai") {
		t.Errorf("one with a metadata document: %d %s", page.StatusCode, page.body)
	}
	got := b.send("/oauth/token", redeems(claude, b.code(asks(claude))))
	if got.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if renewed := b.send("/oauth/token", refreshes(claude, got.value("refresh_token"))); renewed.StatusCode != http.StatusOK {
		t.Errorf("%d %s", renewed.StatusCode, renewed.body)
	}
	// Well-known apps are told of their mistakes at once.
	if back := b.get("/oauth/authorize?" + asks(claude, "code_challenge", "").Encode()).location(t); back.Query().Get("error") != "invalid_request" {
		t.Errorf("%s", back)
	}
	if page := b.get("/oauth/authorize?" + asks("https://app.example/client.json").Encode()); page.StatusCode < 400 || w.last().Reason != oauth.BadClient {
		t.Errorf("one whose document is not fetched: %d %v", page.StatusCode, w.last())
	}
}
