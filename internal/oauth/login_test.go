package oauth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

func TestAPersonLogsInAndTheAppActsForThem(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	page := b.allow(asks(clientID))
	if got := page.Query().Get("scope"); page.Host != "wiki.example.com" || got != "read write" {
		t.Errorf("the person is led to %s with the scope %q", page.Host, got)
	}
	back := b.get(b.agree(page, member)).location(t)
	if query := back.Query(); !strings.HasPrefix(back.String(), redirect+"?") || query.Get("state") != "the state" || query.Get("iss") != w.public.URL || len(query) != 3 {
		t.Errorf("the app is called with %s", back)
	}
	tokens := b.send("/oauth/token", redeems(clientID, back.Query().Get("code")))
	if tokens.StatusCode != http.StatusOK || tokens.value("token_type") != "Bearer" || tokens.value("scope") != "read write" || !strings.Contains(tokens.body, `"expires_in":3540`) {
		t.Fatalf("%d %s", tokens.StatusCode, tokens.body)
	}
	grant, err := w.servers[0].Open(tokens.value("access_token"))
	if err != nil || len(grant.Subject) != 36 || !grant.Scope.Writes() || !grant.Expires.Equal(w.clock().Add(59*time.Minute)) {
		t.Errorf("%+v, %v", grant, err)
	}
	if !w.works(tokens.value("access_token")) {
		t.Error("Outline does not accept the token inside")
	}
	if w.last().Kind != oauth.LoggedIn {
		t.Errorf("the last event is %v", w.last())
	}

	w.pass(59 * time.Minute)
	if _, err := w.servers[0].Open(tokens.value("access_token")); !errors.Is(err, oauth.ErrExpired) {
		t.Errorf("after 59 minutes: %v", err)
	}
	renewed := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
	if renewed.StatusCode != http.StatusOK || !w.works(renewed.value("access_token")) {
		t.Fatalf("refresh: %d %s", renewed.StatusCode, renewed.body)
	}
	if after, err := w.servers[0].Open(renewed.value("access_token")); err != nil || after.Subject != grant.Subject {
		t.Errorf("after the refresh: %+v, %v", after, err)
	}
	if revoked := b.send("/oauth/revoke", map[string][]string{"token": {renewed.value("access_token")}, "client_id": {clientID}}); revoked.StatusCode != http.StatusOK {
		t.Errorf("revoke: %d %s", revoked.StatusCode, revoked.body)
	}
	if w.works(renewed.value("access_token")) {
		t.Error("Outline still accepts a revoked token")
	}
	if again := b.send("/oauth/token", refreshes(clientID, renewed.value("refresh_token"))); again.value("error") != "invalid_grant" {
		t.Errorf("refresh after the revocation: %d %s", again.StatusCode, again.body)
	}
}
