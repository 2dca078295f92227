package login

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// ports returns where the browser may come back. Outline compares redirect URIs letter for
// letter, so all of them are registered. They lie below the ports that systems give to
// outgoing connections.
func ports() []int { return []int{9647, 14853, 19327, 23761, 28193} }

const callbackPath = "/callback"

// Redirects returns the redirect URIs that an application needs.
func Redirects() []string { return redirectsOf(ports()) }

func redirectsOf(ports []int) []string {
	var all []string
	for _, port := range ports {
		all = append(all, redirectOf(port))
	}
	return all
}

func redirectOf(port int) string {
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + callbackPath
}

// A Flow logs a person in.
type Flow struct {
	Outline  Outline
	Store    *Store
	ClientID string // of an application that an admin made; "" registers one
	Scope    string // what to ask for
	ReadOnly bool   // the scope only reads
	// NoKeyring keeps the tokens in a file although there may be a keyring.
	NoKeyring bool
	Timeout   time.Duration // for the browser to come back
	Ports     []int         // of the redirect URIs; nil for those of [Redirects]
	// Agree tells the user what a clause says, and asks whether to log in; nil if there is no
	// terminal.
	Agree func(ctx context.Context, clause string) (bool, error)
	// Visit shows the address of the consent page to the user, and opens it.
	Visit func(ctx context.Context, page string) error
}

// Run waits until the user has logged in, and stores the login in place of the former
// one. If it fails, nothing is left of it.
func (f Flow) Run(ctx context.Context) (done Account, err error) {
	if f.Ports == nil {
		f.Ports = ports()
	}
	clean, err := f.Store.prepare()
	if err != nil {
		return Account{}, err
	}
	defer func() {
		if err != nil {
			clean()
		}
	}()
	inKeyring := false
	if !f.NoKeyring {
		if inKeyring, err = probeKeyring(); err != nil {
			return Account{}, err
		}
	}
	// First, so that a program is not registered without need.
	listener, port, err := listen(ctx, f.Ports)
	if err != nil {
		return Account{}, err
	}
	defer listener.Close()
	offered, err := f.Outline.discover(ctx)
	if err != nil {
		return Account{}, err
	}
	if err := f.agree(ctx, offered); err != nil {
		return Account{}, err
	}
	former := f.former().Client
	c, err := f.client(ctx, offered, former)
	if err != nil {
		return Account{}, err
	}
	defer func() {
		if err != nil && c != former {
			after, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
			defer cancel()
			f.Outline.unregister(after, c)
		}
	}()
	w := callbackPage{host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), state: rand.Text(), issuer: cmp.Or(offered.Issuer, Address(f.Outline.BaseURL)), result: make(chan outcome, 1)}
	verifier := oauth2.GenerateVerifier()
	page := f.Outline.config(c.ID, redirectOf(port), offered.Authorize).AuthCodeURL(w.state, oauth2.SetAuthURLParam("scope", f.Scope), oauth2.S256ChallengeOption(verifier))
	w.finish = func(code string) (Account, error) {
		// The browser has come back: interrupting what is left would lose the tokens.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*requestTimeout)
		defer cancel()
		return f.finish(ctx, c, redirectOf(port), code, verifier, Account{
			Outline: f.Outline.BaseURL, Scope: f.Scope, ReadOnly: f.ReadOnly, Keyring: inKeyring, Since: time.Now().UTC().Truncate(time.Second),
		})
	}
	server := &http.Server{Handler: &w, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = server.Serve(listener) }()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the page to be read
		defer cancel()
		_ = server.Shutdown(closing)
		_ = server.Close()
	}()
	waitingFor, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	if err := f.Visit(waitingFor, page); err != nil {
		return Account{}, err
	}
	select {
	case got := <-w.result:
		return got.account, got.err
	case <-waitingFor.Done():
	}
	if got, ended := w.stop(); ended {
		return got.account, got.err
	}
	if ctx.Err() != nil {
		return Account{}, fail(Failed, "interrupted; nobody has been logged in, and nothing was stored")
	}
	return Account{}, fail(Failed, fmt.Sprintf("the browser did not come back within %s, and nothing was stored. Run the command again; if the page showed an error, check with outline-mcp doctor, or use an API key", f.Timeout))
}

