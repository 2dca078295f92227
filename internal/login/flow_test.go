package login_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/login"
)

func TestAPersonLogsInAndOut(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	account := w.logIn(t, home)
	if account.User != "Isla Renwick" || account.Workspace == "" || account.Keyring || account.Scope != "read write" {
		t.Errorf("%+v", account)
	}
	path, text := entryIn(t, home)
	for what, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(what); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", what, info.Mode(), err)
		}
	}
	if !strings.Contains(text, "ol_at_") || !strings.HasPrefix(filepath.Base(path), "127.0.0.1-") {
		t.Errorf("%s contains\n%s", path, text)
	}
	source := w.source(t, home)
	if checked, err := source.Check(t.Context()); err != nil || checked.User != account.User {
		t.Errorf("%+v, %v", checked, err)
	}
	token, err := source.Credential(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, told, err := source.Logout(t.Context()); !told || err != nil {
		t.Errorf("told %t, %v", told, err)
	}
	if left := filesIn(t, filepath.Join(home, ".config")); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/auth.info", strings.NewReader("{}"))
	request.Header.Set("Authorization", "Bearer "+token)
	answer := httptest.NewRecorder()
	if w.ServeHTTP(answer, request); answer.Code != http.StatusUnauthorized {
		t.Errorf("after the logout, the token still gets %d", answer.Code)
	}
	if w.count("DELETE /oauth/register/") != 1 {
		t.Error("the registration is left behind")
	}
	if _, err := source.Credential(t.Context()); !isFor(err, login.NotLoggedIn, "outline-mcp login "+w.address) {
		t.Error(err)
	}
}

func isFor(err error, reason login.Reason, says string) bool {
	failed, ok := errors.AsType[*login.Error](err)
	return ok && failed.Reason == reason && strings.Contains(failed.Text, says) && !strings.Contains(failed.Text, "ol_")
}

// TestALoginThatFailsSaysWhatToDoAndLeavesNothing runs without others, because the keyring
// of the library is the same for all.
func TestALoginThatFailsSaysWhatToDoAndLeavesNothing(t *testing.T) {
	newest, closed := fakeoutline.Options{}, fakeoutline.Options{NoRegistration: true}
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	nobody := func(context.Context, string) error { return nil }
	for name, test := range map[string]struct {
		options fakeoutline.Options
		change  func(t *testing.T, w *wiki, f *login.Flow)
		reason  login.Reason
		says    string
	}{
		"the browser never comes back": {newest, func(_ *testing.T, _ *wiki, f *login.Flow) {
			f.Visit, f.Timeout = nobody, 30*time.Millisecond
		}, login.Failed, "did not come back within 30ms, and nothing was stored. Run the command again"},
		"the user does not agree": {newest, func(t *testing.T, w *wiki, f *login.Flow) {
			f.Visit = func(ctx context.Context, page string) error {
				go browse(ctx, w.back(t, page, "decision", "cancel"))
				return nil
			}
		}, login.Failed, "cancelled in the browser; nothing was stored"},
		"the state is that of another login": {newest, func(t *testing.T, w *wiki, f *login.Flow) {
			f.Timeout = 500 * time.Millisecond
			f.Visit = func(ctx context.Context, page string) error {
				if status, text := browse(ctx, w.back(t, page, "state", "another")); status != http.StatusBadRequest || !strings.Contains(text, "Run outline-mcp login again") {
					t.Errorf("%d: %s", status, text)
				}
				return nil
			}
		}, login.Failed, "did not come back"},
		"the code is for another client": {newest, func(t *testing.T, w *wiki, f *login.Flow) {
			f.Visit = func(ctx context.Context, page string) error {
				u, err := url.Parse(page)
				if err != nil {
					return err
				}
				other := register(t, w, u.Query().Get("redirect_uri"))
				go browse(ctx, w.back(t, page, "client_id", other))
				return nil
			}
		}, login.Failed, "does not accept the code with which the browser came back: it is for another program"},
		"the token allows nothing": {newest, func(_ *testing.T, _ *wiki, f *login.Flow) { f.Scope = "" }, login.Failed, "agree to what the page asks"},
		"other programs have all ports": {newest, func(t *testing.T, _ *wiki, f *login.Flow) {
			for _, port := range f.Ports {
				taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { taken.Close() })
			}
		}, login.Failed, "End another outline-mcp login that is waiting"},
		"the keyring refuses": {newest, func(t *testing.T, _ *wiki, f *login.Flow) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
			keyring.MockInitWithError(errors.New("the collection is locked"))
			f.NoKeyring = false
		}, login.Storage, "the collection is locked. Unlock it and run the command again, or run outline-mcp login with --no-keyring"},
		"programs cannot register": {closed, func(*testing.T, *wiki, *login.Flow) {}, login.Failed, "Use an API key: outline-mcp install CLIENT asks for one"},
		"there is no Outline": {newest, func(_ *testing.T, _ *wiki, f *login.Flow) { f.Outline.BaseURL = page.URL + "/api" }, login.Failed,
			"there is no login for programs at " + page.URL},
		"Outline does not answer": {newest, func(_ *testing.T, _ *wiki, f *login.Flow) { f.Outline.BaseURL = "http://127.0.0.1:1/api" }, login.Unavailable, "it does not answer. Try again later"},
	} {
		t.Run(name, func(t *testing.T) {
			w, home := newWiki(t, test.options), t.TempDir()
			flow := w.flow(t, home)
			test.change(t, w, &flow)
			if _, err := flow.Run(t.Context()); !isFor(err, test.reason, test.says) {
				t.Errorf("%v", err)
			}
			if left := filesIn(t, home); len(left) > 0 {
				t.Errorf("left: %s", left)
			}
			if made, deleted := w.count("POST /oauth/register"), w.count("DELETE /oauth/register/"); name != "the code is for another client" && made != deleted {
				t.Errorf("%d registrations, of which %d were deleted", made, deleted)
			}
		})
	}
}

