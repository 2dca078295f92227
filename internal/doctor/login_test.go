package doctor_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"outline-mcp/internal/doctor"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
)

const (
	strong    = "5c1f0e7d9a3b48266f0d7be1c9a2543887b6d0f1e2c3a495b8d7f6a1e0c29384"
	sealed    = "MCP_OAUTH_SECRET=" + strong
	challenge = "WWW-Authenticate"
)

// publicly serves what a change makes of this program at a public URL, and returns that
// URL. A change that is nil leaves it as it is.
func publicly(t *testing.T, path string, change func(public string, ours http.Handler) http.Handler) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	public := "http://" + server.Listener.Addr().String()
	login := oauth.New(oauth.Options{PublicURL: public, Path: path, Secret: strong, Log: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.Handle("/.well-known/", login)
	mux.Handle("/oauth/", login)
	mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(challenge, login.Challenge("read write", "", ""))
		w.WriteHeader(http.StatusUnauthorized)
	})
	server.Config.Handler = mux
	if change != nil {
		server.Config.Handler = change(public, mux)
	}
	server.Start()
	t.Cleanup(server.Close)
	return public
}

// The answers of Outline about an application, as recorded.
const (
	anApplication  = `{"data":{"name":"outline-mcp","clientId":"1k40ntqamqptjspcrski","published":false},"status":200,"ok":true}`
	aPublicOne     = `{"data":{"name":"outline-mcp","clientId":"1k40ntqamqptjspcrski","clientType":"public"},"status":200,"ok":true}`
	noSuchRedirect = `{"ok":false,"error":"validation_error","status":400,"message":"redirect_uri is invalid"}`
	noApplication  = `{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`
	wrongCode      = `{"error":"invalid_request","error_description":"Invalid grant: authorization code is invalid"}`
	wrongClient    = `{"error":"invalid_request","error_description":"Invalid client: client is invalid"}`
)

// withLogin is the environment of a server that people log in to. Outline answers about
// the application and the token request as given.
func withLogin(t *testing.T, public string, status int, application, token string, settings ...string) []string {
	t.Helper()
	outline := instead(sample(t, fakeoutline.Options{Answers: true}), "oauthClients.info", says(status, application, "Content-Type", asJS))
	outline = instead(outline, "oauth/token", says(http.StatusBadRequest, token, "Content-Type", asJS))
	return at(serveHandler(t, outline), append([]string{
		"MCP_PORT=0", "MCP_PUBLIC_URL=" + public, "MCP_OAUTH_CLIENT_ID=1k40ntqamqptjspcrski", "MCP_OAUTH_CLIENT_SECRET=ol_sk_fake_secret", sealed,
	}, settings...)...)
}

