package outline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// contentionTime is how long a document counts as contended after others have
// overwritten an update of it.
const contentionTime = 10 * time.Second

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
}

// A documentQueue is the queue for one document.
type documentQueue struct {
	turn  chan struct{} // holds a value during an update; who waits to send is served in order
	users int           // who updates or waits
	ended int64         // when the last update ended
	lost  time.Time     // when an update was last seen to be overwritten by others
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
		failure := ended("documents.update", ctx.Err())
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

// overwritten remembers that others have overwritten an update that is under way.
func (w *writers) overwritten(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.documents[id].lost = time.Now()
}

// contended reports whether others have overwritten updates of a document lately. An
// update of it is under way.
func (w *writers) contended(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	lost := w.documents[id].lost
	return !lost.IsZero() && time.Since(lost) < contentionTime
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
