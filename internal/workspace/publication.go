package workspace

import (
	"sync/atomic"
	"time"
)

// Publications are the documents that were published and not changed since,
// and when. Outline raises the revision of such a document once more half a
// second after it answered, and leaves updatedAt as it is; a change in that
// time makes that needless.
type publications struct {
	after time.Duration // what passes before the revision is raised; 0: until the next read
	ids   map[string]time.Time
	any   atomic.Bool
}

func (p *publications) add(id string, now time.Time) {
	p.ids[id] = now
	p.any.Store(true)
}

func (p *publications) remove(id string) { delete(p.ids, id) }

// due reports whether the revision of what was published at a time is to be
// raised now.
func (p *publications) due(published, now time.Time, reads bool) bool {
	if p.after <= 0 {
		return reads
	}
	return now.Sub(published) >= p.after
}

// raiseRevisions raises the revisions that are due before a request, which reads or
// writes. Whoever calls it does not hold mu.
func (s *store) raiseRevisions(reads bool) {
	if !s.publications.any.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for id, published := range s.publications.ids {
		if !s.publications.due(published, now, reads) {
			continue
		}
		if d, ok := s.documents[id]; ok {
			next := d.Document
			next.Revision++
			s.put(next)
		}
		s.publications.remove(id)
	}
	s.publications.any.Store(len(s.publications.ids) > 0)
}
