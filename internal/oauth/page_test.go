package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/internal/oauth"
)

// words returns what a page says, without its markup.
func words(page string) string {
	_, page, _ = strings.Cut(page, "<main>")
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(page)), " ")
}

func TestTheConsentPageSaysWhoWhereAndWhat(t *testing.T) {
	limited := func(o *oauth.Options) { o.Limits = []string{"Nothing can be deleted."} }
	readOnly := func(o *oauth.Options) { o.ReadOnly = true }
	const longHost = "accounts.google.com.sign-in.a-long-name-that-does-not-fit-into-a-line.evil.example.com"
	for name, test := range map[string]struct {
		change      func(*oauth.Options)
		app, uri    string
		scope       string
		says, hides []string
	}{
		"a registered app": {limited, "Claude", redirect, "read write",
			[]string{"“ Claude ”", "not verified", "Access goes to claude.ai ", "Read and change", "Read only", "delete", "Limits of this server Nothing can be deleted.", "wiki.example.com", "Allow Deny"}, []string{"device"}},
		"an app without a name":     {limited, "", redirect, "", []string{"an app without a name"}, nil},
		"an app that reads":         {limited, "Claude", redirect, "read", []string{"can't change anything"}, []string{"Read and change", "archive"}},
		"a server that reads":       {readOnly, "Claude", redirect, "read write", []string{"can't change anything", "Apps can only read."}, []string{"Read and change", "archive"}},
		"a program on localhost":    {limited, "Cursor", "http://localhost:8787/callback", "", []string{"localhost:8787", "on your own device"}, nil},
		"an app with its scheme":    {limited, "Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", "", []string{"cursor:", "on your own device"}, nil},
		"a host that is long":       {limited, "Google", "https://" + longHost + "/x", "", []string{longHost}, nil},
		"a name with markup":        {limited, `</h1><script>alert(1)</script><b "`, redirect, "", []string{"<script>alert(1)</script>"}, nil},
		"a name that ends itself":   {limited, "Claude” of your administrator", redirect, "", []string{"“ Claude' of your administrator ”"}, nil},
		"a name that is a template": {limited, "{request}{style}", redirect, "", []string{"{request}{style}"}, nil},
	} {
		w := newWorld(t, test.change)
		b := w.browser()
		page := b.get("/oauth/authorize?" + asks(b.register(test.app, test.uri), "redirect_uri", test.uri, "scope", test.scope).Encode())
		said := words(page.body)
		for _, want := range test.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is missing in %s", name, want, said)
			}
		}
		for _, not := range test.hides {
			if strings.Contains(said, not) {
				t.Errorf("%s: %q is in %s", name, not, said)
			}
		}
		if strings.Contains(page.body, "<script") || strings.Count(page.body, "<h1>") != 1 || strings.Count(page.body, "<form") != 1 {
			t.Errorf("%s: %s", name, page.body)
		}
	}
}

func TestNamesCannotHideOrTurnText(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for _, trick := range []string{"\u202e", "\u2066", "\u200b", "\u200f", "\u00ad", "\ufe0f", "\u2028", "\u0007", "\U000e0041", "\u00a0", "\ufeff"} {
		page := b.get("/oauth/authorize?" + asks(b.register("Cla"+trick+"ude", redirect)).Encode())
		if page.StatusCode != http.StatusOK || strings.Contains(page.body, trick) || !strings.Contains(page.body, "Cla") {
			t.Errorf("%+q: %d %s", trick, page.StatusCode, words(page.body))
		}
	}
	if page := b.get("/oauth/authorize?" + asks(b.register(strings.Repeat("x", 500), redirect)).Encode()); strings.Contains(page.body, strings.Repeat("x", 70)) {
		t.Errorf("a long name is shown in full: %s", words(page.body))
	}
}

func TestPagesMayUseTheirOwnStyleOnly(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for _, page := range []reply{b.get("/oauth/authorize?" + asks(b.register("Claude", redirect)).Encode()), b.get("/oauth/callback")} {
		_, style, _ := strings.Cut(page.body, "<style>")
		style, _, found := strings.Cut(style, "</style>")
		sum := sha256.Sum256([]byte(style))
		if !found || !strings.Contains(page.Header.Get("Content-Security-Policy"), "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("%s does not allow the style of the page", page.Header.Get("Content-Security-Policy"))
		}
		if strings.Contains(page.body, "style=") || strings.Contains(page.body, "http-equiv") {
			t.Error("the page has what its policy does not allow")
		}
	}
}

func TestErrorPagesSayWhatToDo(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	clientID := b.register("Claude", redirect)
	for want, page := range map[string]reply{
		"remove the connection to this server and add it again": b.get("/oauth/authorize?" + asks("unknown").Encode()),
		"tell the developer of the app":                         b.get("/oauth/authorize?" + asks(clientID, "redirect_uri", "https://evil.example").Encode()),
		"Go back to the app and connect it again":               b.get("/oauth/callback?state=x&code=y"),
		"Tell the developer of the app. Go back to claude.ai":   b.get("/oauth/authorize?" + asks(clientID, "code_challenge", "").Encode()),
		"You can close this page":                               b.get("/oauth/callback?error=access_denied"),
	} {
		if said := words(page.body); !strings.Contains(said, want) {
			t.Errorf("%q is missing in %s", want, said)
		}
		if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || strings.Contains(page.body, "evil") {
			t.Errorf("%s", page.body)
		}
	}
	sealed := b.consent(asks(clientID))
	w.pass(11 * 60e9)
	if page := b.post("/oauth/authorize", url.Values{"request": {sealed}, "decision": {"allow"}}); !strings.Contains(words(page.body), "has expired") {
		t.Errorf("%s", words(page.body))
	}
}

// A server on a loopback host has no https, without which browsers refuse __Host-.
func TestOnALoopbackHostTheCookieHasNoPrefix(t *testing.T) {
	w := newWorld(t, func(o *oauth.Options) { o.PublicURL = "http://127.0.0.1:3000" })
	b := w.browser()
	sealed := b.consent(asks(b.register("Claude", redirect)))
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"http://127.0.0.1:3000"}}
	cookie := b.do(http.MethodPost, "/oauth/authorize", header, url.Values{"request": {sealed}, "decision": {"allow"}}.Encode()).Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "outline-mcp-login-") || strings.Contains(cookie, "Secure") || !strings.Contains(cookie, "HttpOnly") {
		t.Error(cookie)
	}
}
