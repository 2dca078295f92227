package doctor_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/doctor"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/oauth"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
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
		{name: "a secret that can be guessed", symbol: "!", check: "login_secret", says: []string{"not random", "openssl rand"}, args: over, arrange: works("MCP_OAUTH_SECRET=passwordpasswordpasswordpassword")},
		{name: "an application that does not exist", symbol: "✗", check: "login_application", says: []string{"no application 1k40ntqamqptjspcrski", "MCP_OAUTH_CLIENT_ID"}, args: over, arrange: outline(404, noApplication, wrongClient)},
		{name: "an application without the redirect URI", symbol: "✗", check: "login_application", says: []string{"does not have the redirect URI", "/oauth/callback"}, args: over, arrange: outline(400, noSuchRedirect, wrongCode)},
		{name: "a public application", symbol: "✗", check: "login_application", says: []string{"public application"}, args: over, arrange: outline(200, aPublicOne, wrongCode)},
		{name: "another client secret than Outline's", symbol: "✗", check: "login_application", says: []string{"with this client secret", "a new client secret in Outline"}, args: over, arrange: outline(200, anApplication, wrongClient)},
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
		"✓ login_secret: MCP_OAUTH_SECRET_PREVIOUS is set; remove it after 30 days",
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
		"https://mcp.invalid:8443": "! login: users add https://mcp.invalid:8443/mcp to their AI client and log in, but not to Claude, which connects to port 443 only",
		"https://mcp.invalid:443":  "✓ login: users add https://mcp.invalid/mcp to their AI client and log in\n",
	} {
		_, report := doctorSays(t, false, withLogin(t, public, 200, anApplication, wrongCode), "--transport", "http")
		if !strings.Contains(report, want) {
			t.Errorf("it does not say %q:\n%s", want, report)
		}
	}
}

