package oauth_test

import (
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

func TestARequestThatCannotBeTrustedLeadsNowhere(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for name, test := range map[string]struct {
		query  string
		reason oauth.Reason
	}{
		"no client":              {asks("").Encode(), oauth.BadClient},
		"unknown client":         {asks("claude").Encode(), oauth.BadClient},
		"forged client":          {asks(clientID + "A").Encode(), oauth.BadClient},
		"configured client":      {asks(oauth.ConfiguredClient).Encode(), oauth.BadClient},
		"no redirect URI":        {asks(clientID, "redirect_uri", "").Encode(), oauth.BadRedirect},
		"other redirect URI":     {asks(clientID, "redirect_uri", "https://evil.example/").Encode(), oauth.BadRedirect},
		"longer redirect URI":    {asks(clientID, "redirect_uri", redirect+"/x").Encode(), oauth.BadRedirect},
		"two redirect URIs":      {asks(clientID).Encode() + "&redirect_uri=https%3A%2F%2Fevil.example", oauth.BadRequest},
		"two client IDs":         {asks(clientID).Encode() + "&client_id=x", oauth.BadRequest},
		"malformed parameters":   {asks(clientID).Encode() + "&a=%zz", oauth.BadRequest},
		"nothing":                {"", oauth.BadClient},
		"client in another case": {asks(strings.ToUpper(clientID)).Encode(), oauth.BadClient},
	} {
		page := b.get("/oauth/authorize?" + test.query)
		if page.StatusCode < 400 || page.Header.Get("Location") != "" || strings.Contains(page.body, "evil") || strings.Contains(page.body, "<a ") {
			t.Errorf("%s: %d %s", name, page.StatusCode, page.body)
		}
		if got := w.last(); got.Kind != oauth.Refused || got.Reason != test.reason {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// On a loopback host, a client may ask for any port.
func TestAnswersDoNotGoToTheCallbackOfThisServer(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	own := w.public.URL + "/oauth/callback"
	loopback := strings.Replace(own, "https", "http", 1)
	w.servers = []*oauth.Server{w.newServer(func(o *oauth.Options) { o.PublicURL = strings.TrimSuffix(loopback, "/oauth/callback") })}
	clientID := b.register("Inspector", "http://127.0.0.1:6276/oauth/callback")
	if page := b.get("/oauth/authorize?" + asks(clientID, "redirect_uri", "http://127.0.0.1:6277/oauth/callback").Encode()); page.StatusCode != http.StatusOK {
		t.Errorf("another port: %d %s", page.StatusCode, page.body)
	}
	page := b.get("/oauth/authorize?" + asks(clientID, "redirect_uri", loopback).Encode())
	if got := w.last(); page.StatusCode != http.StatusBadRequest || got.Reason != oauth.BadRedirect {
		t.Errorf("our own: %d %v", page.StatusCode, got)
	}
}

var link = regexp.MustCompile(`<a href="([^"]*)"`)

// Anyone can register a client, so an invalid request must not make this server lead to
// any address.
func TestAnInvalidRequestIsAnsweredWithALinkToTheApp(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for name, test := range map[string]struct {
		change []string
		code   string
	}{
		"another response type": {[]string{"response_type", "token"}, "unsupported_response_type"},
		"no response type":      {[]string{"response_type", ""}, "unsupported_response_type"},
		"no PKCE":               {[]string{"code_challenge", ""}, "invalid_request"},
		"plain PKCE":            {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"PKCE without a method": {[]string{"code_challenge_method", ""}, "invalid_request"},
		"not a challenge":       {[]string{"code_challenge", verifier}, "invalid_request"},
		"another resource":      {[]string{"resource", "https://other.example.com/mcp"}, "invalid_target"},
		"the origin":            {[]string{"resource", w.public.URL}, "invalid_target"},
		"a state too long":      {[]string{"state", strings.Repeat("x", 2049)}, "invalid_request"},
		"a state not in ASCII":  {[]string{"state", "the stäte"}, "invalid_request"},
	} {
		page := b.get("/oauth/authorize?" + asks(clientID, test.change...).Encode())
		found := link.FindStringSubmatch(page.body)
		if page.StatusCode != http.StatusBadRequest || found == nil {
			t.Errorf("%s: %d %s", name, page.StatusCode, page.body)
			continue
		}
		to, err := url.Parse(html.UnescapeString(found[1]))
		if err != nil || to.Host != "claude.ai" || to.Query().Get("error") != test.code || to.Query().Get("iss") != w.public.URL {
			t.Errorf("%s: %s", name, to)
		}
		if got := to.Query().Get("state"); got != "the state" && !strings.HasPrefix(name, "a state") {
			t.Errorf("%s: state %q", name, got)
		}
	}
}

// Even one that is as long as it may be, of characters that are long in JSON and in URLs.
func TestTheStateComesBackAsItWasSent(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for _, state := range []string{strings.Repeat(`"\`, 1024), strings.Repeat("<&>", 682), "a b+c%20d&e=f#g", strings.Repeat("x", 2048)} {
		back := b.get(b.agree(b.allow(asks(clientID, "state", state)), member)).location(t)
		if got := back.Query().Get("state"); got != state {
			t.Errorf("%.20q… came back as %.20q…", state, got)
		}
	}
}

// No query makes the server panic, or lead a browser anywhere by itself.
func FuzzAuthorize(f *testing.F) {
	server := newServer(nil)
	f.Add(asks("x").Encode())
	f.Add("client_id=https://claude.ai/oauth/mcp-oauth-client-metadata&redirect_uri=https://claude.ai/api/mcp/auth_callback")
	registration := httptest.NewRequest(http.MethodPost, "/oauth/register", strings.NewReader(`{"redirect_uris": ["`+redirect+`"]}`))
	registration.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, registration)
	f.Add(asks(reply{body: w.Body.String()}.value("client_id")).Encode())
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/oauth/authorize", "/oauth/callback"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.URL.RawQuery = query
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			if w.Code >= 500 || w.Code/100 == 3 || w.Header().Get("Location") != "" || strings.Contains(w.Body.String(), "<script") {
				t.Errorf("%q: %d %v %s", query, w.Code, w.Header(), w.Body)
			}
		}
	})
}

func TestTheResourceIsThisServer(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for _, resource := range []string{"", w.public.URL + "/mcp", w.public.URL + "/mcp/"} {
		b.consent(asks(clientID, "resource", resource))
	}
	two := asks(clientID)
	two["resource"] = []string{w.public.URL + "/mcp", "https://other.example.com"}
	if page := b.get("/oauth/authorize?" + two.Encode()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("two resources: %d", page.StatusCode)
	}
}

// The form of the consent page must come from the page.
func TestAForgedConsentIsRefused(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	sealed := b.consent(asks(clientID))
	for name, test := range map[string]struct {
		origin, site, request, decision string
		reason                          oauth.Reason
	}{
		"another origin":                  {"https://evil.example", "", sealed, "allow", oauth.Forged},
		"the origin of Outline":           {"https://wiki.example.com", "", sealed, "allow", oauth.Forged},
		"an origin like ours":             {w.public.URL + ".evil.example", "", sealed, "allow", oauth.Forged},
		"another origin, said to be same": {"https://evil.example", "same-origin", sealed, "allow", oauth.Forged},
		"no origin":                       {"", "", sealed, "allow", oauth.Forged},
		"a hidden origin":                 {"null", "cross-site", sealed, "allow", oauth.Forged},
		"a page of the same site":         {"null", "same-site", sealed, "allow", oauth.Forged},
		"typed in":                        {"", "none", sealed, "allow", oauth.Forged},
		"no request":                      {w.public.URL, "same-origin", "", "allow", oauth.Forged},
		"a changed request":               {w.public.URL, "same-origin", sealed[:20] + "A" + sealed[21:] + "A", "allow", oauth.Forged},
		"a client ID as request":          {w.public.URL, "same-origin", strings.TrimPrefix(clientID, "omcp_client_"), "allow", oauth.Forged},
		"no decision":                     {w.public.URL, "same-origin", sealed, "", oauth.BadRequest},
	} {
		header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		if test.origin != "" {
			header.Set("Origin", test.origin)
		}
		if test.site != "" {
			header.Set("Sec-Fetch-Site", test.site)
		}
		got := b.do(http.MethodPost, "/oauth/authorize", header, url.Values{"request": {test.request}, "decision": {test.decision}}.Encode())
		if got.StatusCode < 400 || got.Header.Get("Location") != "" || len(got.Cookies()) > 0 || w.last().Reason != test.reason {
			t.Errorf("%s: %d %v %v", name, got.StatusCode, got.Header, w.last())
		}
	}
	hidden := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"null"}, "Sec-Fetch-Site": {"same-origin"}}
	if got := b.do(http.MethodPost, "/oauth/authorize", hidden, url.Values{"request": {sealed}, "decision": {"allow"}}.Encode()); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a browser that hides its origin: %d %s", got.StatusCode, got.body)
	}
	w.pass(10 * time.Minute)
	if got := b.post("/oauth/authorize", url.Values{"request": {sealed}, "decision": {"allow"}}); got.StatusCode != http.StatusBadRequest || w.last().Reason != oauth.Expired {
		t.Errorf("after ten minutes: %d %v", got.StatusCode, w.last())
	}
}

func TestDenyingTellsTheApp(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	denied := b.post("/oauth/authorize", url.Values{"request": {b.consent(asks(clientID))}, "decision": {"deny"}})
	to := denied.location(t)
	if query := to.Query(); to.Host != "claude.ai" || query.Get("error") != "access_denied" || query.Get("state") != "the state" || query.Get("iss") != w.public.URL {
		t.Errorf("the app is called with %s", to)
	}
	if len(denied.Cookies()) > 0 || w.last().Reason != oauth.Denied {
		t.Errorf("%v %v", denied.Cookies(), w.last())
	}
}

func TestAnAnswerKeepsTheQueryOfTheRedirectURI(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	const own = "https://app.example/callback?tenant=7"
	clientID := b.register("App", own)
	back := b.post("/oauth/authorize", url.Values{"request": {b.consent(asks(clientID, "redirect_uri", own, "state", ""))}, "decision": {"deny"}}).location(t)
	if query := back.Query(); query.Get("tenant") != "7" || query.Get("error") != "access_denied" || query.Has("state") {
		t.Errorf("%s", back)
	}
}

func TestAPersonMayGiveLessThanTheAppAsksFor(t *testing.T) {
	for name, test := range map[string]struct {
		scope, chosen string
		readOnly      bool
		want          oauth.Scope
		outline       string
	}{
		"asked for both, given both":        {"read write", "read write", false, oauth.Write, "read write"},
		"asked for both, given reading":     {"read write", "read", false, oauth.Read, "read /api/documents.search_titles"},
		"asked for reading":                 {"read", "", false, oauth.Read, "read /api/documents.search_titles"},
		"asked for reading, form says both": {"read", "read write", false, oauth.Read, "read /api/documents.search_titles"},
		"asked for writing":                 {"write", "", false, oauth.Write, "read write"},
		"asked for nothing":                 {"", "", false, oauth.Write, "read write"},
		"asked for unknown scopes":          {"openid offline_access claudeai", "", false, oauth.Write, "read write"},
		"asked for reading and more":        {"openid read", "", false, oauth.Read, "read /api/documents.search_titles"},
		"a read-only server":                {"read write", "read write", true, oauth.Read, "read /api/documents.search_titles"},
	} {
		w := newWiki(t, func(o *oauth.Options) {
			o.ReadOnly, o.Outline.ReadScope = test.readOnly, "read /api/documents.search_titles"
		})
		b := w.browser()
		clientID := b.register("Claude", redirect)
		page := b.allow(asks(clientID, "scope", test.scope), "scope", test.chosen)
		if got := page.Query().Get("scope"); got != test.outline {
			t.Errorf("%s: Outline is asked for %q", name, got)
		}
		tokens := b.send("/oauth/token", redeems(clientID, b.get(b.agree(page, member)).location(t).Query().Get("code")))
		grant, err := w.servers[0].Open(tokens.value("access_token"))
		if err != nil || grant.Scope != test.want || tokens.value("scope") != string(test.want) {
			t.Errorf("%s: %v %v %s", name, grant, err, tokens.body)
		}
	}
}

// The state that comes back from Outline belongs to one browser, once.
func TestALoginEndsInTheBrowserWhereItBegan(t *testing.T) {
	w := newWiki(t)
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
	w := newWiki(t)
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
	w := newWiki(t)
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
	w := newWiki(t)
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
	w := newWiki(t)
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

func TestAPersonLogsInAndTheAppActsForThem(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	page := b.allow(asks(clientID))
	if got := page.Query().Get("scope"); page.Host != "wiki.example.com" || got != "read write" {
		t.Errorf("the user is led to %s with the scope %q", page.Host, got)
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
