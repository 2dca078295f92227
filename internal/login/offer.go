package login

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// An Offer lets a client show the consent page to the person in the middle of a call. One
// login is under way at a time. It is safe for concurrent use.
type Offer struct {
	Flow Flow // without Visit
	Log  *slog.Logger

	mu    sync.Mutex
	page  string // "" if the login was cancelled
	stop  context.CancelFunc
	ended chan struct{} // closed when the login has ended; nil before the first
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
	if o.ended != nil {
		select {
		case <-o.ended:
			o.page = ""
		default:
		}
		if o.page != "" {
			return o.page
		}
		select {
		case <-o.ended: // one that was cancelled has cleaned up behind itself
		case <-ctx.Done():
			return ""
		}
	}
	lasting, stop := context.WithTimeout(context.WithoutCancel(ctx), o.Flow.Timeout)
	flow, pages, ended := o.Flow, make(chan string, 1), make(chan struct{})
	flow.Visit = func(_ context.Context, page string) error {
		pages <- page
		return nil
	}
	go func() {
		defer close(ended)
		defer stop()
		account, err := flow.Run(lasting)
		if err != nil {
			o.Log.Warn("a login that was offered to the client has failed", "error", err)
		} else {
			o.Log.Info("logged in", "workspace", account.Workspace)
		}
	}()
	o.page, o.stop, o.ended = "", stop, ended
	select {
	case o.page = <-pages:
	case <-ended: // Run has failed
	case <-ctx.Done():
		stop()
	}
	return o.page
}

// Wait waits until the login that is under way has ended, or ctx is done.
func (o *Offer) Wait(ctx context.Context) {
	o.mu.Lock()
	ended := o.ended
	o.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
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
