package oauth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

// refusal checks that a form is refused with a code, for a reason, before Outline is
// asked.
func (b *browser) refusal(what, path string, form map[string][]string, status int, code string, reason oauth.Reason) {
	b.t.Helper()
	before := b.askedFor("/oauth/token")
	got := b.send(path, form)
	if got.StatusCode != status || got.value("error") != code || b.last().Reason != reason {
		b.t.Errorf("%s: %d %s %v", what, got.StatusCode, got.body, b.last())
	}
	if b.askedFor("/oauth/token") != before {
		b.t.Errorf("%s: Outline was asked", what)
	}
}

func TestACodeIsForTheClientThatBeganTheLogin(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID, other := b.register("Claude", redirect), b.register("Other", redirect)
	code := b.code(asks(clientID))
	refused := func(what string, status int, error string, reason oauth.Reason, change ...string) {
		t.Helper()
		b.refusal(what, "/oauth/token", redeems(clientID, code, change...), status, error, reason)
	}
	refused("no client", 401, "invalid_client", oauth.BadClient, "client_id", "")
	refused("an unknown client", 401, "invalid_client", oauth.BadClient, "client_id", "claude")
	refused("a client that is a URL, where that is off", 401, "invalid_client", oauth.BadClient, "client_id", "https://claude.ai/client")
	refused("another client", 400, "invalid_grant", oauth.BadGrant, "client_id", other)
	refused("no redirect URI", 400, "invalid_grant", oauth.BadRedirect, "redirect_uri", "")
	refused("another redirect URI", 400, "invalid_grant", oauth.BadRedirect, "redirect_uri", redirect+"/")
	refused("no verifier", 400, "invalid_grant", oauth.BadChallenge, "code_verifier", "")
	refused("another verifier", 400, "invalid_grant", oauth.BadChallenge, "code_verifier", strings.ToUpper(verifier))
	refused("the challenge as verifier", 400, "invalid_grant", oauth.BadChallenge, "code_verifier", asks("").Get("code_challenge"))
	refused("another resource", 400, "invalid_target", oauth.BadTarget, "resource", "https://other.example.com/mcp")
	refused("no code", 400, "invalid_grant", oauth.BadGrant, "code", "")
	refused("a client ID as code", 400, "invalid_grant", oauth.BadGrant, "code", clientID)
	refused("a code of Outline", 400, "invalid_grant", oauth.BadGrant, "code", "ol_ac_0123456789")
	refused("no grant type", 400, "invalid_request", oauth.BadRequest, "grant_type", "")
	refused("another grant type", 400, "unsupported_grant_type", oauth.BadRequest, "grant_type", "password")
	refused("a code as refresh token", 400, "invalid_grant", oauth.BadGrant, "grant_type", "refresh_token", "refresh_token", code)
	twice := redeems(clientID, code)
	twice["code"] = []string{code, code}
	b.refusal("two codes", "/oauth/token", twice, 400, "invalid_request", oauth.BadRequest)

	if got := b.send("/oauth/token", redeems(clientID, code, "resource", w.public.URL+"/mcp")); got.StatusCode != http.StatusOK {
		t.Errorf("the client itself: %d %s", got.StatusCode, got.body)
	}
	late := b.code(asks(clientID))
	w.pass(2 * time.Minute)
	b.refusal("a code after two minutes", "/oauth/token", redeems(clientID, late), 400, "invalid_grant", oauth.BadGrant)
}

func TestACodeWorksOnceWhicheverServersAreAsked(t *testing.T) {
	same := func(*oauth.Options) {}
	w := newWorld(t, same, same)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	code := b.code(asks(clientID))
	first, second := b.send("/oauth/token", redeems(clientID, code)), b.send("/oauth/token", redeems(clientID, code))
	if first.StatusCode != http.StatusOK || second.StatusCode != http.StatusBadRequest || second.value("error") != "invalid_grant" || w.last().Reason != oauth.Used {
		t.Errorf("%d, then %d %s %v", first.StatusCode, second.StatusCode, second.body, w.last())
	}
	if w.askedFor("/oauth/token") != 2 {
		t.Error("it is not Outline that decides")
	}
}

