package oauth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
)

const (
	secret   = "a secret of at least thirty-two bytes"
	redirect = "https://claude.ai/api/mcp/auth_callback"
	verifier = "a-verifier-that-has-at-least-forty-three-characters"
)

// A wiki is an Outline, a public URL, and the servers behind it.
type wiki struct {
	t       *testing.T
	outline *fakeoutline.Workspace
	public  *httptest.Server
	// servers answer in turn, as behind a load balancer.
	servers []*oauth.Server

	mu     sync.Mutex
	now    time.Time
	turn   int
	fault  func(*http.Request) (*http.Response, error) // of Outline; nil for none
	asked  []string                                    // paths that Outline was asked for
	events []oauth.Event
	log    bytes.Buffer
}

// newWiki returns a wiki with as many servers as there are functions, each of which
// can change the options of its server.
func newWiki(t *testing.T, changes ...func(*oauth.Options)) *wiki {
	t.Helper()
	w := &wiki{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	w.public = httptest.NewTLSServer(w)
	t.Cleanup(w.public.Close)
	var err error
	w.outline, err = fakeoutline.New(fakeoutline.Options{Now: w.clock, OAuth: fakeoutline.Application{
		ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{w.public.URL + "/oauth/callback"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		changes = []func(*oauth.Options){func(*oauth.Options) {}}
	}
	for _, change := range changes {
		w.servers = append(w.servers, w.newServer(change))
	}
	return w
}

func (w *wiki) newServer(change func(*oauth.Options)) *oauth.Server {
	o := oauth.Options{
		PublicURL: w.public.URL, Path: "/mcp", Secret: secret, Now: w.clock,
		Outline: oauth.Outline{Origin: "https://wiki.example.com", ClientID: fakeoutline.ClientID, ClientSecret: fakeoutline.ClientSecret, Transport: w},
		Log:     slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(e oauth.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	change(&o)
	return oauth.New(o)
}

// Write takes the log.
func (w *wiki) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

func (w *wiki) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time pass.
func (w *wiki) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// breakOutline lets Outline answer differently; nil and nil mean as usual.
func (w *wiki) breakOutline(fault func(*http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = fault
}

// ServeHTTP is the public URL.
func (w *wiki) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	server := w.servers[w.turn%len(w.servers)]
	w.turn++
	w.mu.Unlock()
	server.ServeHTTP(rw, r)
}

// RoundTrip is the way to Outline.
func (w *wiki) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	fault := w.fault
	w.asked = append(w.asked, r.URL.Path)
	w.mu.Unlock()
	if fault != nil {
		if answer, err := fault(r); answer != nil || err != nil {
			return answer, err
		}
	}
	return w.outline.Transport().RoundTrip(r)
}

// askedFor returns how often Outline was asked for a path.
func (w *wiki) askedFor(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(strings.Join(w.asked, "\n")+"\n", path+"\n")
}

// last returns the last event.
func (w *wiki) last() oauth.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.events) == 0 {
		return oauth.Event{}
	}
	return w.events[len(w.events)-1]
}

// answer returns an answer of Outline, or of what is in front of it.
func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"17"}}, Body: io.NopCloser(strings.NewReader(body))}
}

// works reports whether Outline accepts the token in an access token.
func (w *wiki) works(access string) bool {
	w.t.Helper()
	grant, err := w.servers[0].Open(access)
	if err != nil {
		return false
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, "https://wiki.example.com/api/auth.info", strings.NewReader("{}"))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+string(grant.Token))
	response, err := w.outline.Transport().RoundTrip(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// A reply is a response, read.
type reply struct {
	*http.Response
	body string
}

// value returns a member of a JSON body, as text.
func (r reply) value(name string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(r.body), &members) // without it there are none
	value, _ := members[name].(string)
	return value
}

// location returns where a response leads.
func (r reply) location(t *testing.T) *url.URL {
	t.Helper()
	to, err := r.Location()
	if err != nil {
		t.Fatalf("status %d does not lead anywhere: %s", r.StatusCode, r.body)
	}
	return to
}

// A browser has cookies, and does not follow redirections by itself.
type browser struct {
	*wiki
	client *http.Client
}

func (w *wiki) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := *w.public.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{w, &client}
}

func (b *browser) do(method, address string, header http.Header, body string) reply {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.public.URL + address
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header = header
	response, err := b.client.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply{response, string(content)}
}

