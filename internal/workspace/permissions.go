package workspace

import (
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
)

// rights returns the caller's rights on a collection.
func (c *caller) rights(col *Collection) access.CollectionRights {
	return c.OnCollection(col.Permission, col.Memberships)
}

// rightsOn returns the caller's rights on a document, from its collection and
// from its own memberships. A draft belongs to its author alone.
func (s *store) rightsOn(d *document, c *caller) access.DocumentRights {
	return c.WithMemberships(s.listed(d, c), d.Memberships)
}

// listed is rightsOn without the memberships of the document itself, because
// lists leave out documents that are shared individually.
func (s *store) listed(d *document, c *caller) access.DocumentRights {
	if d.isDraft() {
		return c.OnDraft(d.CreatedBy)
	}
	col, ok := s.collections[d.CollectionID]
	if !ok {
		return access.DocumentRights{}
	}
	return c.rights(col).Documents()
}

// documentFor returns a document that the caller may read.
func (s *store) documentFor(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	switch {
	case !ok:
		return nil, api.NotFound()
	case !s.rightsOn(d, c).Read.Allowed:
		return nil, api.Forbidden()
	}
	return d, nil
}

// mayFilterBy returns an error unless the caller may read the documents of the
// collection that restricts a list. An empty ID is no restriction; an unknown
// collection is forbidden.
func (s *store) mayFilterBy(c *caller, collectionID string) error {
	if collectionID == "" {
		return nil
	}
	col, ok := s.findCollection(collectionID)
	if !ok || !c.rights(col).Read.Allowed {
		return api.Forbidden()
	}
	return nil
}

// The following methods return the policies of objects of the store.

func (s *store) documentPolicy(c *caller, d *document) api.JSON {
	return api.JSON{c.DocumentPolicy(d.ID, d.state(), s.rightsOn(d, c))}
}

func (c *caller) policy(col *Collection) api.JSON {
	return api.JSON{access.CollectionPolicy(col.ID, !col.ArchivedAt.IsZero(), c.rights(col))}
}

func userPolicy(c *caller, u *User) api.JSON { return api.JSON{c.UserPolicy(u.ID, u.Suspended)} }
