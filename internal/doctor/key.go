package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/login"
	"outline-mcp/outline"
)

// An owner is what Outline says about a key and its owner.
type owner struct {
	id          string
	role        string   // "" if unknown
	scopes      []string // nil if unrestricted or unknown
	scopesKnown bool     // the scopes are known
	readOnly    bool     // it is a login for reading only
	commenting  string   // the team's setting for who may comment; "" if it is not set
}

// permissions returns what the role, the scopes and the team's settings allow.
func (o owner) permissions() auth.Permissions {
	return auth.Permissions{Role: o.role, Scopes: o.scopes, Commenting: o.commenting}
}

// checkKey reports the owner, the scopes and the expiry of the key.
func checkKey(ctx context.Context, e *examination) {
	e.noKey = "until there is a key that Outline accepts"
	switch {
	case e.Entry != nil && e.Entry.AsksForKey:
		e.noKey = e.Entry.Client.Title + " asks for the key and stores it"
		e.skip(e.noKey, "key", "scopes", "expiry")
		return
	case e.Settings.Unusable("OUTLINE_API_KEY", "OUTLINE_API_KEY_FILE"):
		e.skip("until the settings contain a valid key", "key", "scopes", "expiry")
		return
	case e.key == "" && e.settings.Transport == config.HTTP:
		e.noKey = "each request over HTTP brings its own key"
		e.addUnusable(OK, "none is set: each request over HTTP must bring its own", "")
		return
	case e.key == "" && !e.Demo && checkPerson(ctx, e):
		return
	case e.key == "":
		e.addUnusable(Failure, "no key is set", "create one"+e.underKeys())
		return
	}
	got := e.ask(ctx, "auth.info", "{}")
	if got.status == http.StatusTooManyRequests {
		e.noKey = "until Outline accepts requests again (429)"
		e.add(Warning, "rate_limit", fmt.Sprintf("it is reached (429 to auth.info, Retry-After: %s)", cmp.Or(short(got.header.Get("Retry-After")), "none")),
			"wait and try again; other programs may use the same key or address. The operator of Outline can raise the limit (RATE_LIMITER_MULTIPLIER)")
		e.skip(e.noKey, "key", "scopes", "expiry")
		return
	}
	var info struct {
		User struct {
			ID   string      `json:"id"`
			Name foreignText `json:"name"`
			Role foreignText `json:"role"`
		} `json:"user"`
		Team struct {
			Name        foreignText `json:"name"`
			Preferences struct {
				Commenting outline.Commenting `json:"commenting"`
			} `json:"preferences"`
		} `json:"team"`
	}
	switch {
	case got.read(&info) && info.User.ID != "":
		e.valid = true
		e.owner = owner{id: info.User.ID, role: string(info.User.Role), commenting: string(info.Team.Preferences.Commenting)}
		e.add(OK, "key", fmt.Sprintf("%s is valid and belongs to %s (%s), workspace %s", e.key, cmp.Or(info.User.Name, "a user without a name"), cmp.Or(info.User.Role, "unknown role"), cmp.Or(info.Team.Name, "without a name")), "",
			map[string]any{"last4": e.last4(), "user": info.User.Name, "role": info.User.Role, "workspace": info.Team.Name})
	case got.beyondScopes():
		e.valid = true
		e.add(OK, "key", fmt.Sprintf("%s is valid, but its scopes do not allow asking whose it is", e.key), "", map[string]any{"last4": e.last4()})
	default:
		finding, advice := e.whyNoKey(got)
		e.addUnusable(Failure, finding, advice, map[string]any{"last4": e.last4()})
		return
	}
	e.checkLimits(ctx)
}

// addUnusable reports that no request can be made with a key.
func (e *examination) addUnusable(status Status, finding, advice string, details ...map[string]any) {
	e.add(status, "key", finding, advice, details...)
	e.skip(e.noKey, "scopes", "expiry")
}

// underKeys says where keys are created and where to set one.
func (e *examination) underKeys() string {
	if e.Entry != nil {
		return " in Outline under " + outline.KeysPage + " and run " + e.Entry.Repair + ", which asks for it"
	}
	return " in Outline under " + outline.KeysPage + " and set OUTLINE_API_KEY"
}

// last4 returns the last four characters of the key, or "" if it is short.
func (e *examination) last4() string { return strings.TrimPrefix(e.key.String(), "****") }

// whyNoKey returns why a key is rejected.
func (e *examination) whyNoKey(got answer) (finding, advice string) {
	anew := "create a new one" + e.underKeys()
	message := strings.ToLower(string(got.outline.Message))
	switch {
	case got.fromOutline() && got.outline.Error == "user_suspended":
		return fmt.Sprintf("the owner of %s is suspended", e.key), "have an admin of the workspace activate the account, or use the key of another user"
	case got.fromOutline() && got.status == http.StatusUnauthorized && strings.Contains(message, "expired"):
		return fmt.Sprintf("%s has expired", e.key), anew
	case got.fromOutline() && got.status == http.StatusUnauthorized && strings.Contains(message, "decode"):
		return fmt.Sprintf("%s is not in the form of an Outline key", e.key), "copy the whole key again; it begins with ol_api_ and has 38 more characters"
	case got.fromOutline() && got.status == http.StatusUnauthorized:
		advice := "it was mistyped or deleted, or belongs to another Outline: " + anew
		if base, err := url.Parse(e.base); err == nil && base.Hostname() == "app.getoutline.com" {
			advice += "; if your Outline is self-hosted, set OUTLINE_API_URL"
		}
		return fmt.Sprintf("%s is unknown to the Outline at %s (401%s)", e.key, e.base, asQuote(string(got.outline.Message))), advice
	case got.err == nil && !got.fromOutline():
		return fmt.Sprintf("%s cannot be checked: %s once it sees a key", e.key, got.whyNot(e.timeout)), "configure the proxy in front of Outline to pass the Authorization header on unchanged"
	}
	return fmt.Sprintf("%s cannot be checked: %s", e.key, got.whyNot(e.timeout)), "try again; if it fails again, check Outline's log"
}