// loginTroubles are those of logging in with Outline.
func loginTroubles() []trouble {
	over := []string{"--transport", "http"}
	works := func(settings ...string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return withLogin(t, publicly(t, "/mcp", nil), 200, anApplication, wrongCode, settings...)
		}
	}
	outline := func(status int, application, token string) func(*testing.T) []string {
		return func(t *testing.T) []string { return withLogin(t, publicly(t, "/mcp", nil), status, application, token) }
	}
	public := func(change func(public string, ours http.Handler) http.Handler) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return withLogin(t, publicly(t, "/mcp", change), 200, anApplication, wrongCode)
		}
	}
	// at replaces the answers at a path.
	at := func(path string, handler http.Handler) func(*testing.T) []string {
		return public(func(_ string, ours http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, path) {
					handler.ServeHTTP(w, r)
					return
				}
				ours.ServeHTTP(w, r)
			})
		})
	}
	return []trouble{
		{name: "a login that is set up in part", symbol: "✗", check: "MCP_OAUTH_CLIENT_ID", says: []string{"other settings of the login", "outline-mcp oauth setup"}, args: over, arrange: served(nil, "MCP_PORT=0", "MCP_PUBLIC_URL=https://mcp.example.com", sealed)},
		{name: "a public URL with a path", symbol: "✗", check: "MCP_PUBLIC_URL", says: []string{"has a path"}, args: over, arrange: works("MCP_PUBLIC_URL=https://mcp.example.com/mcp")},
		{name: "the address of Outline as public URL", symbol: "✗", check: "login", says: []string{"the address of Outline"}, args: over, beside: []string{"login_url"}, arrange: func(t *testing.T) []string {
			environ := works()(t)
			return append(environ, "MCP_PUBLIC_URL="+strings.TrimPrefix(environ[0], "OUTLINE_API_URL="))
		}},
		{name: "a public URL of this machine only", symbol: "!", check: "login", says: []string{"only clients on this machine"}, args: over, arrange: works()},
		{name: "a secret that can be guessed", symbol: "!", check: "login_secret", says: []string{"not random", "oauth rotate secret"}, args: over, arrange: works("MCP_OAUTH_SECRET=passwordpasswordpasswordpassword")},
		{name: "an application that does not exist", symbol: "✗", check: "login_application", says: []string{"no application 1k40ntqamqptjspcrski", "MCP_OAUTH_CLIENT_ID"}, args: over, arrange: outline(404, noApplication, wrongClient)},
		{name: "an application without the redirect URI", symbol: "✗", check: "login_application", says: []string{"does not have the redirect URI", "/oauth/callback"}, args: over, arrange: outline(400, noSuchRedirect, wrongCode)},
		{name: "a public application", symbol: "✗", check: "login_application", says: []string{"public application"}, args: over, arrange: outline(200, aPublicOne, wrongCode)},
		{name: "another client secret than Outline's", symbol: "✗", check: "login_application", says: []string{"with this client secret", "oauth rotate client-secret"}, args: over, arrange: outline(200, anApplication, wrongClient)},
		{name: "no OAuth in Outline", symbol: "✗", check: "login_application", says: []string{"is not Outline (status 400"}, args: over, arrange: outline(200, anApplication, "<!doctype html>")},
		{name: "a public URL that nothing listens on", symbol: "✗", check: "login_url", says: []string{"cannot be reached from here", "start the server"}, args: over, arrange: func(t *testing.T) []string {
			return withLogin(t, "http://"+freeAddress(t), 200, anApplication, wrongCode)
		}},
		{name: "a proxy without a server behind it", symbol: "✗", check: "login_url", says: []string{"answered by a proxy whose server does not answer (status 502", "start the server"}, args: over, arrange: at("/", says(http.StatusBadGateway, "bad gateway"))},
		{name: "a proxy that forwards only /mcp", symbol: "✗", check: "login_url", says: []string{"404", "forward /.well-known/oauth-*"}, args: over, arrange: at("/.well-known", http.NotFoundHandler())},
		{name: "a proxy that does not forward the pages of the login", symbol: "✗", check: "login_url", says: []string{"/oauth/authorize is not answered by this server", "404", "forward /oauth/"}, args: over, arrange: at("/oauth/", http.NotFoundHandler())},
		{name: "a public URL that redirects", symbol: "✗", check: "login_url", says: []string{"is redirected (status 308", "set MCP_PUBLIC_URL to the address that it redirects to"}, args: over, arrange: at("/", says(http.StatusPermanentRedirect, "", "Location", "https://www.example.com"))},
		{name: "a web page at the public URL", symbol: "✗", check: "login_url", says: []string{"is not answered by this server"}, args: over, arrange: at("/", says(http.StatusOK, "<!doctype html>", "Content-Type", html))},
		{name: "a public host that the server rejects", symbol: "✗", check: "login_url", says: []string{"rejects the host name (status 403", "the same MCP_PUBLIC_URL", "MCP_ALLOWED_HOSTS"}, args: over, arrange: at("/", says(http.StatusForbidden, "its operator can add it to MCP_ALLOWED_HOSTS"))},
		{name: "another server at the public URL", symbol: "✗", check: "login_url", says: []string{"is not answered by this server with these settings"}, args: over, arrange: at("/", oauth.New(oauth.Options{PublicURL: "https://other.example.com", Path: "/mcp", Secret: strong}))},
		{name: "metadata of another authorization server", symbol: "✗", check: "login_url", says: []string{"oauth-authorization-server is not answered by this server"}, args: over, arrange: at("/.well-known/oauth-authorization-server", says(http.StatusOK, `{"issuer":"https://sso.example.com"}`))},
		{name: "a proxy that drops WWW-Authenticate", symbol: "✗", check: "login_url", says: []string{"401", "WWW-Authenticate tells clients where to log in"}, args: over, arrange: at("/mcp", says(http.StatusUnauthorized, ""))},
		{name: "a server that needs no login", symbol: "!", check: "login_url", says: []string{"answers without a login", "MCP_ALLOW_ANONYMOUS"}, args: over, arrange: at("/mcp", says(http.StatusOK, "{}"))},
	}
}

