package workspace

import (
	"sync/atomic"
	"time"
)

// publications are the documents that have not changed since a revision of them
// was written, as when they are published. Outline raises the revision number of
// such a document again, half a second after it answered, and does not change
// updatedAt. A change in the meantime cancels that.
type publications struct {
	after time.Duration // the delay; 0 waits for the next read
	ids   map[string]time.Time
	any   atomic.Bool
}

func (p *publications) add(id string, now time.Time) {
	p.ids[id] = now
	p.any.Store(true)
}

func (p *publications) remove(id string) { delete(p.ids, id) }

// due reports whether to raise the revision of a document that was published at
// a time. reads is set if the next request reads.
func (p *publications) due(published, now time.Time, reads bool) bool {
	if p.after <= 0 {
		return reads
	}
	return now.Sub(published) >= p.after
}

// work does what is due before a request, which reads or writes: it writes
// revisions and raises revision numbers. The caller must not hold mu.
func (s *store) work(reads bool) {
	now := s.now()
	revisions := s.history.isDue(now)
	if !revisions && !s.publications.any.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if revisions {
		s.writeRevisions(now)
	}
	for id, published := range s.publications.ids {
		if !s.publications.due(published, now, reads) {
			continue
		}
		if d, ok := s.documents[id]; ok {
			next := d.Document
			next.Revision++
			s.put(next, d.body.content)
		}
		s.publications.remove(id)
	}
	s.publications.any.Store(len(s.publications.ids) > 0)
}
