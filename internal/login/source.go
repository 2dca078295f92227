package login

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// A Source gives the access token of a login to the requests of one process. It sees a login
// that is made, renewed or forgotten by another process at the next request. It is safe for
// concurrent use.
type Source struct {
	outline Outline
	store   *Store
	log     *slog.Logger
	flights singleflight.Group

	mu         sync.Mutex
	generation string // of held
	held       tokens
	unsaved    bool // held could not be stored, and is newer than what is
}

// NewSource returns the source of the login at an address. Nothing is read yet.
func NewSource(o Outline, s *Store, log *slog.Logger) *Source {
	return &Source{outline: o, store: s, log: log}
}

// Person returns the ID of the user who is logged in, "" if nobody is, and whether they
// may only read.
func (s *Source) Person() (id string, readOnly bool) {
	a, _ := s.Account() // of nobody if it cannot be read
	return a.UserID, a.ReadOnly
}

// Account returns whose login it is, without asking Outline.
func (s *Source) Account() (Account, error) { return s.store.Account(s.outline.BaseURL) }

// Credential returns an access token that is valid for some time. The error says what the
// user has to do.
func (s *Source) Credential(ctx context.Context) (string, error) {
	t, err := s.current()
	if err != nil {
		return "", err
	}
	if t.fresh(time.Now()) {
		return t.Access, nil
	}
	if err := s.Renew(ctx, t.Access); err != nil {
		failed, ok := errors.AsType[*Error](err)
		if ok && failed.Temporary() && time.Now().Before(t.Expires) {
			return t.Access, nil // it is renewed ahead of time
		}
		return "", err
	}
	t, err = s.current()
	return t.Access, err
}

// current returns the tokens that are stored, or held because they could not be.
func (s *Source) current() (tokens, error) {
	e, err := s.store.read(s.outline.BaseURL)
	if err != nil {
		return tokens{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := e.Generation == s.generation && s.held.Access != ""
	switch {
	case e.Ended && !(known && s.unsaved):
		return tokens{}, endedError(e.Outline)
	case known:
		return s.held, nil
	}
	t, err := s.store.secrets(e)
	if err == nil {
		s.generation, s.held, s.unsaved = e.Generation, t, false
	}
	return t, err
}

// Renew sees to it that the access token is another one than spent, which Outline does not
// accept or is about to: it takes the one that another process has stored, or renews it.
// Callers that need the same wait for one renewal.
func (s *Source) Renew(ctx context.Context, spent string) error {
	done := s.flights.DoChan(spent, func() (any, error) {
		// Outline may have made new tokens even if the caller gives up, and they are needed.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWithin+2*requestTimeout)
		defer cancel()
		return nil, s.renew(ctx, spent)
	})
	select {
	case got := <-done:
		return got.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Source) renew(ctx context.Context, spent string) error {
	base := s.outline.BaseURL
	unlock, err := s.store.lock(ctx, base)
	if err != nil {
		return err
	}
	defer unlock()
	e, err := s.store.read(base)
	if err != nil {
		return err
	}
	if e.Ended {
		return endedError(base)
	}
	s.mu.Lock()
	t, mine := s.held, s.unsaved && e.Generation == s.generation
	s.mu.Unlock()
	if !mine {
		// Not the ones that are held: the keyring may have newer ones, of a process that
		// ended before it could say so.
		if t, err = s.store.secrets(e); err != nil {
			return err
		}
	}
	if t.Access == spent || !t.fresh(time.Now()) {
		// What cannot be stored must not be renewed: the old tokens would be lost.
		if err := s.store.save(e, t); err != nil {
			return err
		}
		if t, err = s.outline.refresh(ctx, t); err != nil {
			return s.refused(e, err)
		}
		if err = s.store.save(e, t); err != nil {
			s.log.Error("cannot store a renewed login; it is lost when this process exits", "error", err)
		}
	}
	again, reading := s.store.read(base)
	if reading != nil {
		return reading
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation, s.held, s.unsaved = again.Generation, t, err != nil
	return nil
}

// refused says what it means that Outline has not renewed a login, and notes for all
// processes that it has ended. Outline's status for that is 400; an application that is
// gone gets 400 or 401.
func (s *Source) refused(e entry, err error) error {
	status := statusOf(err)
	if status != http.StatusBadRequest && status != http.StatusUnauthorized {
		s.log.Warn("cannot renew the login", "error", err)
		return s.outline.unreachable(err)
	}
	e.Account.Ended = true
	if err := s.store.write(e); err != nil {
		s.log.Warn("cannot record that a login has ended", "error", err)
	}
	return endedError(e.Outline)
}

// Check asks Outline whether the login works, and returns it as it is now.
func (s *Source) Check(ctx context.Context) (Account, error) {
	a, err := s.Account()
	if err != nil {
		return a, err
	}
	for range 2 {
		var token string
		if token, err = s.Credential(ctx); err != nil {
			return a, err
		}
		if err = s.outline.whose(ctx, token, &a); statusOf(err) != http.StatusUnauthorized {
			break
		}
		if err := s.Renew(ctx, token); err != nil {
			return a, err
		}
	}
	if err != nil {
		err = s.outline.unreachable(err)
	}
	return a, err
}

// Logout voids the login at Outline and forgets it. If Outline cannot be told, the login is
// forgotten nevertheless, and told is false.
func (s *Source) Logout(ctx context.Context) (a Account, told bool, err error) {
	unlock, err := s.store.lock(ctx, s.outline.BaseURL)
	if err != nil {
		return a, false, err
	}
	defer unlock()
	e, err := s.store.read(s.outline.BaseURL)
	if err != nil {
		return a, false, err
	}
	if t, failed := s.store.secrets(e); failed == nil {
		told = s.outline.revoke(ctx, t) == nil
		s.outline.unregister(ctx, t.Client)
	}
	return e.Account, told, s.store.remove(e)
}