func (b *browser) get(address string) reply {
	b.t.Helper()
	return b.do(http.MethodGet, address, http.Header{}, "")
}

// post sends a form as a page of the server does.
func (b *browser) post(address string, form url.Values) reply {
	b.t.Helper()
	return b.do(http.MethodPost, address, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {b.public.URL}}, form.Encode())
}

// register returns the ID of a new client.
func (b *browser) register(name string, redirects ...string) string {
	b.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": redirects})
	if err != nil {
		b.t.Fatal(err)
	}
	registered := b.do(http.MethodPost, "/oauth/register", http.Header{"Content-Type": {"application/json"}}, string(body))
	if registered.StatusCode != http.StatusCreated {
		b.t.Fatalf("registration: %d %s", registered.StatusCode, registered.body)
	}
	return registered.value("client_id")
}

// asks returns the parameters of an authorization request. Further ones come in pairs; ""
// removes one.
func asks(clientID string, pairs ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	return with(url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirect}, "scope": {"read write"}, "state": {"the state"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}, pairs...)
}

func with(values url.Values, pairs ...string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			values.Del(pairs[i])
		}
	}
	return values
}

var requestField = regexp.MustCompile(`name="request" value="([^"]*)"`)

// consent opens the consent page and returns the sealed request in its form.
func (b *browser) consent(asked url.Values) string {
	b.t.Helper()
	page := b.get("/oauth/authorize?" + asked.Encode())
	field := requestField.FindStringSubmatch(page.body)
	if page.StatusCode != http.StatusOK || field == nil {
		b.t.Fatalf("consent page: %d %s", page.StatusCode, page.body)
	}
	return html.UnescapeString(field[1])
}

// allow lets the user allow it, and returns the address of Outline's page.
func (b *browser) allow(asked url.Values, pairs ...string) *url.URL {
	b.t.Helper()
	return b.post("/oauth/authorize", with(url.Values{"request": {b.consent(asked)}, "decision": {"allow"}}, pairs...)).location(b.t)
}

// agree is the user's click on Authorize in Outline, and returns the address of the
// callback that Outline leads to.
func (b *browser) agree(page *url.URL, key string) string {
	b.t.Helper()
	session, err := b.outline.Session(key)
	if err != nil {
		b.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, page.Scheme+"://"+page.Host+page.Path, strings.NewReader(page.RawQuery))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer "+session)
	response, err := b.outline.Transport().RoundTrip(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	return reply{response, string(content)}.location(b.t).String()
}

// member is a person of the demo.
const member = "ol_api_demo_member"

// code logs a person in and returns the code that the client gets.
func (b *browser) code(asked url.Values) string {
	b.t.Helper()
	return b.get(b.agree(b.allow(asked), member)).location(b.t).Query().Get("code")
}

// madeUp returns the code that a client gets for one that Outline has never issued.
func (b *browser) madeUp(asked url.Values) string {
	b.t.Helper()
	answer := url.Values{"state": {b.allow(asked).Query().Get("state")}, "code": {"ol_ac_" + strings.Repeat("0", 64)}}
	return b.get("/oauth/callback?" + answer.Encode()).location(b.t).Query().Get("code")
}

// redeems returns the form that exchanges a code.
func redeems(clientID, code string, pairs ...string) url.Values {
	return with(url.Values{"grant_type": {"authorization_code"}, "client_id": {clientID}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {verifier}}, pairs...)
}

// refreshes returns the form that renews tokens.
func refreshes(clientID, token string, pairs ...string) url.Values {
	return with(url.Values{"grant_type": {"refresh_token"}, "client_id": {clientID}, "refresh_token": {token}}, pairs...)
}

// send sends a form as a client does.
func (b *browser) send(path string, form url.Values) reply {
	b.t.Helper()
	return b.do(http.MethodPost, path, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, form.Encode())
}

// logIn returns the client's ID and its tokens.
func (b *browser) logIn(pairs ...string) (clientID string, tokens reply) {
	b.t.Helper()
	clientID = b.register("Claude", redirect)
	tokens = b.send("/oauth/token", redeems(clientID, b.code(asks(clientID, pairs...))))
	if tokens.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %d %s", tokens.StatusCode, tokens.body)
	}
	return clientID, tokens
}
