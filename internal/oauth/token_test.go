package oauth_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
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
	w := newWiki(t)
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
	w := newWiki(t, same, same)
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
	w := newWiki(t)
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
	w := newWiki(t)
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
	w := newWiki(t)
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
func TestCodesThatOutlineRefusesLeaveRoomForLoginsAndRenewals(t *testing.T) {
	address := "an office"
	w := newWiki(t, func(o *oauth.Options) { o.Address = func(*http.Request) string { return address } })
	b := w.browser()
	for range 40 { // codes that are accepted do not count
		b.logIn()
	}
	clientID, tokens := b.logIn()
	before := w.askedFor("/oauth/token")
	// floods returns the last answer to many tries with a code that Outline refuses.
	floods := func(from string) (last reply) {
		address = from
		clientID := b.register("App "+from, redirect)
		code := b.madeUp(asks(clientID))
		for range 20 {
			last = b.send("/oauth/token", redeems(clientID, code))
		}
		return last
	}
	last := floods("a network")
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || last.value("error") != "temporarily_unavailable" || w.last().Reason != oauth.OutlineBusy {
		t.Errorf("%d %s %v", last.StatusCode, last.body, last.Header)
	}
	if asked := w.askedFor("/oauth/token") - before; asked != 10 {
		t.Errorf("for one network, Outline was asked %d times", asked)
	}
	floods("a second")
	floods("a third")
	address = "a new colleague's home"
	b.logIn()
	for i := range 100 {
		floods(fmt.Sprintf("network %d", i))
	}
	if asked := w.askedFor("/oauth/token") - before; asked > 70 {
		t.Errorf("Outline was asked %d times", asked)
	}
	for _, address = range []string{"an office", "a new colleague's home"} {
		b.logIn()
	}
	if got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))); got.StatusCode != http.StatusOK {
		t.Errorf("a renewal: %d %s", got.StatusCode, got.body)
	}
	w.pass(time.Hour)
	address = "another home"
	b.logIn()
}

func TestCodesDuringAnOutageMakeNoNetworkKnown(t *testing.T) {
	address := "a network"
	w := newWiki(t, func(o *oauth.Options) { o.Address = func(*http.Request) string { return address } })
	b := w.browser()
	clientID := b.register("App", redirect)
	code := b.madeUp(asks(clientID))
	w.breakOutline(func(*http.Request) (*http.Response, error) { return answer(http.StatusBadGateway, ""), nil })
	b.send("/oauth/token", redeems(clientID, code))
	w.breakOutline(nil)
	before := w.askedFor("/oauth/token")
	for i := range 100 { // the budget of first tries is used up
		address = fmt.Sprintf("network %d", i)
		another := b.register("App", redirect)
		b.send("/oauth/token", redeems(another, b.madeUp(asks(another))))
	}
	asked := w.askedFor("/oauth/token")
	b.send("/oauth/token", redeems(clientID, code))
	if asked == before || w.askedFor("/oauth/token") != asked {
		t.Errorf("Outline was asked %d times, and once more", asked-before)
	}
}

func TestParallelRefreshesCauseOneRequest(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	before := w.askedFor("/oauth/token")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
			if got.StatusCode != http.StatusOK || !w.works(got.value("access_token")) {
				t.Errorf("%d %s", got.StatusCode, got.body)
			}
		})
	}
	wait.Wait()
	if asked := w.askedFor("/oauth/token") - before; asked != 1 {
		t.Errorf("Outline was asked %d times", asked)
	}
}

func TestALostAnswerOfARefreshCanBeHadAgainForTenSeconds(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	old := tokens.value("refresh_token")
	first := b.send("/oauth/token", refreshes(clientID, old))
	w.pass(9 * time.Second)
	again := b.send("/oauth/token", refreshes(clientID, old))
	if again.StatusCode != http.StatusOK || !w.works(again.value("access_token")) {
		t.Fatalf("after nine seconds: %d %s", again.StatusCode, again.body)
	}
	if next := b.send("/oauth/token", refreshes(clientID, first.value("refresh_token"))); next.StatusCode != http.StatusOK {
		t.Fatalf("the first answer is void: %d %s", next.StatusCode, next.body)
	}
	// Outline takes it for theft now, and ends the grant.
	w.pass(time.Minute)
	if late := b.send("/oauth/token", refreshes(clientID, old)); late.value("error") != "invalid_grant" || w.last().Reason != oauth.Used {
		t.Errorf("after a minute: %d %s", late.StatusCode, late.body)
	}
}

