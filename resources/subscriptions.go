package resources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

const (
	// MostSubscriptions limits the resources of one listener.
	MostSubscriptions = 64
	// mostPerSubject limits the listeners of one subject. So does a quarter of the places
	// that are free.
	mostPerSubject = 64
)

// Why a listener ends.
var (
	// errClosed: the listener or the whole Subscriptions was closed.
	errClosed = errors.New("the subscription was closed")
	// errRejected: Outline no longer accepts the credential, or no longer for this.
	errRejected = errors.New("the key is rejected by Outline")
)

// SubscriptionOptions configure a [Subscriptions].
type SubscriptionOptions struct {
	Outline *outline.Client
	// MostListeners limits the listeners of all subjects together.
	MostListeners int
	Log           *slog.Logger // must not be nil
}

// Subscriptions tell listeners which resources have changed. Outline sends no such
// messages to users, so it is polled, with the credential of the listener: a listener
// hears only of what it may read. Nothing is shared between subjects.
//
// All listeners of a subject share one poller. It makes one request at a time and no
// more than one per interval, whatever the number of listeners and resources: each
// request lists what was changed last.
type Subscriptions struct {
	options SubscriptionOptions

	mu        sync.Mutex
	closed    bool
	listeners int
	subjects  map[string]*subject // by view
	pollers   sync.WaitGroup
}

// NewSubscriptions returns subscriptions, which do nothing until a client listens.
func NewSubscriptions(o SubscriptionOptions) *Subscriptions {
	return &Subscriptions{options: o, subjects: map[string]*subject{}}
}

// Listen returns a listener for the principal of ctx, which must be closed. The listener
// outlasts the context. A listener over a limit is refused with an [output.Failure].
//
// Both functions are called in their own goroutines, each at most once at a time, and
// may take their time. changed gets the URI of a resource that has changed, as it was
// added; further changes are reported after it returns. ended, unless it is nil, is called
// if the listener ends without being closed.
func (s *Subscriptions) Listen(ctx context.Context, changed func(uri string), ended func()) (*Listener, error) {
	principal, _ := auth.FromContext(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.subjects[principal.View()]
	switch {
	case s.closed:
		return nil, errClosed
	case s.listeners >= s.options.MostListeners:
		return nil, output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf(
			"the server already has %d listeners, the maximum. Try again later.", s.listeners)}
	case s.listenersOf(principal.Subject) >= min(mostPerSubject, (s.options.MostListeners-s.listeners+3)/4): // others find places, too
		return nil, output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf(
			"%d listeners are open with this key, the maximum for now. Close one of them first, or subscribe to more resources with each.", s.listenersOf(principal.Subject))}
	}
	if to == nil {
		to = s.newSubject(principal.View())
		s.subjects[principal.View()] = to
	}
	to.principal = principal
	l := &Listener{report: changed, ended: ended, subject: to, uris: map[string]thing{}}
	s.listeners++
	to.listeners[l] = true
	return l, nil
}

// listenersOf returns the number of listeners of a subject, whichever collections they
// limit themselves to. The caller holds mu.
func (s *Subscriptions) listenersOf(subject string) int {
	n := 0
	for _, of := range s.subjects {
		if of.principal.Subject == subject {
			n += len(of.listeners)
		}
	}
	return n
}

// Close ends all listeners and waits for the requests to Outline to end. It refuses
// new listeners.
func (s *Subscriptions) Close() {
	s.mu.Lock()
	s.closed = true
	for _, subject := range s.subjects {
		s.end(subject, errClosed)
	}
	s.mu.Unlock()
	s.pollers.Wait()
}

// end ends all listeners of a subject. The caller holds mu.
func (s *Subscriptions) end(of *subject, why error) {
	for l := range of.listeners {
		s.remove(l, why)
	}
}

// remove ends one listener, and the poller with the last one of a subject. The
// caller holds mu.
func (s *Subscriptions) remove(l *Listener, why error) {
	of := l.subject
	if !of.listeners[l] {
		return
	}
	delete(of.listeners, l)
	s.listeners--
	for _, what := range l.uris {
		of.unwatch(what)
	}
	l.rejected = why
	if l.ended != nil {
		go l.ended()
	}
	if len(of.listeners) == 0 {
		of.stop()
		delete(s.subjects, of.name)
	}
}

// A Listener hears of changes to the resources that were added to it. It is safe for
// concurrent use. Its state is guarded by the mutex of the service.
type Listener struct {
	report   func(uri string)
	ended    func() // may be nil
	subject  *subject
	uris     map[string]thing
	changed  []string // URIs to report, each once, however often it changes
	sending  bool     // a goroutine reports changed
	rejected error    // why Add fails since the listener has ended; nil before
}

// Add subscribes to a resource by its URI for the principal of ctx. It asks Outline for
// the resource, and fails if the caller may not read it. Changes from then on are
// reported.
func (l *Listener) Add(ctx context.Context, uri string) error {
	service := l.subject.service
	asked, err := thingOf(service.options.Outline, uri)
	if err != nil {
		return err
	}
	if err := l.roomFor(uri); err != nil {
		return err
	}
	if err := l.subject.begin(ctx, asked.kind); err != nil {
		return err
	}
	what, state, err := l.subject.find(ctx, asked)
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
	if _, has := l.uris[uri]; !has && len(l.uris) >= MostSubscriptions {
		return output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf("%d resources are subscribed to, the maximum. Unsubscribe from one of them first.", MostSubscriptions)}
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

// Close ends the listener without calling ended.
func (l *Listener) Close() {
	service := l.subject.service
	service.mu.Lock()
	defer service.mu.Unlock()
	l.ended = nil
	service.remove(l, errClosed)
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
		l.report(uri)
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
