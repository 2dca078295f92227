package oauth_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

func TestParallelRefreshesCauseOneRequest(t *testing.T) {
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t, same, same)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
	w := newWorld(t)
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
