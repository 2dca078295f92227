package login_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/login"
)

// expire lets the access token in a home end, as far as this computer knows.
func expire(t *testing.T, home string) {
	t.Helper()
	path, text := entryIn(t, home)
	var entry map[string]any
	if err := json.Unmarshal([]byte(text), &entry); err != nil {
		t.Fatal(err)
	}
	entry["generation"] = "another"
	entry["tokens"].(map[string]any)["expires"] = time.Now().Add(-time.Minute)
	content, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// refreshToken returns the refresh token in a home.
func refreshToken(t *testing.T, home string) (clientID, token string) {
	t.Helper()
	_, text := entryIn(t, home)
	var entry struct {
		Tokens struct {
			Refresh string
			Client  struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(text), &entry); err != nil {
		t.Fatal(err)
	}
	return entry.Tokens.Client.ID, entry.Tokens.Refresh
}

// send posts a form to the wiki, as another program.
func (w *wiki) send(t *testing.T, path, form string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.address+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, _ := fetch(request)
	return status
}

// TestSourcesThatShareALoginRenewItInTurn lets many sources call all the time with tokens
// that live for two seconds. Each has its own store, so they are as separate as processes.
func TestSourcesThatShareALoginRenewItInTurn(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{Now: time.Now, TokenLifetime: 2 * time.Second}), t.TempDir()
	w.logIn(t, home)
	const sources, lasting = 8, 5 * time.Second
	end := time.Now().Add(lasting)
	var all sync.WaitGroup
	for range sources {
		all.Go(func() {
			source := w.source(t, home)
			for time.Now().Before(end) {
				if status, err := w.call(t.Context(), source); status != http.StatusOK || err != nil {
					t.Errorf("status %d, %v", status, err)
					return
				}
			}
		})
	}
	all.Wait()
	exchanges := w.count("POST /oauth/token")
	if most := int(lasting/time.Second) + 2; exchanges < 3 || exchanges > most {
		t.Errorf("%d requests for tokens, at most %d expected", exchanges, most)
	}
}

func TestCallsOfOneProcessWaitForOneRenewal(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	w.logIn(t, home)
	expire(t, home)
	source := w.source(t, home)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if status, err := w.call(t.Context(), source); status != http.StatusOK || err != nil {
				t.Errorf("status %d, %v", status, err)
			}
		})
	}
	all.Wait()
	if n := w.count("POST /oauth/token"); n != 2 { // with that of the login
		t.Errorf("%d requests for tokens", n)
	}
}

func TestALoginThatHasEndedIsToldAndLoggingInAgainHelps(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, w *wiki, home string){
		"revoked in Outline": func(t *testing.T, w *wiki, home string) {
			_, token := refreshToken(t, home)
			w.send(t, "/oauth/revoke", "token="+token)
		},
		// Outline has given new tokens to a process that ended before it stored them.
		"a renewal that was lost": func(t *testing.T, w *wiki, home string) {
			client, token := refreshToken(t, home)
			if status := w.send(t, "/oauth/token", "grant_type=refresh_token&client_id="+client+"&refresh_token="+token); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		},
		"a damaged file": func(t *testing.T, _ *wiki, home string) {
			path, text := entryIn(t, home)
			if err := os.WriteFile(path, []byte(text[:len(text)/2]), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
			w.logIn(t, home)
			running, neighbour := w.source(t, home), w.source(t, home)
			if status, err := w.call(t.Context(), running); status != http.StatusOK || err != nil {
				t.Fatal(status, err)
			}
			end(t, w, home)
			if _, err := w.call(t.Context(), running); !isFor(err, login.Ended, "Run outline-mcp login "+w.address) {
				t.Error(err)
			}
			asked := w.count("POST /oauth/token")
			for _, source := range []*login.Source{running, neighbour} {
				if _, err := source.Credential(t.Context()); !isFor(err, login.Ended, "Run outline-mcp login") {
					t.Error(err)
				}
			}
			if w.count("POST /oauth/token") != asked {
				t.Error("Outline is asked again for a login that has ended")
			}
			w.logIn(t, home)
			for _, source := range []*login.Source{running, neighbour} {
				if status, err := w.call(t.Context(), source); status != http.StatusOK || err != nil {
					t.Error(status, err)
				}
			}
		})
	}
}

