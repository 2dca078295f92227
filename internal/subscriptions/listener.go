package subscriptions

import (
	"context"
	"fmt"
	"slices"

	"outline-mcp/output"
)

// A Listener hears of changes to the resources that were added to it. It is safe for
// concurrent use. Its state is guarded by the mutex of the service.
type Listener struct {
	Callbacks
	subject  *subject
	uris     map[string]thing
	changed  []string // URIs to report, each once, however often it changes
	sending  bool     // a goroutine reports changed
	rejected error    // why Add fails since the listener has ended; nil before
}

// Callbacks are what a listener hears. They are called in goroutines of their own, each
// at most once at a time, and may take their time.
type Callbacks struct {
	// Changed gets the URI of a resource that has changed, as it was added. Further
	// changes are reported after it returns.
	Changed func(uri string)
	// Ended is called if the service ends the listener: [ErrRejected] or [ErrClosed].
	Ended func(why error)
}

// Add subscribes to a resource by its URI, which stands for a target, for the principal
// of ctx. It asks Outline for the resource, and fails if the caller may not read it.
// Changes from then on are reported.
func (l *Listener) Add(ctx context.Context, uri string, target Target) error {
	service := l.subject.service
	if err := l.roomFor(uri); err != nil {
		return err
	}
	if err := l.subject.begin(ctx, target.Kind); err != nil {
		return err
	}
	what, state, err := l.subject.find(ctx, target)
	if err != nil {
		return err
	}
	service.mu.Lock()
	defer service.mu.Unlock()
	if err := l.room(uri); err != nil { // others may have been added meanwhile
		return err
	}
	if _, has := l.uris[uri]; !has {
		l.uris[uri] = what
		l.subject.watch(what, state)
	}
	return nil
}

func (l *Listener) roomFor(uri string) error {
	l.subject.service.mu.Lock()
	defer l.subject.service.mu.Unlock()
	return l.room(uri)
}

// room returns an error if a URI cannot be added. The caller holds the mutex.
func (l *Listener) room(uri string) error {
	if !l.subject.listeners[l] {
		return l.rejected
	}
	if _, has := l.uris[uri]; !has && len(l.uris) >= MostURIs {
		return output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf("%d resources are subscribed to, the maximum. Unsubscribe from one of them first.", MostURIs)}
	}
	return nil
}

// Remove ends the subscription to a resource. Changes that were not yet reported are
// not reported any more.
func (l *Listener) Remove(uri string) {
	service := l.subject.service
	service.mu.Lock()
	defer service.mu.Unlock()
	if what, has := l.uris[uri]; has {
		delete(l.uris, uri)
		l.changed = slices.DeleteFunc(l.changed, func(other string) bool { return other == uri })
		if l.subject.listeners[l] {
			l.subject.unwatch(what)
		}
	}
}

// HasEnded reports whether the listener has ended.
func (l *Listener) HasEnded() bool {
	l.subject.service.mu.Lock()
	defer l.subject.service.mu.Unlock()
	return l.rejected != nil
}

// Close ends the listener. Ended is not called.
func (l *Listener) Close() {
	service := l.subject.service
	service.mu.Lock()
	defer service.mu.Unlock()
	l.Ended = nil
	service.remove(l, ErrClosed)
}

// tell reports the URIs that stand for things that have changed. The caller holds
// the mutex.
func (l *Listener) tell(changed func(thing) bool) {
	for uri, what := range l.uris {
		if changed(what) && !slices.Contains(l.changed, uri) {
			l.changed = append(l.changed, uri)
		}
	}
	if len(l.changed) > 0 && !l.sending {
		l.sending = true
		go l.send()
	}
}

// send reports what has changed until nothing is left.
func (l *Listener) send() {
	for {
		uri, ok := l.pop()
		if !ok {
			return
		}
		l.Changed(uri)
	}
}

func (l *Listener) pop() (uri string, ok bool) {
	l.subject.service.mu.Lock()
	defer l.subject.service.mu.Unlock()
	if len(l.changed) == 0 || l.rejected != nil {
		l.sending = false
		return "", false
	}
	uri = l.changed[0]
	l.changed = l.changed[1:]
	return uri, true
}
