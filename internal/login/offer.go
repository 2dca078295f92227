package login

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"sync"
	"time"
)

// An Offer lets a client show the consent page to the person in the middle of a call. One
// login is under way at a time. It is safe for concurrent use.
type Offer struct {
	Flow Flow // without Visit
	Log  *slog.Logger

	mu      sync.Mutex
	page    string // "" if no login is under way
	stop    context.CancelFunc
	arrived chan struct{} // closed when the login has ended
}

// Page begins a login if that helps against an error, and returns the page for the person,
// or "". Calls that come while a login is under way get the same page.
func (o *Offer) Page(ctx context.Context, err error) string {
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Reason != NotLoggedIn && failed.Reason != Ended {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.page != "" {
		return o.page
	}
	lasting, stop := context.WithTimeout(context.WithoutCancel(ctx), o.Flow.Timeout)
	flow, pages, ended := o.Flow, make(chan string, 1), make(chan struct{})
	flow.Visit = func(_ context.Context, page string) error {
		pages <- page
		return nil
	}
	go func() {
		defer stop()
		account, err := flow.Run(lasting)
		if err != nil {
			o.Log.Warn("a login that was offered to the client has failed", "error", err)
		} else {
			o.Log.Info("logged in", "workspace", account.Workspace)
		}
		o.mu.Lock()
		if o.arrived == ended { // it was not cancelled, and followed by another
			o.page = ""
		}
		o.mu.Unlock()
		close(ended)
	}()
	select {
	case o.page = <-pages:
		o.stop, o.arrived = stop, ended
		return o.page
	case <-lasting.Done(): // Run has failed
	case <-ctx.Done():
		stop()
	}
	return ""
}

// Wait waits until the login that is under way has ended, or ctx is done.
func (o *Offer) Wait(ctx context.Context) {
	o.mu.Lock()
	arrived := o.arrived
	o.mu.Unlock()
	if arrived == nil {
		return
	}
	select {
	case <-arrived:
	case <-ctx.Done():
	}
}

// Cancel ends the login that is under way, because the person does not want it.
func (o *Offer) Cancel() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.page != "" {
		o.stop()
		o.page = ""
	}
}

// OpenBrowser opens a page in the user's browser. It fails if there is none that can be
// seen here, as over SSH.
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
