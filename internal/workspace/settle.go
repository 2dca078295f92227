package workspace

import "sync/atomic"

// Publications are the documents that were published and not read or changed
// since. Outline raises the revision of such a document once more half a
// second after it answered; a change in that time makes that needless. Here it
// happens when the workspace is next read, whatever the clock says.
type publications struct {
	ids map[string]bool
	any atomic.Bool
}

func (p *publications) add(id string) {
	p.ids[id] = true
	p.any.Store(true)
}

func (p *publications) remove(id string) { delete(p.ids, id) }

// settle raises the revisions of the documents published since the last read.
// Whoever calls it does not hold mu.
func (s *store) settle() {
	if !s.unsettled.any.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.unsettled.ids {
		if d, ok := s.documents[id]; ok {
			next := d.Document
			next.Revision++
			s.put(next)
		}
	}
	clear(s.unsettled.ids)
	s.unsettled.any.Store(false)
}