func TestDoctorSaysThatTheLoginWorks(t *testing.T) {
	public := publicly(t, "/mcp", nil)
	environ := withLogin(t, public, 200, anApplication, wrongCode, "MCP_OAUTH_SECRET_PREVIOUS="+strings.Repeat("0123456789abcdef", 4))
	code, report := doctorSays(t, false, environ, "--transport", "http")
	for _, want := range []string{
		"✓ login_secret: MCP_OAUTH_SECRET is set, and must be the same for all servers behind the public URL\n",
		"✓ login_secret: MCP_OAUTH_SECRET_PREVIOUS is set; remove it 30 days after the rotation",
		"✓ login_application: 1k40ntqamqptjspcrski in Outline has the redirect URI " + public + "/oauth/callback and this client secret\n",
		"✓ login_url: " + public + " leads to this server, which sends clients to log in\n",
	} {
		if code != 0 || !strings.Contains(report, want) {
			t.Errorf("exit code %d; it does not say %q:\n%s", code, want, report)
		}
	}
	inTheDocumentation(t, environ, []string{"--transport", "http"})
}

func TestClaudeNeedsPort443(t *testing.T) {
	for public, want := range map[string]string{
		"https://mcp.invalid:8443": "! login: people add https://mcp.invalid:8443/mcp to their AI client and log in, but not to Claude, which connects to port 443 only",
		"https://mcp.invalid:443":  "✓ login: people add https://mcp.invalid/mcp to their AI client and log in\n",
	} {
		_, report := doctorSays(t, false, withLogin(t, public, 200, anApplication, wrongCode), "--transport", "http")
		if !strings.Contains(report, want) {
			t.Errorf("it does not say %q:\n%s", want, report)
		}
	}
}

func TestBrowsersHaveToReachOutline(t *testing.T) {
	for outline, want := range map[string]string{
		"https://app.getoutline.com": "does not say which workspace people log in to",
		"http://127.0.0.1:3010":      "people's browsers open http://127.0.0.1:3010, which they may not reach",
		"http://outline:3000":        "people's browsers open http://outline:3000, which they may not reach",
		"http://10.1.2.3":            "people's browsers open http://10.1.2.3, which they may not reach",
		"https://wiki.example.com":   "",
		"https://203.0.113.5":        "",
	} {
		u, err := url.Parse(outline)
		if err != nil {
			t.Fatal(err)
		}
		if finding, advice := doctor.WhyBrowsersMayFail(u); !strings.Contains(finding, want) || (finding == "") != (want == "") || (advice == "") != (want == "") {
			t.Errorf("%s: %q, %q, want %q", outline, finding, advice, want)
		}
	}
}

func TestStatusReportsOnTheLoginAlone(t *testing.T) {
	report := func(environ ...string) (string, bool) {
		found := doctor.Examine(t.Context(), doctor.Request{Environ: environ, Transport: "http", Login: true, Version: "devel"})
		var b strings.Builder
		if err := found.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		return b.String(), found.OK
	}
	text, ok := report(withLogin(t, publicly(t, "/mcp", nil), 200, anApplication, wrongCode)...)
	for _, line := range linesOf(t, text) {
		if !ok || !strings.HasPrefix(line.name, "login") && !strings.HasPrefix(line.name, "MCP_PUBLIC_URL") && !strings.HasPrefix(line.name, "MCP_OAUTH_") {
			t.Errorf("%s is about something else", line.name)
		}
	}
	for name, test := range map[string]struct {
		environ []string
		want    string
	}{
		"it is not set up":       {at(serveHandler(t, small(t))), "✗ login: it is not set up; run outline-mcp oauth setup"},
		"Outline is not reached": {append(withLogin(t, publicly(t, "/mcp", nil), 200, anApplication, wrongCode), "OUTLINE_API_URL=http://"+freeAddress(t)), "✗ connect: "},
	} {
		if text, ok := report(test.environ...); ok || !strings.Contains(text, test.want) {
			t.Errorf("%s: it does not say %q:\n%s", name, test.want, text)
		}
	}
}

func TestTheClientSecretGoesOnlyToOutline(t *testing.T) {
	public := publicly(t, "/mcp", func(_ string, ours http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" || r.Header.Get("X-Outline-API-Key") != "" || r.ContentLength > 100 {
				t.Errorf("%s has credentials", r.URL)
			}
			ours.ServeHTTP(w, r)
		})
	})
	_, report := doctorSays(t, false, withLogin(t, public, 404, noApplication, wrongCode), "--transport", "http")
	if strings.Contains(report, "ol_sk_fake") || strings.Contains(report, strong) {
		t.Errorf("a secret is shown:\n%s", report)
	}
}