func TestARefreshAtEachOfTwoServersWorksOnce(t *testing.T) {
	same := func(*oauth.Options) {}
	w := newWiki(t, same, same)
	b := w.browser()
	clientID, tokens := b.logIn()
	first, second := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))), b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
	if first.StatusCode != http.StatusOK || second.value("error") != "invalid_grant" {
		t.Errorf("%d, then %d %s", first.StatusCode, second.StatusCode, second.body)
	}
	if !w.works(first.value("access_token")) {
		t.Error("the second one, within ten seconds, has harmed the first")
	}
}

func TestAFailedRefreshIsNotKept(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	w.breakOutline(func(*http.Request) (*http.Response, error) { return answer(http.StatusBadGateway, ""), nil })
	if got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	w.breakOutline(nil)
	if got := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token"))); got.StatusCode != http.StatusOK {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

// A rotation of the secret, server by server, while people are logged in.
func TestARotationOfTheSecretLogsNobodyOut(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	const newest = "another secret of at least thirty-two bytes"
	consent, code := b.consent(asks(clientID)), b.code(asks(clientID))
	w.servers = append(w.servers[:0], w.newServer(func(o *oauth.Options) { o.Secret, o.Previous = newest, secret }))
	if !w.works(tokens.value("access_token")) {
		t.Error("the access token")
	}
	if got := b.post("/oauth/authorize", map[string][]string{"request": {consent}, "decision": {"allow"}}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the consent page: %d", got.StatusCode)
	}
	if got := b.send("/oauth/token", redeems(clientID, code)); got.StatusCode != http.StatusOK {
		t.Errorf("the code: %d %s", got.StatusCode, got.body)
	}
	renewed := b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
	if renewed.StatusCode != http.StatusOK {
		t.Fatalf("the refresh token: %d %s", renewed.StatusCode, renewed.body)
	}
	w.servers = append(w.servers[:0], w.newServer(func(o *oauth.Options) { o.Secret = newest }))
	if !w.works(renewed.value("access_token")) {
		t.Error("new tokens are sealed with the old secret")
	}
	again := b.send("/oauth/token", refreshes(clientID, renewed.value("refresh_token")))
	if again.StatusCode != http.StatusOK || !w.works(again.value("access_token")) {
		t.Fatalf("a client that registered before the rotation: %d %s", again.StatusCode, again.body)
	}
	// When the login has ended, such a client has to register anew, and is told so.
	if got := b.send("/oauth/revoke", map[string][]string{"token": {again.value("refresh_token")}}); got.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if got := b.send("/oauth/token", refreshes(clientID, again.value("refresh_token"))); got.StatusCode != http.StatusUnauthorized || got.value("error") != "invalid_client" {
		t.Errorf("after the login has ended: %d %s", got.StatusCode, got.body)
	}
}

func TestALoginOutlastsTheRegistrationOfItsClient(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	clientID, tokens := b.logIn()
	for range 13 { // each time within the 30 days of a login that is not used
		w.pass(29 * 24 * time.Hour)
		tokens = b.send("/oauth/token", refreshes(clientID, tokens.value("refresh_token")))
		if tokens.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", tokens.StatusCode, tokens.body)
		}
	}
	if page := b.get("/oauth/authorize?" + asks(clientID).Encode()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("the client can begin another login: %d", page.StatusCode)
	}
	b.refusal("a login that has expired", "/oauth/token", refreshes(clientID, "omcp_rt_"), 401, "invalid_client", oauth.BadClient)
}

var asJSON = http.Header{"Content-Type": {"application/json"}}

