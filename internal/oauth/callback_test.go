package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

// The state that comes back from Outline belongs to one browser, once.
func TestALoginEndsInTheBrowserWhereItBegan(t *testing.T) {
	w := newWorld(t)
	mine, other := w.browser(), w.browser()
	clientID := mine.register("Claude", redirect)
	callback := mine.agree(mine.allow(asks(clientID)), member)
	theirs := other.agree(other.allow(asks(clientID)), member)

	refused := func(what string, b *browser, address string, reason oauth.Reason) {
		t.Helper()
		got := b.get(address)
		if got.StatusCode < 400 || got.Header.Get("Location") != "" || w.last().Reason != reason {
			t.Errorf("%s: %d %v %v", what, got.StatusCode, got.Header, w.last())
		}
	}
	refused("without a cookie", w.browser(), callback, oauth.Forged)
	refused("with the cookie of another login", other, callback, oauth.Forged)
	refused("the login of another in my browser", mine, theirs, oauth.Forged)
	refused("with a state that is not ours", mine, strings.Replace(callback, "state=", "state=A", 1), oauth.Forged)
	refused("without a state", mine, "/oauth/callback?code=ol_ac_1", oauth.Forged)
	refused("with two states", mine, callback+"&state=x", oauth.BadRequest)

	first := mine.get(callback)
	if first.location(t).Query().Get("code") == "" {
		t.Errorf("the login itself: %s", first.location(t))
	}
	refused("a second time", mine, callback, oauth.Forged)

	late := mine.agree(mine.allow(asks(clientID)), member)
	w.pass(10 * time.Minute)
	refused("after ten minutes", mine, late, oauth.Expired)
}

// The cookie has the name of another login, but its value decides.
func TestAGuessedCookieIsRefused(t *testing.T) {
	w := newWorld(t)
	b, thief := w.browser(), w.browser()
	asked := b.allow(asks(b.register("Claude", redirect)))
	address, err := url.Parse(w.public.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range b.client.Jar.Cookies(address) {
		thief.client.Jar.SetCookies(address, []*http.Cookie{{Name: cookie.Name, Value: strings.Repeat("A", len(cookie.Value)), Secure: true, Path: "/"}})
	}
	if got := thief.get(b.agree(asked, member)); got.StatusCode != http.StatusForbidden {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}

func TestSeveralLoginsOfABrowserDoNotDisturbEachOther(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	first, second := b.agree(b.allow(asks(clientID)), member), b.agree(b.allow(asks(clientID)), member)
	for _, callback := range []string{first, second} {
		if got := b.get(callback); got.StatusCode != http.StatusFound {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	}
}

func TestTheCookieIsSetAfterTheConsentAndForThisHostOnly(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	if page := b.get("/oauth/authorize?" + asks(clientID).Encode()); len(page.Cookies()) > 0 {
		t.Errorf("before the consent: %v", page.Cookies())
	}
	allowed := b.post("/oauth/authorize", url.Values{"request": {b.consent(asks(clientID))}, "decision": {"allow"}})
	cookie := allowed.Header.Get("Set-Cookie")
	for _, want := range []string{"__Host-", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax", "; Max-Age=600"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("%q is missing in %s", want, cookie)
		}
	}
	if strings.Contains(cookie, "Domain") {
		t.Error(cookie)
	}
	removed := b.get(b.agree(allowed.location(t), member)).Header.Get("Set-Cookie")
	if !strings.Contains(removed, "; Max-Age=0") {
		t.Errorf("the cookie is not removed: %s", removed)
	}
}

func TestWhatOutlineAnswersInsteadOfACodeIsPassedOn(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for sent, want := range map[string]string{"access_denied": "access_denied", "temporarily_unavailable": "temporarily_unavailable", "invalid_scope": "server_error", "<script>": "server_error", "": "server_error"} {
		state := b.allow(asks(clientID)).Query().Get("state")
		back := b.get("/oauth/callback?" + url.Values{"error": {sent}, "error_description": {"secret words"}, "state": {state}}.Encode()).location(t)
		if query := back.Query(); query.Get("error") != want || query.Get("state") != "the state" || query.Get("iss") != w.public.URL || strings.Contains(back.String(), "secret") {
			t.Errorf("%s: %s", sent, back)
		}
	}
	// Cancel on Outline's page leaves the state out.
	page := b.get("/oauth/callback?error=access_denied")
	if page.StatusCode != http.StatusOK || !strings.Contains(page.body, "Access denied") || w.last().Reason != oauth.Denied {
		t.Errorf("%d %s", page.StatusCode, page.body)
	}
}