// agree asks the user whether the addresses that Outline names are those of one Outline, such
// as one that is reached inside a network by another name.
func (f Flow) agree(ctx context.Context, offered provider) error {
	others, given := f.Outline.elsewhere(offered), Address(f.Outline.BaseURL)
	if others == "" {
		return nil
	}
	why := fmt.Sprintf("Outline at %s sends logins to %s, and %[1]s could then act as you there", given, others)
	if f.Agree == nil {
		return fail(Failed, why+". If all of these are your Outline, run outline-mcp login "+given+" in a terminal, and agree there")
	}
	agreed, err := f.Agree(ctx, why)
	if err == nil && !agreed {
		err = fail(Failed, "nobody has been logged in: "+why)
	}
	return err
}

// former returns the tokens of the login that is going to be replaced, if there is one.
func (f Flow) former() tokens {
	e, err := f.Store.read(f.Outline.BaseURL)
	if err != nil {
		return tokens{}
	}
	t, _ := f.Store.secrets(e)
	return t
}

// client returns the client to log in with: that of an admin, the one that is registered, or
// a new one.
func (f Flow) client(ctx context.Context, offered provider, former client) (client, error) {
	switch {
	case f.ClientID != "":
		return client{ID: f.ClientID}, nil
	case former.Token != "" && f.Outline.knows(ctx, former, redirectsOf(f.Ports)):
		return former, nil
	case offered.Register == "":
		return client{}, notOffered(f.Outline.BaseURL)
	}
	return f.Outline.register(ctx, redirectsOf(f.Ports))
}

// listen takes the first port that is free.
func listen(ctx context.Context, ports []int) (net.Listener, int, error) {
	for _, port := range ports {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return listener, port, nil
		}
	}
	return nil, 0, fail(Failed, fmt.Sprintf("the browser could not come back: other programs use all of the ports %d on 127.0.0.1. End another outline-mcp login that is waiting, or free one of them; or use an API key", ports))
}

// finish exchanges the code and stores the login.
func (f Flow) finish(ctx context.Context, c client, redirect, code, verifier string, a Account) (Account, error) {
	t, err := f.Outline.exchange(ctx, c, redirect, code, verifier)
	if status := statusOf(err); status == http.StatusBadRequest || status == http.StatusUnauthorized {
		return Account{}, fail(Failed, "Outline does not accept the code with which the browser came back: it is for another program, has expired, or was used. Run the command again"+f.adminsClient())
	} else if err != nil {
		return Account{}, f.Outline.unreachable(err)
	}
	var former tokens
	if err = f.Outline.whose(ctx, t.Access, &a); err == nil {
		former, err = f.store(ctx, entry{Account: a}, t)
	} else if status := statusOf(err); status == http.StatusForbidden || status == http.StatusUnauthorized {
		err = fail(Failed, "Outline has logged you in, but the token allows nothing. Run the command again and agree to what the page asks"+f.adminsClient())
	} else {
		err = f.Outline.unreachable(err)
	}
	if err != nil {
		_ = f.Outline.revoke(ctx, t)
		return Account{}, err
	}
	if former.Refresh != "" {
		_ = f.Outline.revoke(ctx, former)
		if former.Client != c {
			f.Outline.unregister(ctx, former.Client)
		}
	}
	return a, nil
}

// adminsClient says what else to check if an admin made the client.
func (f Flow) adminsClient() string {
	if f.ClientID == "" {
		return ""
	}
	return ", and check that OUTLINE_OAUTH_CLIENT_ID is the client ID of a public application"
}

// store replaces the login, and returns the tokens of the former one as of now.
func (f Flow) store(ctx context.Context, e entry, t tokens) (former tokens, err error) {
	unlock, err := f.Store.lock(ctx, e.Outline)
	if err != nil {
		return tokens{}, err
	}
	defer unlock()
	former = f.former()
	old, none := f.Store.read(e.Outline)
	err = f.Store.save(e, t)
	switch inKeyring := none == nil && old.Keyring; {
	case err != nil && inKeyring: // the former login stays
		_ = toKeyring(e.Outline, former)
	case err == nil && inKeyring && !e.Keyring:
		_ = dropFromKeyring(e.Outline)
	}
	return former, err
}