func TestBrowsersHaveToReachOutline(t *testing.T) {
	for outline, want := range map[string]string{
		"https://app.getoutline.com": "does not say which workspace users log in to",
		"http://127.0.0.1:3010":      "users' browsers open http://127.0.0.1:3010, which they may not be able to reach",
		"http://outline:3000":        "users' browsers open http://outline:3000, which they may not be able to reach",
		"http://10.1.2.3":            "users' browsers open http://10.1.2.3, which they may not be able to reach",
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

// keyTroubles are those of the key, and of what this Outline allows.
func keyTroubles() []trouble {
	with := func(options fakeoutline.Options, key string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, sample(t, options)), "OUTLINE_API_KEY=" + key}
		}
	}
	wrapped := func(wrap func(http.Handler) http.Handler, settings ...string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(serveHandler(t, wrap(sample(t, fakeoutline.Options{Answers: true}))), settings...)
		}
	}
	limit := says(http.StatusTooManyRequests, `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`, "Content-Type", asJS, "Retry-After", "60")
	return []trouble{
		{name: "a key that may call no tool", symbol: "✗", check: "tools", says: []string{fmt.Sprintf("0 of %d", offeredByDefault()), "more rights"}, arrange: keyed("ol_api_fake_no_tools")},
		{name: "no key", symbol: "✗", check: "key", says: []string{"no key is set", "OUTLINE_API_KEY"}, arrange: func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, small(t))}
		}},
		{name: "a key that Outline does not know", symbol: "✗", check: "key", says: []string{"****tten", "unknown", "Invalid API key", "another Outline"}, arrange: keyed("ol_api_fake_mistyped_or_forgotten")},
		{name: "a key that has expired", symbol: "✗", check: "key", says: []string{"****past has expired", "create a new one"}, arrange: keyed("ol_api_fake_ended_past")},
		{name: "something that is not a key", symbol: "✗", check: "key", says: []string{"form of an Outline key", "ol_api_"}, arrange: keyed("sk-something-else")},
		{name: "a key of a suspended user", symbol: "✗", check: "key", says: []string{"suspended", "admin of the workspace"}, arrange: keyed("ol_api_fake_suspended")},
		{name: "a proxy that takes the key as its own", symbol: "✗", check: "key", says: []string{"cannot be checked", "403", "Authorization"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return withKey(h, says(http.StatusForbidden, "<h1>no</h1>", "Content-Type", html))
		})},
		{name: "Outline that fails once it sees a key", symbol: "✗", check: "key", says: []string{"cannot be checked", "500", "Outline's log"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return withKey(h, says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))
		})},
		{name: "a key that expires soon", symbol: "!", check: "expiry", says: []string{"in 5 days", "create a new one"}, arrange: keyed("ol_api_fake_ends_soon")},
		{name: "a viewer's key", symbol: "-", check: "tools", says: []string{"a viewer may not use: unarchive_document, restore_document", "a user with more rights", "OUTLINE_DYNAMIC_TOOL_LIST"}, arrange: with(fakeoutline.Options{Answers: true}, fakeoutline.ViewerKey)},
		{name: "a guest's key", symbol: "-", check: "tools", says: []string{"a guest may not use: unarchive_document", "create_collection"}, arrange: keyed("ol_api_fake_of_guest")},
		{name: "a guest's key where guests may not comment", symbol: "!", check: "tools", says: []string{"the settings of this workspace do not let a guest use: add_comment", "Settings → Security"}, arrange: keyed("ol_api_fake_of_guest")},
		{name: "a workspace where nobody may comment", symbol: "!", check: "tools", says: []string{"the settings of this workspace do not let anyone use: add_comment", "Settings → Security"}, arrange: func(t *testing.T) []string {
			return []string{"OUTLINE_API_URL=" + serveHandler(t, team(t, fakeoutline.NobodyComments)), "OUTLINE_API_KEY=ol_api_fake_of_admin"}
		}},
		{name: "a read-only key", symbol: "!", check: "tools", says: []string{"the scopes of the key do not allow: create_document"}, arrange: keyed("ol_api_fake_reads_only")},
		{name: "a key with few scopes, which it may not list", symbol: "!", check: "tools", says: []string{"the scopes of the key do not allow: update_document, edit_document, batch_update_documents, ask_ai_about_documents", "more scopes"}, arrange: with(fakeoutline.Options{Answers: true}, fakeoutline.ScopedKey)},
		{name: "scopes that Outline does not list", symbol: "!", check: "tools", says: []string{"may work with this key, but its scopes are not known", "a call can still be refused"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return instead(h, "apiKeys.list", says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))
		})},
		{name: "a key that may not ask whose it is", symbol: "!", check: "tools", says: []string{"may work with this key, but the role of its owner is not known", "scopes auth.info and apiKeys.list"}, arrange: wrapped(func(h http.Handler) http.Handler {
			beyond := says(http.StatusForbidden, `{"ok":false,"error":"authorization_error","status":403,"message":"API key does not have access to this resource"}`, "Content-Type", asJS)
			return instead(h, "auth.info", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { withKey(h, beyond).ServeHTTP(w, r) }))
		})},
		{name: "an exhausted rate limit", symbol: "!", check: "rate_limit", says: []string{"429", "auth.info", "Retry-After: 60", "wait"}, arrange: served(limit)},
		{name: "Outline that cannot patch documents", symbol: "!", check: "edit_modes", says: []string{"too old", "supported are 1.8, 1.9 and the main branch", "update Outline"}, arrange: with(fakeoutline.Options{Answers: true, NoPatches: true}, fakeoutline.MemberKey)},
		{name: "an Outline that is not supported", symbol: "!", check: "version", says: []string{"Outline 1.7.2", "supported are 1.8, 1.9 and the main branch", "update Outline"}, arrange: wrapped(func(h http.Handler) http.Handler {
			return instead(h, "installation.info", says(http.StatusOK, `{"data":{"version":"1.7.2","latestVersion":"1.9.2","versionsBehind":0},"ok":true}`, "Content-Type", asJS))
		})},
		{name: "Outline that overwrites newer changes", symbol: "!", check: "revisions", says: []string{"does not guard", "guarded false", "nothing to update"}, arrange: with(fakeoutline.Options{Answers: true, NoRevisionCheck: true}, fakeoutline.MemberKey)},
		{name: "Outline without AI answers", symbol: "-", check: "tools", says: []string{"no AI answers: ask_ai_about_documents", "set OUTLINE_DISABLE_AI_TOOLS"}, arrange: with(fakeoutline.Options{}, fakeoutline.MemberKey)},
	}
}

// silent takes a request and does not answer it.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body) // to be told when the client leaves
	<-r.Context().Done()
}