// checkLimits reports the scopes and the expiry of the key.
func (e *examination) checkLimits(ctx context.Context) {
	got := e.ask(ctx, "apiKeys.list", `{"limit":100}`)
	var listed []struct {
		UserID    string     `json:"userId"`
		Scope     []string   `json:"scope"`
		Last4     string     `json:"last4"`
		ExpiresAt *time.Time `json:"expiresAt"`
	}
	if !got.read(&listed) {
		e.skip(e.whyUnknown(got), "scopes", "expiry")
		return
	}
	var scopes []string
	var ends *time.Time
	matches := 0
	for _, one := range listed {
		for i, scope := range one.Scope {
			one.Scope[i] = short(scope)
		}
		entry := auth.ListedKey{UserID: one.UserID, Last4: one.Last4, Scopes: one.Scope}
		if of, is := auth.APIKey(e.key.Reveal()).Scopes(e.owner.id, []auth.ListedKey{entry}); is == 1 {
			scopes, ends, matches = of, one.ExpiresAt, matches+1
		}
	}
	if matches != 1 {
		e.skip(count(matches, "key")+" in Outline's list end in the same characters", "scopes", "expiry")
		return
	}
	e.owner.scopesKnown, e.owner.scopes = true, scopes
	finding := "unrestricted: the key may do whatever its owner may"
	if scopes != nil {
		finding = "limited to " + cmp.Or(strings.Join(scopes, ", "), "nothing")
	}
	e.add(OK, "scopes", finding, "", map[string]any{"scopes": append([]string{}, scopes...)})
	e.checkExpiry(ends)
}

func (e *examination) checkExpiry(at *time.Time) {
	if at == nil {
		e.add(OK, "expiry", "the key does not expire", "")
		return
	}
	details := map[string]any{"expires_at": at.UTC().Format(time.RFC3339)}
	left := time.Until(*at)
	finding := "the key expires on " + at.UTC().Format(day) + ", within a day"
	if days := int(left / (24 * time.Hour)); days > 0 {
		finding = fmt.Sprintf("the key expires on %s, in %s", at.UTC().Format(day), count(days, "day"))
	}
	if left < expiryWarning {
		e.add(Warning, "expiry", finding, "create a new one in time, in Outline under "+outline.KeysPage, details)
		return
	}
	e.add(OK, "expiry", finding, "", details)
}

// checkPerson reports on the login of this computer, with which a server without a key
// acts. It returns false if there is no place for logins.
func checkPerson(ctx context.Context, e *examination) bool {
	store, err := login.Open(runtime.GOOS, func(name string) string { return config.Lookup(e.Environ, name) })
	if err != nil {
		return false
	}
	at := login.Outline{BaseURL: e.base, Transport: e.transport, UserAgent: e.agent}
	source := login.NewSource(at, store, slog.New(slog.DiscardHandler))
	account, err := source.Check(ctx)
	token := ""
	if err == nil {
		token, err = source.Credential(ctx)
	}
	if err != nil {
		finding, advice := err.Error(), ""
		failed, _ := errors.AsType[*login.Error](err)
		switch {
		case failed != nil && failed.Reason == login.NotLoggedIn:
			finding, advice = e.notLoggedIn(ctx, at)
		case failed != nil && failed.Reason == login.Ended:
			finding, advice = "the login to "+login.Address(e.base)+" as "+account.User+" has expired or was revoked", "run outline-mcp login "+login.Address(e.base)
		}
		e.addUnusable(Failure, finding, advice)
		return true
	}
	e.key, e.valid = config.Secret(token), true
	e.owner = owner{id: account.UserID, role: account.Role, scopes: strings.Fields(account.Scope), scopesKnown: true, readOnly: account.ReadOnly}
	e.add(OK, "key", fmt.Sprintf("none is set; the login on this computer is valid and belongs to %s (%s), workspace %s", account.User, account.Role, account.Workspace), "",
		map[string]any{"user": account.User, "role": account.Role, "workspace": account.Workspace, "login": true})
	e.add(OK, "scopes", "limited to "+strings.Join(e.owner.scopes, ", "), "", map[string]any{"scopes": e.owner.scopes})
	e.add(OK, "expiry", "the login is renewed automatically; Outline ends it after 30 days without use", "")
	return true
}

// notLoggedIn says that there is neither a key nor a login, and which of them to get.
func (e *examination) notLoggedIn(ctx context.Context, at login.Outline) (finding, advice string) {
	address := login.Address(e.base)
	finding = "no key is set, and nobody is logged in to " + address + " on this computer"
	key := "create a key" + e.underKeys()
	if e.settings.LoginClientID == "" && e.reached && at.CanRegister(ctx) != nil {
		return finding + ", and this Outline does not let programs register themselves", key
	}
	return finding, "run outline-mcp login " + address + ", or " + key
}