func TestARefreshTokenIsForItsClientAndThisServer(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID, tokens := b.logIn("scope", "read")
	other, refresh := b.register("Other", redirect), tokens.value("refresh_token")
	refused := func(what string, status int, error string, reason oauth.Reason, change ...string) {
		t.Helper()
		b.refusal(what, "/oauth/token", refreshes(clientID, refresh, change...), status, error, reason)
	}
	refused("no client", 401, "invalid_client", oauth.BadClient, "client_id", "")
	refused("another client", 400, "invalid_grant", oauth.BadGrant, "client_id", other)
	refused("an access token", 400, "invalid_grant", oauth.BadGrant, "refresh_token", tokens.value("access_token"))
	refused("no token", 400, "invalid_grant", oauth.BadGrant, "refresh_token", "")
	refused("a token of Outline", 400, "invalid_grant", oauth.BadGrant, "refresh_token", "ol_rt_0123456789")
	refused("another resource", 400, "invalid_target", oauth.BadTarget, "resource", "https://other.example.com/mcp")
	refused("more scope", 400, "invalid_scope", oauth.BadRequest, "scope", "read write")
	w.pass(30 * 24 * time.Hour)
	refused("after thirty days", 400, "invalid_grant", oauth.BadGrant)
	w.pass(365 * 24 * time.Hour)
	refused("a client ID after a year", 401, "invalid_client", oauth.BadClient)
}

func TestARefreshMayAskForLess(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	less := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"), "scope", "read"))
	if grant, err := w.servers[0].Open(less.value("access_token")); err != nil || grant.Scope != oauth.Read || less.value("scope") != "read" {
		t.Errorf("%v %v %s", grant, err, less.body)
	}
	all := b.send("/oauth/token", refreshes(clientID, less.value("refresh_token")))
	if grant, err := w.servers[0].Open(all.value("access_token")); err != nil || grant.Scope != oauth.Write {
		t.Errorf("the grant itself has become less: %v %v", grant, err)
	}
}

func TestRevokingIsForTheClientOfTheToken(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	other := b.register("Other", redirect)
	access, refresh := tokens.value("access_token"), tokens.value("refresh_token")
	form := func(token, client string) map[string][]string {
		return with(map[string][]string{}, "token", token, "client_id", client)
	}
	b.refusal("another client", "/oauth/revoke", form(access, other), 400, "invalid_grant", oauth.BadGrant)
	b.refusal("no token", "/oauth/revoke", form("", clientID), 400, "invalid_request", oauth.BadRequest)
	for _, unknown := range []string{"x", "ol_at_0123456789", clientID, access[:len(access)-2], strings.Replace(access, "_at_", "_rt_", 1)} {
		if got := b.send("/oauth/revoke", form(unknown, clientID)); got.StatusCode != http.StatusOK {
			t.Errorf("an unknown token: %d %s", got.StatusCode, got.body)
		}
	}
	if w.askedFor("/oauth/revoke") != 0 || !w.works(access) {
		t.Error("Outline was asked, or the token is void")
	}
	if got := b.send("/oauth/revoke", form(refresh, "")); got.StatusCode != http.StatusOK || w.works(access) {
		t.Errorf("revoking the refresh token: %d, and the access token still works: %t", got.StatusCode, w.works(access))
	}
	if w.last().Kind != oauth.Revoked {
		t.Errorf("%v", w.last())
	}
}

// Anyone can have a made-up code exchanged, and Outline allows 100 requests an hour.
func TestCodesThatOutlineRefusesLeaveRoomForRenewals(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for range 40 { // codes that are accepted do not count
		b.logIn()
	}
	clientID, tokens := b.logIn()
	code := b.code(asks(clientID))
	if got := b.send("/oauth/token", redeems(clientID, code)); got.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	before := w.askedFor("/oauth/token")
	var last reply
	for range 50 {
		last = b.send("/oauth/token", redeems(clientID, code))
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") != "3600" || last.value("error") != "temporarily_unavailable" || w.last().Reason != oauth.OutlineBusy {
		t.Errorf("%d %s %v", last.StatusCode, last.body, last.Header)
	}
	if asked := w.askedFor("/oauth/token") - before; asked != 30 {
		t.Errorf("Outline was asked %d times", asked)
	}
	if got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))); got.StatusCode != http.StatusOK {
		t.Errorf("a renewal: %d %s", got.StatusCode, got.body)
	}
	w.pass(time.Hour)
	b.logIn()
}