func TestARegistrationIsHeldByTheClientIDAlone(t *testing.T) {
	same := func(*oauth.Options) {}
	w := newWiki(t, same, same, same)
	b := w.browser()
	got := b.do(http.MethodPost, "/oauth/register", asJSON, `{"client_name": "VS Code", "redirect_uris": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
		"grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"], "token_endpoint_auth_method": "none", "client_secret": "x"}`)
	var answer struct {
		ClientID     string   `json:"client_id"`
		Issued       int64    `json:"client_id_issued_at"`
		RedirectURIs []string `json:"redirect_uris"`
		GrantTypes   []string `json:"grant_types"`
		Method       string   `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if answer.Issued != w.clock().Unix() || len(answer.RedirectURIs) != 2 || len(answer.GrantTypes) != 2 || answer.Method != "none" || strings.Contains(got.body, "secret") {
		t.Errorf("%s", got.body)
	}
	// The second and the third server know the client, and any loopback port.
	for _, uri := range []string{"https://vscode.dev/redirect", "http://127.0.0.1:50123/"} {
		b.consent(asks(answer.ClientID, "redirect_uri", uri))
	}
	w.pass(365 * 24 * time.Hour)
	if page := b.get("/oauth/authorize?" + asks(answer.ClientID, "redirect_uri", "https://vscode.dev/redirect").Encode()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("after a year: %d", page.StatusCode)
	}
}

func TestARegistrationThatCannotBeIsRefused(t *testing.T) {
	w := newWiki(t)
	b := w.browser()
	var many []string
	for i := range 10 {
		many = append(many, `"https://app.example/`+strconv.Itoa(i)+strings.Repeat("x", 220)+`"`)
	}
	for body, code := range map[string]string{
		`{}`:                                  "invalid_redirect_uri",
		`[]`:                                  "invalid_client_metadata",
		`{"redirect_uris": ["javascript:x"]}`: "invalid_redirect_uri",
		`{"redirect_uris": ["http://a.example"]}`:                    "invalid_redirect_uri",
		`{"redirect_uris": ["` + w.public.URL + `/oauth/callback"]}`: "invalid_redirect_uri",
		`{"redirect_uris": [` + strings.Join(many, ",") + `]}`:       "invalid_client_metadata",
	} {
		got := b.do(http.MethodPost, "/oauth/register", asJSON, body)
		if got.StatusCode != http.StatusBadRequest || got.value("error") != code || w.last().Reason != oauth.BadClient {
			t.Errorf("%.80s: %d %s %v", body, got.StatusCode, got.body, w.last())
		}
	}
}

func TestAFloodOfRegistrationsIsStopped(t *testing.T) {
	const body = `{"redirect_uris": ["https://app.example/callback"]}`
	address := ""
	w := newWiki(t, func(o *oauth.Options) { o.Address = func(*http.Request) string { return address } })
	b := w.browser()
	registered := func() (done int, last reply) {
		for range 100 {
			if last = b.do(http.MethodPost, "/oauth/register", asJSON, body); last.StatusCode == http.StatusCreated {
				done++
			}
		}
		return done, last
	}
	done, last := registered()
	if done != 60 || last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || w.last().Reason != oauth.Limited {
		t.Errorf("one address: %d, then %d %v", done, last.StatusCode, last.Header)
	}
	for i := range 9 {
		address = fmt.Sprintf("address %d", i)
		if done, _ = registered(); done != 60 {
			t.Errorf("%s: %d", address, done)
		}
	}
	address = "another address"
	if done, _ = registered(); done != 0 {
		t.Errorf("in all, %d more than 600", done)
	}
	w.pass(time.Minute)
	if done, _ = registered(); done != 60 {
		t.Errorf("a minute later: %d", done)
	}
}

func TestClientsThatDoNotRegister(t *testing.T) {
	const claude = "https://claude.ai/oauth/mcp-oauth-client-metadata"
	w := newWiki(t, func(o *oauth.Options) {
		o.Redirects = []string{"https://app.example/callback"}
		o.Documents = oauth.NewDocuments(oauth.DocumentsOptions{})
	})
	b := w.browser()
	if page := b.get("/oauth/authorize?" + asks(oauth.ConfiguredClient, "redirect_uri", "https://app.example/callback").Encode()); page.StatusCode != http.StatusOK || !strings.Contains(page.body, "administrator") {
		t.Errorf("the configured one: %d %s", page.StatusCode, page.body)
	}
	if page := b.get("/oauth/authorize?" + asks(claude).Encode()); page.StatusCode != http.StatusOK || !strings.Contains(page.body, "claude.ai") {
		t.Errorf("one with a metadata document: %d %s", page.StatusCode, page.body)
	}
	got := b.send("/oauth/token", redeems(claude, b.code(asks(claude))))
	if got.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if renewed := b.send("/oauth/token", refreshes(claude, got.value("refresh_token"))); renewed.StatusCode != http.StatusOK {
		t.Errorf("%d %s", renewed.StatusCode, renewed.body)
	}
	// Well-known apps are told of their mistakes at once.
	if back := b.get("/oauth/authorize?" + asks(claude, "code_challenge", "").Encode()).location(t); back.Query().Get("error") != "invalid_request" {
		t.Errorf("%s", back)
	}
	if page := b.get("/oauth/authorize?" + asks("https://app.example/client.json").Encode()); page.StatusCode < 400 || w.last().Reason != oauth.BadClient {
		t.Errorf("one whose document is not fetched: %d %v", page.StatusCode, w.last())
	}
}