func TestALoginIsUsedWhileOutlineCannotRenewIt(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{Now: time.Now, TokenLifetime: 4 * time.Second}), t.TempDir()
	w.logIn(t, home)
	away := w.outline()
	away.BaseURL = w.address + "/api"
	away.Transport = refuse{}
	source := login.NewSource(away, storeIn(t, home), slog.New(slog.DiscardHandler))
	first, err := source.Credential(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path, text := entryIn(t, home)
	soon := strings.NewReplacer(`"expires": "`, `"expires": "`+time.Now().Add(500*time.Millisecond).Format(time.RFC3339Nano)+`", "was": "`, `"generation": "`, `"generation": "x`).Replace(text)
	if err := os.WriteFile(path, []byte(soon), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := source.Credential(t.Context()); token != first || err != nil {
		t.Errorf("%v", err)
	}
	expire(t, home)
	if _, err := source.Credential(t.Context()); !isFor(err, login.Unavailable, "it does not answer. Try again later") {
		t.Error(err)
	}
	if status, err := w.call(t.Context(), w.source(t, home)); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}
}

// refuse is a network without Outline.
type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}

func TestEachOutlineHasItsOwnLogin(t *testing.T) {
	one, two, home := newWiki(t, fakeoutline.Options{}), newWiki(t, fakeoutline.Options{}), t.TempDir()
	one.logIn(t, home)
	if _, err := two.source(t, home).Credential(t.Context()); !isFor(err, login.NotLoggedIn, two.address) {
		t.Error(err)
	}
	two.logIn(t, home)
	if accounts, err := storeIn(t, home).Accounts(); len(accounts) != 2 || err != nil {
		t.Errorf("%v, %v", accounts, err)
	}
	if _, _, err := one.source(t, home).Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if status, err := two.call(t.Context(), two.source(t, home)); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}
}

// TestTokensRestInTheKeyring runs without others, because the keyring of the library is the
// same for all.
func TestTokensRestInTheKeyring(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	keyring.MockInit()
	w, home := newWiki(t, fakeoutline.Options{Now: time.Now, TokenLifetime: time.Second}), t.TempDir()
	flow := w.flow(t, home)
	flow.NoKeyring = false
	account, err := flow.Run(t.Context())
	if err != nil || !account.Keyring {
		t.Fatalf("%+v, %v", account, err)
	}
	if _, text := entryIn(t, home); strings.Contains(text, "ol_") {
		t.Errorf("the file contains\n%s", text)
	}
	if held, err := keyring.Get("outline-mcp", w.address+"/api"); err != nil || !strings.Contains(held, "ol_rt_") {
		t.Error(err)
	}
	source := w.source(t, home)
	first, err := source.Credential(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Renew(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if status, err := w.call(t.Context(), w.source(t, home)); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}

	keyring.MockInitWithError(errors.New("the collection is locked"))
	asked := w.count("POST /oauth/token")
	second, _ := source.Credential(t.Context())
	if err := source.Renew(t.Context(), second); !isFor(err, login.Storage, "the collection is locked") || w.count("POST /oauth/token") != asked {
		t.Errorf("%v; %d requests for tokens that cannot be stored", err, w.count("POST /oauth/token")-asked)
	}

	keyring.MockInit() // the user has emptied it
	if _, err := w.source(t, home).Credential(t.Context()); !isFor(err, login.Ended, "Run outline-mcp login") {
		t.Error(err)
	}
}

func TestARenewalWhoseConnectionBreaksIsMadeAgain(t *testing.T) {
	w, home := newWiki(t, fakeoutline.Options{}), t.TempDir()
	w.logIn(t, home)
	expire(t, home)
	breaking := w.outline()
	breaking.Transport = &breakOnce{}
	source := login.NewSource(breaking, storeIn(t, home), slog.New(slog.DiscardHandler))
	if status, err := w.call(t.Context(), source); status != http.StatusOK || err != nil {
		t.Error(status, err)
	}
}

// breakOnce is a network whose first connection is closed by the other side.
type breakOnce struct{ broken bool }

func (b *breakOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	if !b.broken {
		b.broken = true
		return nil, io.EOF
	}
	return http.DefaultTransport.RoundTrip(r)
}
