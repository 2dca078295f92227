package workspace

import (
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
)

// rights returns the caller's rights on a collection.
func (c *caller) rights(col *Collection) access.CollectionRights {
	return c.OnCollection(col.Permission, col.Memberships)
}

// rightsOn returns the caller's rights on a document, from its collection, from
// its own memberships and, for a draft, as its author.
func (s *store) rightsOn(d *document, c *caller) access.DocumentRights {
	return c.WithMemberships(s.rightsByPlace(d, c), d.Memberships)
}

// rightsByPlace is rightsOn without the memberships of the document itself.
func (s *store) rightsByPlace(d *document, c *caller) access.DocumentRights {
	var rights access.DocumentRights
	if col, ok := s.collections[d.CollectionID]; ok {
		rights = c.rights(col).Documents()
	}
	if d.isDraft() {
		rights = c.OnOwnDraft(rights, d.CreatedBy)
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
	return ok && c.WithMemberships(access.DocumentRights{}, d.Memberships).Read
}

// finds reports whether searches find a document for the caller. They leave out
// drafts of others unless they are shared individually.
func (s *store) finds(d *document, c *caller) bool {
	return s.lists(d, c) || c.WithMemberships(access.DocumentRights{}, d.Memberships).Read
}

// documentFor returns a document that the caller may read.
func (s *store) documentFor(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	switch {
	case s.templates[s.resolve(id)] != nil:
		return nil, api.Forbidden()
	case !ok:
		return nil, api.NotFound()
	case !s.rightsOn(d, c).Read:
		return nil, api.Forbidden()
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
		return api.Forbidden()
	}
	c.restricted = true
	return nil
}

// mayFilter restricts a list to the collections that a filter names.
func (s *store) mayFilter(c *caller, f filter) error {
	for _, id := range append(f.newer.Equal("collectionId"), f.collectionID) {
		if err := s.mayFilterBy(c, id); err != nil {
			return err
		}
	}
	return nil
}