// register registers another client with a redirect URI, and returns its ID.
func register(t *testing.T, w *wiki, redirect string) string {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/register", strings.NewReader(`{"redirect_uris":["`+redirect+`"]}`))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, request)
	_, id, _ := strings.Cut(answer.Body.String(), `"client_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func TestAHomeThatCannotBeWrittenIsNamedBeforeAnythingIsAsked(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(home, nil, 0o600); err != nil { // root can write in any folder, but not below a file
		t.Fatal(err)
	}
	if _, err := w.flow(t, home).Run(t.Context()); !isFor(err, login.Storage, "make the folder writable for yourself") {
		t.Error(err)
	}
	if n := w.count(""); n > 0 {
		t.Errorf("%d requests", n)
	}
	if _, err := login.Open("linux", func(string) string { return "" }); !isFor(err, login.Storage, "HOME is not set") {
		t.Error(err)
	}
}

func TestAnInterruptEndsTheLoginAtOnce(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	flow := w.flow(t, home)
	flow.Visit = func(context.Context, string) error { interrupt(); return nil }
	if _, err := flow.Run(ctx); !isFor(err, login.Failed, "interrupted; nobody has been logged in") {
		t.Error(err)
	}
	if w.count("DELETE /oauth/register/") != 1 {
		t.Error("the registration is left behind")
	}
}

// TestRequestsOfOthersDoNotEndALogin sends what pages of the web and other programs could
// send to the loopback port, and then what Outline sends.
func TestRequestsOfOthersDoNotEndALogin(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	flow, shown := w.flow(t, home), make(chan struct{})
	flow.Visit = func(ctx context.Context, page string) error {
		back := w.back(t, page)
		right, err := url.Parse(back)
		if err != nil {
			return err
		}
		const mark = "<b>mark</b>"
		for name, change := range map[string]func(r *http.Request){
			"a name that leads here": func(r *http.Request) { r.Host = "attacker.example:" + right.Port() },
			"localhost":              func(r *http.Request) { r.Host = "localhost:" + right.Port() },
			"another path":           func(r *http.Request) { r.URL.Path = "/" + mark },
			"another method":         func(r *http.Request) { r.Method = http.MethodPost },
			"another state":          func(r *http.Request) { r.URL.RawQuery = "code=x&state=" + url.QueryEscape(mark) },
			"no state":               func(r *http.Request) { r.URL.RawQuery = "code=x" },
			"two states":             func(r *http.Request) { r.URL.RawQuery += "&state=y" },
			"two codes":              func(r *http.Request) { r.URL.RawQuery += "&code=y" },
			"an error with a state":  func(r *http.Request) { r.URL.RawQuery = "error=access_denied&state=" + url.QueryEscape(mark) },
			"the answer of another":  func(r *http.Request) { r.URL.RawQuery += "&iss=" + url.QueryEscape("https://attacker.example") },
			"two issuers":            func(r *http.Request) { r.URL.RawQuery += "&iss=" + url.QueryEscape(w.address) + "&iss=x" },
			"an error in a frame": func(r *http.Request) {
				r.URL.RawQuery = "error=access_denied"
				r.Header = http.Header{"Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}, "Sec-Fetch-Site": {"cross-site"}}
			},
			"what is not even a query": func(r *http.Request) { r.URL.RawQuery = "%zz=" + url.QueryEscape(mark) },
		} {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, back, nil)
			if err != nil {
				return err
			}
			change(request)
			if status, text := fetch(request); status/100 != 4 || strings.Contains(text, "mark") {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		go func() {
			defer close(shown)
			status, text := browse(t.Context(), back+"&iss="+url.QueryEscape(w.address))
			if status != http.StatusOK || !strings.Contains(text, "You are logged in") || strings.Contains(text, right.Query().Get("code")) {
				t.Errorf("%d %s", status, text)
			}
		}()
		return nil
	}
	if _, err := flow.Run(t.Context()); err != nil {
		t.Error(err)
	}
	<-shown
}

func TestTwoLoginsAtOnceBothSucceedAndTheLaterCounts(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	first := w.flow(t, home)
	agree := first.Visit
	first.Visit = func(ctx context.Context, page string) error {
		second := first
		second.Visit = agree
		if _, err := second.Run(ctx); err != nil { // on the second port
			t.Error(err)
		}
		return agree(ctx, page)
	}
	if _, err := first.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, err := w.call(t.Context(), w.source(t, home)); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}
	if revoked := w.count("POST /oauth/revoke"); revoked != 1 {
		t.Errorf("%d logins were revoked", revoked)
	}
}

func TestAPathInFrontOfOutlineIsKept(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	proxy := httptest.NewServer(http.StripPrefix("/team/wiki", w))
	defer proxy.Close()
	flow := w.flow(t, home)
	flow.Outline.BaseURL = proxy.URL + "/team/wiki/api"
	flow.Visit = func(ctx context.Context, page string) error {
		at, found := strings.CutPrefix(page, proxy.URL+"/team/wiki")
		if !found {
			t.Errorf("the page is %s", page)
		}
		go browse(ctx, w.back(t, w.address+at))
		return nil
	}
	if account, err := flow.Run(t.Context()); err != nil || account.Outline != flow.Outline.BaseURL {
		t.Errorf("%+v, %v", account, err)
	}
}

// inFrontOf returns the address of a server in front of an Outline whose metadata names the
// Outline itself in some fields.
func inFrontOf(t *testing.T, w *wiki, fields ...string) string {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
			w.ServeHTTP(out, r)
			return
		}
		own := httptest.NewRecorder()
		w.ServeHTTP(own, r)
		var metadata map[string]any
		if err := json.Unmarshal(own.Body.Bytes(), &metadata); err != nil {
			t.Error(err)
		}
		for _, field := range fields {
			metadata[field] = strings.Replace(metadata[field].(string), "http://"+r.Host, w.address, 1)
		}
		_ = json.NewEncoder(out).Encode(metadata)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

func TestALoginEndsWhereItBeganUnlessTheUserAgrees(t *testing.T) {
	all := []string{"issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint"}
	for name, fields := range map[string][]string{"all": all, all[0]: all[:1], all[1]: all[1:2], all[2]: all[2:3], all[3]: all[3:]} {
		t.Run(name, func(t *testing.T) {
			w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
			flow := w.flow(t, home)
			given := inFrontOf(t, w, fields...)
			flow.Outline.BaseURL = given + "/api"
			visited := 0
			flow.Visit = func(ctx context.Context, page string) error {
				visited++
				if where, _, _ := strings.Cut(page, "/oauth/authorize?"); where != map[bool]string{true: w.address, false: given}[slices.Contains(fields, all[1])] {
					t.Errorf("the page is %s", page)
				}
				go browse(ctx, w.back(t, page))
				return nil
			}
			both := func(text string) bool {
				return strings.Contains(text, "Outline at "+given+" sends logins to "+strconv.Quote(w.address))
			}
			if _, err := flow.Run(t.Context()); !isFor(err, login.Failed, "run outline-mcp login "+given+" in a terminal") || !both(err.Error()) {
				t.Errorf("without a terminal: %v", err)
			}
			for _, agrees := range []bool{false, true} {
				asked := 0
				flow.Agree = func(_ context.Context, question string) (bool, error) {
					if asked++; !both(question) {
						t.Errorf("asked %q", question)
					}
					return agrees, nil
				}
				_, err := flow.Run(t.Context())
				if asked != 1 || (err == nil) != agrees || err != nil && !both(err.Error()) {
					t.Errorf("agrees: %v, asked %d times: %v", agrees, asked, err)
				}
				if !agrees && (visited != 0 || w.count("POST /oauth/register") != 0 || len(filesIn(t, home)) != 0) {
					t.Errorf("%d pages are shown, %v", visited, filesIn(t, home))
				}
			}
		})
	}
}

// told answers each request with a text.
type told string

func (t told) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(t))), Request: r}, nil
}

func TestAnAddressInAnotherFormIsTheSame(t *testing.T) {
	for given, named := range map[string]string{
		"https://wiki.example.com:443": "https://wiki.example.com", "https://wiki.example.com": "https://WIKI.example.com:443",
		"http://wiki.example.com:80/team": "http://wiki.example.com",
	} {
		flow := newWiki(t, fakeoutline.Options{}).flow(t, t.TempDir())
		flow.Outline = login.Outline{BaseURL: given + "/api", Transport: told(`{"issuer":"` + named + `","authorization_endpoint":"` + named + `/oauth/authorize"}`)}
		if _, err := flow.Run(t.Context()); !isFor(err, login.Failed, "does not let programs register themselves") {
			t.Errorf("%s and %s: %v", given, named, err)
		}
	}
}

func TestLoggingInAgainUsesTheSameRegistration(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	flow := w.flow(t, home)
	for range 3 {
		if _, err := flow.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if made, revoked := w.count("POST /oauth/register"), w.count("POST /oauth/revoke"); made != 1 || revoked != 2 {
		t.Errorf("%d registrations, %d logins revoked", made, revoked)
	}
}

func TestAnAdminsApplicationTakesThePlaceOfARegistration(t *testing.T) {
	ports := freePorts(t, 1)
	redirect := "http://127.0.0.1:" + strconv.Itoa(ports[0]) + "/callback"
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/oauthClients.create",
		strings.NewReader(`{"name":"desktop","clientType":"public","redirectUris":["`+redirect+`"]}`))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+isla)
	made := httptest.NewRecorder()
	w.ServeHTTP(made, request)
	_, id, _ := strings.Cut(made.Body.String(), `"clientId":"`)
	id, _, _ = strings.Cut(id, `"`)
	flow := w.flow(t, home)
	flow.ClientID, flow.Ports = id, ports
	if _, err := flow.Run(t.Context()); err != nil || w.count("POST /oauth/register") != 0 {
		t.Errorf("%v\n%s", err, made.Body)
	}
	if _, _, err := w.source(t, home).Logout(t.Context()); err != nil || w.count("DELETE") != 0 {
		t.Error(err)
	}
}

func TestTheDocumentationListsTheRedirectURIs(t *testing.T) {
	page, err := os.ReadFile("../../docs/login.md")
	if err != nil || !strings.Contains(string(page), "```\n"+strings.Join(login.Redirects(), "\n")+"\n```") {
		t.Errorf("docs/login.md does not list %s, %v", login.Redirects(), err)
	}
}

func TestAnOfferedLoginThatCannotBeginIsNoPage(t *testing.T) {
	w := newWiki(t, fakeoutline.Options{})
	offer := login.Offer{Flow: w.flow(t, t.TempDir()), Log: slog.New(slog.DiscardHandler)}
	offer.Flow.Outline.BaseURL = w.address + "/elsewhere"
	if page := offer.Page(t.Context(), &login.Error{Reason: login.NotLoggedIn}); page != "" {
		t.Error(page)
	}
}

func TestALoginIsOfferedAgainWhenACancelledOneHasCleanedUp(t *testing.T) {
	w := newWiki(t, fakeoutline.Options{})
	offer := login.Offer{Flow: w.flow(t, t.TempDir()), Log: slog.New(slog.DiscardHandler)}
	none := &login.Error{Reason: login.NotLoggedIn}
	first := offer.Page(t.Context(), none)
	if again := offer.Page(t.Context(), none); again != first {
		t.Errorf("%s and %s", first, again)
	}
	offer.Cancel()
	second := offer.Page(t.Context(), none)
	if second == "" || second == first || w.count("DELETE /oauth/register/") != 1 {
		t.Errorf("%q after %q", second, first)
	}
	offer.Cancel()
	offer.Wait(t.Context())
}

func TestTheOnlyLoginNamesTheOutlineOfAServerForOnePersonAlone(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	address := login.Address(w.logIn(t, home).Outline)
	lookup := func(environ []string, name string) (value string) {
		for _, one := range environ {
			if is, found := strings.CutPrefix(one, name+"="); found {
				value = is
			}
		}
		return value
	}
	for _, test := range []struct{ set, want string }{
		{"", address}, {"MCP_TRANSPORT=stdio", address}, {"MCP_TRANSPORT= STDIO", address},
		{"MCP_TRANSPORT=http", ""}, {"MCP_TRANSPORT=HTTP", ""}, {"MCP_TRANSPORT=streamable-http", ""},
		{"OUTLINE_API_KEY=ol_api_x", ""}, {"OUTLINE_API_KEY_FILE=x", ""}, {"OUTLINE_API_URL=https://a.example", "https://a.example"},
	} {
		if got := lookup(login.WithAddress("linux", []string{"HOME=" + home, test.set}, lookup), "OUTLINE_API_URL"); got != test.want {
			t.Errorf("%s: %q, want %q", test.set, got, test.want)
		}
	}
}