func TestDoctorNamesTheDynamicListOnlyWhereItHelps(t *testing.T) {
	url := "OUTLINE_API_URL=" + serveHandler(t, sample(t, fakeoutline.Options{Answers: true}))
	others := "OUTLINE_API_URL=" + serveHandler(t, small(t))
	for _, test := range []struct {
		name    string
		environ []string
		want    bool
	}{
		{"a role that Outline tells", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ViewerKey}, true},
		{"scopes that Outline tells", []string{others, "OUTLINE_API_KEY=ol_api_fake_reads_only"}, true},
		{"scopes that Outline does not tell", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ScopedKey}, false},
		{"a list that is so already", []string{url, "OUTLINE_API_KEY=" + fakeoutline.ViewerKey, "OUTLINE_DYNAMIC_TOOL_LIST=true"}, false},
	} {
		_, report := doctorSays(t, false, test.environ)
		if got := strings.Contains(report, "set OUTLINE_DYNAMIC_TOOL_LIST=true"); got != test.want || !strings.Contains(report, "to use them") {
			t.Errorf("%s: %t, want %t:\n%s", test.name, got, test.want, report)
		}
	}
}

func TestDoctorNamesNoCommentsWhereTheTeamAllowsThem(t *testing.T) {
	for _, test := range []struct {
		setting fakeoutline.Commenting
		key     string
		named   bool
	}{
		{fakeoutline.MembersComment, "ol_api_fake_of_admin", false},
		{fakeoutline.MembersComment, "ol_api_fake_of_guest", true},
		{fakeoutline.EveryoneComments, "ol_api_fake_of_guest", false},
		{fakeoutline.NobodyComments, "ol_api_fake_of_guest", true},
	} {
		environ := []string{"OUTLINE_API_URL=" + serveHandler(t, team(t, test.setting)), "OUTLINE_API_KEY=" + test.key}
		if _, report := doctorSays(t, false, environ); strings.Contains(report, "use: add_comment;") != test.named {
			t.Errorf("with the setting %q and %s add_comment is named: %t, want %t:\n%s", test.setting, test.key, !test.named, test.named, report)
		}
	}
}

func TestDoctorDoesNotGuessWhichOfTwoKeysThatEndAlikeItHas(t *testing.T) {
	list := says(http.StatusOK, `{"ok":true,"status":200,"data":[{"last4":"dmin","scope":["documents:read"]},{"last4":"dmin","scope":["collections:read"]},{"last4":"else","scope":null}]}`, "Content-Type", asJS)
	code, report := doctorSays(t, false, at(serveHandler(t, instead(sample(t, fakeoutline.Options{Answers: true}), "apiKeys.list", list)), "OUTLINE_TOOLS=read_document,list_collections,create_document"))
	if code != 0 || !contains(report, []string{"- scopes, expiry: skipped because 2 keys in Outline's list end in the same characters\n", "! tools: all 3 may work with this key, but its scopes are not known, so a call can still be refused\n"}) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}

// offeredByDefault returns the number of tools that are offered if no setting
// chooses among them.
func offeredByDefault() int {
	return len(slices.DeleteFunc(tools.All(), func(tool mcptool.Tool) bool { return tool.Info().Optional }))
}

func TestDoctorDoesNotWaitForOneFeatureAfterTheOther(t *testing.T) {
	outline := sample(t, fakeoutline.Options{Answers: true})
	for _, endpoint := range []string{"installation.info", "documents.update", "documents.answerQuestion"} {
		outline = instead(outline, endpoint, http.HandlerFunc(silent))
	}
	start := time.Now()
	_, report := doctorSays(t, false, at(serveHandler(t, outline), "OUTLINE_REQUEST_TIMEOUT=1s"))
	if took := time.Since(start); fixtures.Thorough() && took > 3*time.Second || !strings.Contains(report, "- version, edit_modes, revisions, ai_answers: skipped because no answer came within 1s\n") {
		t.Errorf("it took %s:\n%s", took, report)
	}
}

func TestDoctorGivesEachRequestOfASlowOutlineItsTime(t *testing.T) {
	quick := sample(t, fakeoutline.Options{Answers: true})
	slow := sample(t, fakeoutline.Options{Answers: true, Latency: 5100 * time.Millisecond / 2}) // two of these, one after the other
	var first sync.Once
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := quick
		if strings.HasSuffix(r.URL.Path, "/auth.info") && r.Header.Get("Authorization") != "" {
			first.Do(func() { answers = slow })
		}
		answers.ServeHTTP(w, r)
	})
	code, report := doctorSays(t, false, []string{fakeKey, "OUTLINE_API_URL=" + serveHandler(t, instead(handler, "apiKeys.list", slow))})
	if code != 0 || !contains(report, []string{"✓ scopes: unrestricted", fmt.Sprintf("✓ tools: all %d", offeredByDefault()), "\nNo failures, no warnings.\n"}) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
