package outline

import (
	"sync"
	"time"
)

// CheckRevision fails with ErrConflict if a document, as it was just read, does not
// have the expected revision; 0 accepts any. If Outline has only raised the revision
// because it wrote a revision of the document, after it published a new document or
// after an update by this client, the revision counts as unchanged: Outline does so
// within a second, and keeps the time of the last change.
func (c *Client) CheckRevision(now Document, expected int) error {
	published := now.PublishedAt != nil && now.UpdatedAt.Before(*now.PublishedAt) && expected+1 == now.Revision
	if expected == 0 || expected == now.Revision || published || c.own.raised(now, expected) {
		return nil
	}
	return ChangedMeanwhile("the document has revision %d, not %d", now.Revision, expected)
}

// maxOwnStates is how many states ownStates remembers.
const maxOwnStates = 1000

// revisionAwaited is how long after an update its revision is still awaited.
const revisionAwaited = 10 * time.Second

// ownStates are the states in which updates of this client that were marked as done
// have left documents. Outline writes a revision of each, if it is not changed
// before. It holds numbers and times only, because its callers may not see each
// other's documents.
type ownStates struct {
	mu   sync.Mutex
	byID map[string]ownState
}

type ownState struct {
	revision         int
	updated, written time.Time
}

func (s *ownStates) add(d Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil || len(s.byID) >= maxOwnStates {
		s.byID = map[string]ownState{}
	}
	s.byID[d.ID] = ownState{d.Revision, d.UpdatedAt, time.Now()}
}

// of returns the state of a document if it is one of them.
func (s *ownStates) of(d Document) (state ownState, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, ok = s.byID[d.ID]
	return state, ok && state.updated.Equal(d.UpdatedAt)
}

// awaited reports whether a revision of a document is still expected to be written.
func (s *ownStates) awaited(d Document) bool {
	state, ok := s.of(d)
	return ok && time.Since(state.written) < revisionAwaited
}

// unraised reports whether a document, as it was read, has the revision number with
// which it was updated, which Outline is still expected to raise or has just raised.
func (s *ownStates) unraised(d Document) bool {
	state, ok := s.of(d)
	return ok && state.revision == d.Revision && time.Since(state.written) < revisionAwaited
}

// raised reports whether a document had a revision number when it was updated, which
// Outline has raised since by writing a revision.
func (s *ownStates) raised(d Document, number int) bool {
	state, ok := s.of(d)
	return ok && state.revision == number && d.Revision == number+1
}
