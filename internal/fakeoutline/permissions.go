package fakeoutline

import (
	"sync"
	"time"
)

// rights returns the caller's rights on a collection.
func (c *caller) rights(col *Collection) collectionRights {
	return c.onCollection(col.Permission, col.Memberships)
}

// rightsOn returns the caller's rights on a document, from its collection, from
// its own memberships and, for a draft, as its author.
func (s *store) rightsOn(d *document, c *caller) documentRights {
	return c.withMemberships(s.rightsByPlace(d, c), s.sharing(d))
}

// sharing returns the memberships in a document: its own, and those in the documents
// above it, which Outline copies to what is below.
func (s *store) sharing(d *document) []Membership {
	all := d.Memberships
	for above := s.documents[d.ParentID]; above != nil; above = s.documents[above.ParentID] {
		all = append(all[:len(all):len(all)], above.Memberships...)
	}
	return all
}

// rightsByPlace is rightsOn without the memberships of the document itself.
func (s *store) rightsByPlace(d *document, c *caller) documentRights {
	var rights documentRights
	if col, ok := s.collections[d.CollectionID]; ok {
		rights = c.rights(col).Documents()
	}
	if d.isDraft() {
		rights = c.onOwnDraft(rights, d.CreatedBy)
	}
	return rights
}

// lists reports whether lists hold a document for the caller. They leave out
// documents that are shared individually and drafts of others.
func (s *store) lists(d *document, c *caller) bool {
	return (!d.isDraft() || d.CreatedBy == c.ID) && s.rightsByPlace(d, c).Read && s.remembers(c, d.CollectionID) && !s.isAway(d)
}

// isAway reports whether a document went into the archive with its collection, or was
// moved there. As recorded, no list and no search holds it.
func (s *store) isAway(d *document) bool {
	col, ok := s.collections[d.CollectionID]
	return ok && !col.ArchivedAt.IsZero() && d.DeletedAt.IsZero()
}

// sharedWith reports whether a document is shared individually with the caller, which
// lets lists of what is directly below it show that.
func (s *store) sharedWith(c *caller, id string) bool {
	d, ok := s.findDocument(id)
	return ok && c.withMemberships(documentRights{}, s.sharing(d)).Read
}

// finds reports whether searches find a document for the caller. They leave out
// drafts of others unless they are shared individually.
func (s *store) finds(d *document, c *caller) bool {
	return s.lists(d, c) || c.withMemberships(documentRights{}, s.sharing(d)).Read
}

// documentFor returns a document that the caller may read.
func (s *store) documentFor(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	switch {
	case s.templates[s.resolve(id)] != nil:
		return nil, apiForbidden()
	case !ok:
		return nil, apiNotFound()
	case !s.rightsOn(d, c).Read:
		return nil, apiForbidden()
	}
	return d, nil
}

// mayFilterBy restricts a list to a collection. It returns an error unless the
// caller may read the documents of it. An empty ID is no restriction; an unknown
// collection is forbidden.
func (s *store) mayFilterBy(c *caller, collectionID string) error {
	if collectionID == "" {
		return nil
	}
	col, ok := s.findCollection(collectionID)
	if !ok || !c.rights(col).Read {
		return apiForbidden()
	}
	c.restricted = true
	return nil
}

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