// errCancelled is what a [Flow] fails with if the user does not agree.
var errCancelled = fail(Failed, "the login was cancelled in the browser; nothing was stored")

// An outcome is how a login has ended.
type outcome struct {
	account Account
	err     error
}

// callbackPage is the page to which the browser comes back.
type callbackPage struct {
	host, state string
	issuer      string // that the answer names if it names one (RFC 9207)
	finish      func(code string) (Account, error)
	result      chan outcome // with room for one

	mu   sync.Mutex
	over bool // the browser has come back, or nobody waits any longer
}

// ServeHTTP implements [http.Handler]. No page contains anything of the request. A request
// that does not belong to this login does not end it: any page of the web can send one.
func (w *callbackPage) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	one := func(name string) string {
		if len(query[name]) != 1 {
			return ""
		}
		return query[name][0]
	}
	mine := subtle.ConstantTimeCompare([]byte(one("state")), []byte(w.state)) == 1 && (query["iss"] == nil || one("iss") == w.issuer)
	switch {
	case r.Host != w.host: // another host name that was made to lead here
		show(out, http.StatusMisdirectedRequest, "Wrong address", "This address is for a login of outline-mcp only.")
	case r.URL.Path != callbackPath || r.Method != http.MethodGet:
		show(out, http.StatusNotFound, "Not found", "This address is for a login of outline-mcp only.")
	case err == nil && one("error") != "" && (mine || query["state"] == nil && navigates(r)): // Outline leaves out the state
		w.end(out, func() outcome { return outcome{err: errCancelled} })
	case err != nil || !mine || one("code") == "":
		show(out, http.StatusBadRequest, "Not logged in", "This page does not belong to the login that outline-mcp is waiting for. Run outline-mcp login again, and use the page that it opens.")
	default:
		w.end(out, func() outcome {
			account, err := w.finish(one("code"))
			return outcome{account, err}
		})
	}
}

// navigates reports whether a browser shows the answer as a page of its own: an image, a
// script or a frame of another page must not cancel a login. Browsers that do not say so
// (Fetch Metadata) pass.
func navigates(r *http.Request) bool {
	return cmp.Or(r.Header.Get("Sec-Fetch-Mode"), "navigate") == "navigate" && cmp.Or(r.Header.Get("Sec-Fetch-Dest"), "document") == "document"
}

// end ends the login with what finish returns, unless it has ended.
func (w *callbackPage) end(out http.ResponseWriter, finish func() outcome) {
	if w.close() {
		show(out, http.StatusGone, "This login is over", "You can close this page.")
		return
	}
	got := finish()
	w.result <- got
	if got.err != nil {
		show(out, http.StatusBadRequest, "Not logged in", "The terminal, or the AI client, in which you began says why. You can close this page.")
		return
	}
	show(out, http.StatusOK, "You are logged in", "outline-mcp can now work with your Outline. You can close this page.")
}

// close ends the waiting, and reports whether it had ended before.
func (w *callbackPage) close() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	over := w.over
	w.over = true
	return over
}

// stop ends the waiting. If the browser has just come back, it returns what became of that.
func (w *callbackPage) stop() (got outcome, ended bool) {
	if !w.close() {
		return outcome{}, false
	}
	return <-w.result, true
}

// show answers with a page of fixed texts.
func show(out http.ResponseWriter, status int, title, text string) {
	h := out.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the code
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	out.WriteHeader(status)
	fmt.Fprintf(out, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%[1]s</title>`+
		`<style>body{font:1.1rem system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}</style><main><h1>%[1]s</h1><p>%[2]s</p></main></html>`, title, text)
}

// OpenBrowser opens a page in the user's browser. It returns an error if no browser can be
// shown, for example in an SSH session.
func OpenBrowser(ctx context.Context, goos string, getenv func(string) string, page string) error {
	var command []string
	switch {
	case getenv("BROWSER") != "":
		command = []string{getenv("BROWSER"), page}
	case getenv("SSH_CONNECTION") != "":
	case goos == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", page}
	case goos == "darwin":
		command = []string{"open", page}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		command = []string{"xdg-open", page}
	}
	if command == nil {
		return errors.New("there is no browser here")
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(3 * time.Second): // some of these commands end with the browser
		return nil
	}
}
