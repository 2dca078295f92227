package workspace

import (
	"sync"
	"time"
)

// visibleTime is how long releases remember which collections a user sees.
const visibleTime = 10 * time.Second

// A visibleCache holds for each user the collections whose documents the user
// could read when a list or search last looked them up.
type visibleCache struct {
	mu sync.Mutex
	of map[string]visibleCollections // by the ID of the user
}

type visibleCollections struct {
	at  time.Time
	ids map[string]bool
}

// remembers reports whether lists and searches know a collection for the
// caller. They know all of them unless the release remembers those of a moment
// ago. A list that is restricted to one collection looks that one up.
func (s *store) remembers(c *caller, collectionID string) bool {
	if s.features.august2026 || c.restricted || collectionID == "" {
		return true
	}
	if c.visible == nil {
		c.visible = s.visibleTo(c)
	}
	return c.visible[collectionID]
}

func (s *store) visibleTo(c *caller) map[string]bool {
	s.visible.mu.Lock()
	defer s.visible.mu.Unlock()
	now := s.now()
	known, ok := s.visible.of[c.ID]
	if !ok || now.Sub(known.at) >= visibleTime {
		known = visibleCollections{now, make(map[string]bool)}
		for id, col := range s.collections {
			known.ids[id] = c.rights(col).Read
		}
		s.visible.of[c.ID] = known
	}
	return known.ids
}
