package oauth_test

import (
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
		w := newWorld(t, func(o *oauth.Options) {
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
