package outline

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/outline/expiring"
)

// accompaniedTime is how long others count as at work on a document.
const accompaniedTime = 10 * time.Second

// maxRemembered is how many documents writers remembers although nobody is
// updating them.
const maxRemembered = 1000

// writers makes the updates of each document by this client one after the other,
// first come, first served, whoever they are made for. Outline's releases read,
// change and save a document without a lock, so that of two updates at once one is
// lost.
//
// It knows when the last update of a document ended, by counting the updates of all
// documents. It holds nothing of the documents themselves, because its callers may
// not see each other's.
type writers struct {
	ended atomic.Int64 // number of updates that have ended

	mu        sync.Mutex
	documents map[string]*documentQueue // by UUID
	forgotten int64                     // no update of a document that is not in the map ended later

	accompanied expiring.Map[string, struct{}] // documents on which others were at work lately
}

// A documentQueue is the queue for one document.
type documentQueue struct {
	turn  chan struct{} // holds a value during an update; who waits to send is served in order
	users int           // who updates or waits
	ended int64         // when the last update ended
}

// now returns the time of a request to read a document that is about to be sent.
func (w *writers) now() int64 { return w.ended.Load() }

// enter waits for the updates of a document that came earlier. It reports whether
// one of them ended after a time, so that what was read then may be out of date. The
// caller must call leave when its own update has ended.
func (w *writers) enter(ctx context.Context, id string, read int64) (stale bool, err error) {
	w.mu.Lock()
	q := w.documents[id]
	if q == nil {
		q = &documentQueue{turn: make(chan struct{}, 1), ended: w.forgotten}
		if w.documents == nil {
			w.documents = map[string]*documentQueue{}
		}
		w.documents[id] = q
	}
	q.users++
	w.mu.Unlock()
	select {
	case q.turn <- struct{}{}:
		w.mu.Lock()
		defer w.mu.Unlock()
		return q.ended > read, nil
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drop(id, q)
		failure := endError("documents.update", ctx.Err())
		failure.Message = "other updates of this document by this program took too long, and nothing was sent"
		return false, failure
	}
}

// leave lets the next update of a document go ahead, and returns the time. sent
// tells whether the one that ends may have changed the document.
func (w *writers) leave(id string, sent bool) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.documents[id]
	if sent {
		q.ended = w.ended.Add(1)
	}
	<-q.turn
	w.drop(id, q)
	return q.ended
}

// drop counts one user less of a queue. Queues that nobody uses are forgotten when
// there are many.
func (w *writers) drop(id string, q *documentQueue) {
	if q.users--; q.users == 0 && q.ended <= w.forgotten {
		delete(w.documents, id)
	}
	if len(w.documents) <= maxRemembered {
		return
	}
	for id, q := range w.documents {
		if q.users == 0 {
			w.forgotten = max(w.forgotten, q.ended)
			delete(w.documents, id)
		}
	}
}

// CheckRevision fails with ErrConflict if a document, as it was just read, does not
// have the expected revision; 0 accepts any. If Outline has only raised the revision
// because it wrote a revision of the document, after it published a new document or
// after an update by this client, the revision counts as unchanged: Outline does so
// within a second, and keeps the time of the last change. If another user's change,
// read before an update by this client, was saved over it, both have the same revision,
// and the times of the changes differ.
func (c *Client) CheckRevision(now Document, expected int) error {
	if c.own.replaced(now, expected) {
		return ChangedMeanwhile("the document has been changed by another user, at %s, and has revision %d again", now.UpdatedAt.UTC().Format(time.RFC3339), expected)
	}
	published := now.PublishedAt != nil && now.UpdatedAt.Before(*now.PublishedAt) && expected+1 == now.Revision
	if expected == 0 || expected == now.Revision || published || c.own.raised(now, expected) {
		return nil
	}
	return ChangedMeanwhile("the document has revision %d, not %d%s", now.Revision, expected, now.LastChange())
}

// LastChange says who changed a document last and when, as the end of a clause, or "" if
// Outline does not say who.
func (d Document) LastChange() string {
	if d.UpdatedBy.Name == "" {
		return ""
	}
	return fmt.Sprintf("; %s changed it last, at %s", d.UpdatedBy.Name, d.UpdatedAt.UTC().Format(time.RFC3339))
}

// ownStateKept is how long ownStates remembers a state.
const ownStateKept = 30 * 24 * time.Hour

const (
	// revisionAwaited is how long after an update its revision is still awaited.
	revisionAwaited = 10 * time.Second
	// replacedWithin is how long after a change its revision number may be given again:
	// longer than any request takes.
	replacedWithin = 30 * time.Minute
)

// ownStates are the states in which this client has left documents. Outline writes a
// revision of each that an update marked as done has left, if it is not changed before.
// It holds numbers and times only, because its callers may not see each other's
// documents.
type ownStates struct {
	byID expiring.Map[string, ownState]
}

type ownState struct {
	revision         int
	updated, written time.Time // by Outline's clock, and by ours
	done             bool      // a revision is written
}

// add remembers the state in which an update that was marked as done left a document.
func (s *ownStates) add(d Document) {
	s.byID.Set(d.ID, ownState{d.Revision, d.UpdatedAt, time.Now(), true}, ownStateKept)
}

// leaving remembers the state in which a change has left a document, unless it failed, and
// passes its result on.
func (c *Client) leaving(d Document, err error) (Document, error) {
	if _, known := c.own.of(d); !known && err == nil {
		c.own.byID.Set(d.ID, ownState{d.Revision, d.UpdatedAt, time.Now(), false}, ownStateKept)
	}
	return d, err
}

// replaced reports whether a document has the revision number with which this client
// left it, but was changed at another time.
func (s *ownStates) replaced(d Document, number int) bool {
	state, known := s.byID.Get(d.ID)
	return known && state.revision == number && d.Revision == number && !state.updated.Equal(d.UpdatedAt) && time.Since(state.written) < replacedWithin
}

// of returns the state of a document if it is one of them.
func (s *ownStates) of(d Document) (state ownState, ok bool) {
	state, ok = s.byID.Get(d.ID)
	return state, ok && state.updated.Equal(d.UpdatedAt)
}

// awaited reports whether a revision of a document is still expected to be written.
func (s *ownStates) awaited(d Document) bool {
	state, ok := s.of(d)
	return ok && state.done && time.Since(state.written) < revisionAwaited
}

// unraised reports whether a document, as it was read, has the revision number with
// which it was updated, which Outline is still expected to raise or has just raised.
func (s *ownStates) unraised(d Document) bool {
	state, _ := s.of(d)
	return s.awaited(d) && state.revision == d.Revision
}

// raised reports whether a document had a revision number when it was updated, which
// Outline has raised since by writing a revision.
func (s *ownStates) raised(d Document, number int) bool {
	state, ok := s.of(d)
	return ok && state.revision == number && d.Revision == number+1
}
