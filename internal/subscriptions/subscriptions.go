// Package subscriptions tells listeners which resources have changed. Outline sends
// no such messages to users, so it is polled, with the credential of the listener: a
// listener hears only of what it may read.
//
// All listeners of a subject share one poller. It makes one request at a time and no
// more than one per interval, whatever the number of listeners and resources: each
// request lists what was changed last.
package subscriptions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

const (
	// MostURIs limits the resources of one listener.
	MostURIs = 64
	// mostPerSubject limits the listeners of one subject.
	mostPerSubject = 64
)

// Why a listener ends.
var (
	// ErrClosed: the listener or the whole Service was closed.
	ErrClosed = errors.New("the subscription was closed")
	// ErrRejected: Outline no longer accepts the credential, or no longer for this.
	ErrRejected = errors.New("the key is rejected by Outline")
)

// Options configure a [Service].
type Options struct {
	Outline *outline.Client
	// MostListeners limits the listeners of all subjects together.
	MostListeners int
	Log           *slog.Logger // must not be nil
}

// A Service serves the listeners of all subjects. Nothing is shared between
// subjects.
type Service struct {
	options Options

	mu        sync.Mutex
	closed    bool
	listeners int
	subjects  map[string]*subject // by view
	pollers   sync.WaitGroup
}

// New returns a service. It does nothing until somebody listens.
func New(o Options) *Service {
	return &Service{options: o, subjects: map[string]*subject{}}
}

// Listen returns a listener for the principal of ctx, which must be closed. The listener
// outlasts the context. A listener over a limit is refused with an
// [output.Failure].
func (s *Service) Listen(ctx context.Context, c Callbacks) (*Listener, error) {
	principal, _ := auth.FromContext(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.subjects[principal.View()]
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.listeners >= s.options.MostListeners:
		return nil, output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf(
			"the server already has %d listeners, the maximum. Try again later.", s.listeners)}
	case s.listenersOf(principal.Subject) >= mostPerSubject:
		return nil, output.Failure{Code: output.RateLimited, Sentence: fmt.Sprintf(
			"%d listeners are open with this key, the maximum. Close one of them first, or subscribe to more resources with each.", mostPerSubject)}
	}
	if to == nil {
		to = s.newSubject(principal.View())
		s.subjects[principal.View()] = to
	}
	to.principal = principal
	l := &Listener{Callbacks: c, subject: to, uris: map[string]thing{}}
	s.listeners++
	to.listeners[l] = true
	return l, nil
}

// listenersOf returns the number of listeners of a subject, whichever collections they
// limit themselves to. The caller holds mu.
func (s *Service) listenersOf(subject string) int {
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
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	for _, subject := range s.subjects {
		s.end(subject, ErrClosed)
	}
	s.mu.Unlock()
	s.pollers.Wait()
}

// end ends all listeners of a subject. The caller holds mu.
func (s *Service) end(of *subject, why error) {
	for l := range of.listeners {
		s.remove(l, why)
	}
}

// remove ends one listener, and the poller with the last one of a subject. The
// caller holds mu.
func (s *Service) remove(l *Listener, why error) {
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
	if l.Ended != nil {
		go l.Ended(why)
	}
	if len(of.listeners) == 0 {
		of.stop()
		delete(s.subjects, of.name)
	}
}
