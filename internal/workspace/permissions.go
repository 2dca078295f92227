package workspace

// A grant is what permits something: nothing, the caller's role, or
// memberships.
type grant struct {
	allowed bool
	through []string // the IDs of the memberships; nil if the role suffices
}

var byRole = grant{allowed: true}

// or is the grant itself, or the other one where it permits nothing.
func (g grant) or(other grant) grant {
	if g.allowed {
		return g
	}
	return other
}

// throughMembership grants what one of the permissions is needed for.
func (c *caller) throughMembership(memberships []Membership, permissions ...string) grant {
	var g grant
	for _, m := range memberships {
		if m.UserID != c.ID {
			continue
		}
		for _, p := range permissions {
			if m.Permission == p {
				g.allowed, g.through = true, append(g.through, m.ID)
			}
		}
	}
	return g
}

// collectionRights are what a caller may do with a collection.
type collectionRights struct {
	see    grant // know that it exists
	read   grant // its documents
	write  grant // its documents
	manage grant // the collection itself
}

// rights returns the caller's rights on a collection. An admin may see and
// manage every collection, but without a membership reads nothing in a
// private one.
func (c *caller) rights(col *Collection) collectionRights {
	var r collectionRights
	if col.Permission != "" && c.Role != Guest {
		r.read = byRole
	} else {
		r.read = c.throughMembership(col.Memberships, Read, ReadWrite, Manage)
	}
	switch {
	case c.Role == Viewer:
	case col.Permission == ReadWrite && c.Role != Guest:
		r.write = byRole
	default:
		r.write = c.throughMembership(col.Memberships, ReadWrite, Manage)
	}
	r.see = r.read
	switch c.Role {
	case Admin:
		r.see, r.manage = byRole, byRole
	case Member:
		r.manage = c.throughMembership(col.Memberships, Manage)
	}
	return r
}

// documentRights are what a caller may do with a document.
type documentRights struct {
	read  grant
	write grant
}

// rightsOn returns the caller's rights on a document, which come from its
// collection or from memberships of its own. A draft is its author's alone.
func (s *store) rightsOn(d *document, c *caller) documentRights {
	rights := s.listed(d, c)
	if len(d.Memberships) > 0 {
		rights.read = rights.read.or(c.throughMembership(d.Memberships, Read, ReadWrite, Manage))
		rights.write = rights.write.or(c.throughMembership(d.Memberships, ReadWrite, Manage))
	}
	return rights
}

// listed is rightsOn without the memberships of the document itself: a list
// does not show what is shared one by one.
func (s *store) listed(d *document, c *caller) documentRights {
	if d.isDraft() {
		if d.CreatedBy != c.ID {
			return documentRights{}
		}
		return documentRights{read: byRole, write: byRole}
	}
	col, ok := s.collections[d.CollectionID]
	if !ok {
		return documentRights{}
	}
	rights := c.rights(col)
	return documentRights{read: rights.read, write: rights.write}
}

// documentFor finds a document that the caller may read.
func (s *store) documentFor(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	switch {
	case !ok:
		return nil, errNotFound()
	case !s.rightsOn(d, c).read.allowed:
		return nil, errForbidden()
	}
	return d, nil
}

// mayFilterBy checks the collection that a list is limited to, "" for none:
// one whose documents the caller may not read is treated as an unknown one.
func (s *store) mayFilterBy(c *caller, collectionID string) error {
	if collectionID == "" {
		return nil
	}
	col, ok := s.findCollection(collectionID)
	if !ok || !c.rights(col).read.allowed {
		return errForbidden()
	}
	return nil
}
