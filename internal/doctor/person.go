package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/login"
)

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
		e.add(Failure, "key", finding, advice)
		e.skip(e.noKey, "scopes", "expiry")
		return true
	}
	e.key, e.valid = config.Secret(token), true
	e.owner = owner{id: account.UserID, role: account.Role, scopes: strings.Fields(account.Scope), told: true}
	e.add(OK, "key", fmt.Sprintf("none is set; the login on this computer is valid and belongs to %s (%s), workspace %s", account.User, account.Role, account.Workspace), "",
		map[string]any{"user": account.User, "role": account.Role, "workspace": account.Workspace, "login": true})
	e.add(OK, "scopes", "limited to "+strings.Join(e.owner.scopes, ", "), "", map[string]any{"scopes": e.owner.scopes})
	e.add(OK, "expiry", "the login is renewed by itself; Outline ends it after 30 days without use", "")
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
