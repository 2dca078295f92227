package app_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// loginSettings turn the login on in front of a workspace.
func loginSettings(public string) []string {
	return []string{
		"MCP_PUBLIC_URL=" + public, "MCP_OAUTH_CLIENT_ID=" + fakeoutline.ClientID, "MCP_OAUTH_CLIENT_SECRET=" + fakeoutline.ClientSecret,
		"MCP_OAUTH_SECRET=0123456789abcdef0123456789abcdef", "OUTLINE_API_URL=" + fakeoutline.BaseURL,
	}
}

// A place is a server with which people can log in to a workspace.
type place struct {
	*team
	public  string
	outline *fakeoutline.Workspace // nil if it is embedded in the server

	once sync.Once
	id   string // of the client, which all people use
}

// serveLogin starts a server with a login in front of a workspace, or in front of what
// makes of it.
func serveLogin(t testing.TB, o app.Options, inFrontOf func(http.RoundTripper) http.RoundTripper, settings ...string) *place {
	t.Helper()
	return serveLoginTo(t, "", o, inFrontOf, settings...)
}

// serveLoginTo is serveLogin for a release of Outline.
func serveLoginTo(t testing.TB, release fakeoutline.Release, o app.Options, inFrontOf func(http.RoundTripper) http.RoundTripper, settings ...string) *place {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &place{public: "http://" + listener.Addr().String()}
	if o.Demo {
		settings = append(settings, "MCP_PUBLIC_URL="+p.public)
	} else {
		p.outline, err = fakeoutline.New(fakeoutline.Options{Release: release, Answers: true, OAuth: fakeoutline.Application{
			ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{p.public + "/oauth/callback"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		o.Transport = p.outline.Transport()
		if inFrontOf != nil {
			o.Transport = inFrontOf(o.Transport)
		}
		settings = append(loginSettings(p.public), settings...)
	}
	p.team = serveTeamOn(t, listener, o, settings...)
	return p
}

// A visitor is a browser, and the client that opens it.
type visitor struct {
	testing.TB
	*place
	http *http.Client
}

const (
	verifier   = "a-verifier-of-the-length-that-PKCE-asks-for-forty-three-or-more"
	clientHome = "http://127.0.0.1:33418/callback"
)

func (p *place) visit(t testing.TB) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{TB: t, place: p, http: &http.Client{Transport: p.client.Transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// A page is what a browser or a client gets.
type page struct {
	*http.Response
	body string
}

func (v *visitor) get(address string) page { return v.do(http.MethodGet, address, "", "") }

func (v *visitor) post(address string, form url.Values) page {
	return v.do(http.MethodPost, address, "application/x-www-form-urlencoded", form.Encode())
}

func (v *visitor) do(method, address, contentType, body string) page {
	v.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, address, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("Origin", v.public)
	}
	response, err := v.http.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	return page{response, string(content)}
}

// leads returns where a page redirects to.
func (v *visitor) leads(p page) *url.URL {
	v.Helper()
	to, err := p.Location()
	if err != nil {
		v.Fatalf("status %d leads nowhere: %s", p.StatusCode, p.body)
	}
	return to
}

// field returns the value of a form's field or button, by a pattern for what precedes it.
func (v *visitor) field(p page, before string) string {
	v.Helper()
	found := regexp.MustCompile(before + `[^>]*value="([^"]*)"`).FindStringSubmatch(p.body)
	if found == nil {
		v.Fatalf("status %d: there is no field %s in %s", p.StatusCode, before, p.body)
	}
	return html.UnescapeString(found[1])
}

// register makes a client known to the server.
func (v *visitor) register() {
	v.Helper()
	registered := v.do(http.MethodPost, v.public+"/oauth/register", "application/json", `{"client_name":"Test","redirect_uris":["`+clientHome+`"]}`)
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(registered.body), &client); err != nil || registered.StatusCode != http.StatusCreated {
		v.Fatalf("registration: %d %s", registered.StatusCode, registered.body)
	}
	v.id = client.ID
}

// ask lets the user allow the client. It returns the address of Outline's page.
func (v *visitor) ask(scope string) *url.URL {
	v.Helper()
	v.once.Do(v.register)
	sum := sha256.Sum256([]byte(verifier))
	asked := url.Values{
		"response_type": {"code"}, "client_id": {v.id}, "redirect_uri": {clientHome}, "scope": {scope}, "state": {"the state"}, "resource": {v.url},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	consent := v.get(v.public + "/oauth/authorize?" + asked.Encode())
	return v.leads(v.post(v.public+"/oauth/authorize", url.Values{"request": {v.field(consent, `name="request"`)}, "decision": {"allow"}}))
}

// agree is the user's click on Authorize in Outline. It returns the address to which
// Outline leads back.
func (v *visitor) agree(at *url.URL, key string) string {
	v.Helper()
	session, err := v.outline.Session(key)
	if err != nil {
		v.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, at.Scheme+"://"+at.Host+at.Path, strings.NewReader(at.RawQuery))
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer "+session)
	response, err := v.outline.Transport().RoundTrip(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	return v.leads(page{Response: response}).String()
}

// Tokens are what a client gets.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Error   string `json:"error"`
}

func (v *visitor) redeem(callback string) tokens {
	v.Helper()
	back := v.leads(v.get(callback))
	return v.token(url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {clientHome}, "code_verifier": {verifier}})
}

func (v *visitor) refresh(old tokens) tokens {
	v.Helper()
	return v.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}})
}

func (v *visitor) token(form url.Values) tokens {
	v.Helper()
	form.Set("client_id", v.id)
	answered := v.post(v.public+"/oauth/token", form)
	var got tokens
	if err := json.Unmarshal([]byte(answered.body), &got); err != nil {
		v.Fatalf("status %d: %s", answered.StatusCode, answered.body)
	}
	return got
}

// logIn logs the owner of a key in.
func (p *place) logIn(t testing.TB, key, scope string) (*visitor, tokens) {
	t.Helper()
	v := p.visit(t)
	got := v.redeem(v.agree(v.ask(scope), key))
	if got.Access == "" {
		t.Fatalf("no token: %s", got.Error)
	}
	return v, got
}

// call calls a tool with a login and returns the answer with its header.
func (v *visitor) call(access, method, params string, headers ...string) (reply, http.Header) {
	v.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, v.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if access != "" {
		request.Header.Set("Authorization", "Bearer "+access)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := v.http.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	r := reply{status: response.StatusCode, body: string(body)}
	_ = json.Unmarshal(body, &r) // what is not an answer of the protocol is seen by its status
	return r, response.Header
}

// tool returns the parameters of a call.
func tool(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

func TestAPersonLogsInToTheDemoAndUsesTools(t *testing.T) {
	p := serveLogin(t, app.Options{Demo: true}, nil)
	v := p.visit(t)

	refused, header := v.call("", "tools/list", "{}")
	metadata := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(header.Get("WWW-Authenticate"))
	if refused.status != http.StatusUnauthorized || metadata == nil || strings.Contains(header.Get("WWW-Authenticate"), "error=") {
		t.Fatalf("without a login: %d, %s", refused.status, header.Get("WWW-Authenticate"))
	}
	if described := v.get(metadata[1]); !strings.Contains(described.body, `"resource":"`+v.url+`"`) {
		t.Errorf("%s: %s", metadata[1], described.body)
	}

	at := v.ask("read write")
	if !strings.HasPrefix(at.String(), p.public+"/demo/outline/oauth/authorize?") {
		t.Fatalf("Outline's page is %s", at)
	}
	people := v.get(at.String())
	form := at.Query()
	form.Set("person", v.field(people, `name="person"`))
	form.Set("decision", "authorize")
	got := v.redeem(v.leads(v.post(p.public+"/demo/outline/oauth/authorize", form)).String())
	if got.Access == "" || got.Scope != "read write" {
		t.Fatalf("%+v: %s", got, p.log)
	}

	if r, _ := v.call(got.Access, "tools/call", tool("create_document", `{"title":"Mine","text":"x","publish":false}`)); r.status != http.StatusOK || r.Result.IsError {
		t.Errorf("a call: %d %s", r.status, r.body)
	}
	renewed := v.refresh(got)
	if r, header := v.call(got.Access, "tools/call", listCollections); r.status != http.StatusUnauthorized || !strings.Contains(header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("the token before the refresh: %d %s %s", r.status, header.Get("WWW-Authenticate"), r.body)
	}
	if r, _ := v.call(renewed.Access, "tools/call", listCollections); r.status != http.StatusOK || r.Result.IsError {
		t.Errorf("the token after the refresh: %d %s", r.status, r.body)
	}
	if revoked := v.post(p.public+"/oauth/revoke", url.Values{"token": {renewed.Refresh}, "client_id": {v.id}}); revoked.StatusCode != http.StatusOK {
		t.Errorf("revoke: %d %s", revoked.StatusCode, revoked.body)
	}
	if r, _ := v.call(renewed.Access, "tools/call", listCollections); r.status != http.StatusUnauthorized {
		t.Errorf("a revoked token: %d %s", r.status, r.body)
	}
	if again := v.refresh(renewed); again.Error != "invalid_grant" {
		t.Errorf("a refresh after the revocation: %+v", again)
	}
	if log := p.log.String(); strings.Contains(log, "omcp_at_") || strings.Contains(log, "ol_at_") || strings.Contains(log, got.Access[20:40]) {
		t.Errorf("the log holds a token: %s", log)
	}
}

func TestPeopleLogInWhereTheirBrowsersReachOutline(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil, "MCP_OAUTH_OUTLINE_URL=https://wiki.example.com/")
	v := p.visit(t)
	at := v.ask("read")
	if at.Scheme+"://"+at.Host+at.Path != "https://wiki.example.com/oauth/authorize" {
		t.Errorf("the browser is led to %s", at)
	}
	if got := v.redeem(v.agree(at, fakeoutline.MemberKey)); got.Access == "" {
		t.Errorf("the code is not exchanged at OUTLINE_API_URL: %s", got.Error)
	}
}
