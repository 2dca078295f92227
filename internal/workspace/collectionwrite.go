package workspace

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
)

// The maximum length of a collection's name, in code points, and description, in
// UTF-16 code units.
const (
	maxCollectionName = 100
	maxDescription    = 100_000
)

// collectionsCreate implements collections.create. The new collection comes
// first in the sidebar and its creator manages it. If it has no permission,
// only the creator sees it.
func (s *store) collectionsCreate(r *request) (api.Answer, error) {
	read := s.readCollection(r)
	if !r.Fields.Has("name") {
		r.Fields.Fail("name", "Invalid input: expected string, received undefined")
	}
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case !r.caller.Role.AtLeast(Member):
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	col := &Collection{
		ID: s.uuid(), URLID: s.urlID(), CreatedAt: now, UpdatedAt: now,
		Memberships: []Membership{{ID: s.uuid(), UserID: r.caller.ID, Permission: Manage}},
	}
	read(col)
	s.collections[col.ID] = col
	s.collectionIDs = slices.Insert(s.collectionIDs, 0, col.ID)
	s.byURLID[col.URLID] = col.ID
	return s.collectionAnswer(r, col), nil
}

// collectionsUpdate implements collections.update, which changes only the given
// fields.
func (s *store) collectionsUpdate(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	read := s.readCollection(r)
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, err := s.collectionToManage(r.caller, id)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !col.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	next := *col
	read(&next)
	if next.Name == col.Name && next.Description == col.Description && next.Icon == col.Icon &&
		next.Color == col.Color && next.Permission == col.Permission {
		return s.collectionAnswer(r, col), nil
	}
	if next.Permission == "" && col.Permission != "" && !r.caller.rights(&next).Read {
		// A caller who makes a collection private keeps access to it.
		next.Memberships = append(slices.Clone(next.Memberships), Membership{ID: s.uuid(), UserID: r.caller.ID, Permission: Manage})
	}
	next.UpdatedAt = s.now()
	s.collections[col.ID] = &next
	return s.collectionAnswer(r, &next), nil
}

// readCollection reads the fields of a collection and returns a function that
// applies them.
func (s *store) readCollection(r *request) func(*Collection) {
	f := &r.Fields
	name, description := f.String("name"), ""
	if f.Values["description"] != nil {
		description = f.String("description")
	}
	icon, color := f.Icon(), f.Color()
	permission := ""
	if f.Values["permission"] != nil {
		permission = f.OneOf("permission", "", Read, ReadWrite)
	}
	switch {
	case utf8.RuneCountInString(name) > maxCollectionName:
		f.Fail("name", "Too big: expected string to have <=%d characters", maxCollectionName)
	case strings.Contains(name, "http://") || strings.Contains(name, "https://"):
		f.Fail("name", "Name cannot contain a URL")
	}
	if utf16Length(description) > maxDescription {
		f.Fail("description", "Too big: expected string to have <=%d characters", maxDescription)
	}
	templates := f.OneOf("templateManagement", "", "admin", ReadWrite)
	return func(c *Collection) {
		if templates != "" {
			c.MembersManageTemplates = templates == ReadWrite
		}
		set := func(name, value string, field *string) {
			if f.Has(name) {
				*field = value
			}
		}
		set("name", name, &c.Name)
		set("description", strings.TrimRight(description, "\n"), &c.Description)
		set("icon", icon, &c.Icon)
		set("color", color, &c.Color)
		set("permission", permission, &c.Permission)
	}
}

// collectionToManage returns a collection that the caller may manage. An
// unknown collection is forbidden.
func (s *store) collectionToManage(c *caller, id string) (*Collection, error) {
	col, ok := s.findCollection(id)
	if !ok || !c.rights(col).Manage {
		return nil, api.Forbidden()
	}
	return col, nil
}

// collectionAnswer returns the answer with one collection.
func (s *store) collectionAnswer(r *request, col *Collection) api.Answer {
	return api.Answer{Data: s.presentCollection(r, col, false)}
}

// collectionsDelete implements collections.delete. It moves the documents of
// the collection to the trash, except those in the archive.
func (s *store) collectionsDelete(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, err := s.collectionToManage(r.caller, id)
	if err != nil {
		return api.Answer{}, err
	}
	now := s.now()
	s.removeTree(col.ID)
	delete(s.archivedWith, col.ID)
	next := *col
	next.DeletedAt = now
	s.collections[col.ID] = &next
	s.changeDocuments(col.ID, func(d *Document) {
		if d.DeletedAt.IsZero() && d.ArchivedAt.IsZero() {
			d.DeletedAt, d.DeletedBy, d.UpdatedAt = now, r.caller.ID, now
		}
	})
	return api.Done, nil
}

// An archivedTree is what was archived with a collection.
type archivedTree struct {
	ids   []string // of the documents, each parent before its children
	nodes []node
}

// collectionsArchive implements collections.archive for a collection and its
// active documents. As recorded, drafts leave the collection.
func (s *store) collectionsArchive(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, ok := s.findCollection(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !r.caller.rights(col).Manage || !col.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	next := *col
	next.ArchivedAt, next.ArchivedBy, next.UpdatedAt = now, r.caller.ID, now
	s.collections[col.ID] = &next
	tree := s.tree(col.ID)
	s.archivedWith[col.ID] = archivedTree{s.removeTree(col.ID)[1:], tree}
	s.changeDocuments(col.ID, func(d *Document) {
		switch d.state() {
		case access.Active:
			d.ArchivedAt, d.UpdatedAt = now, now
		case access.Draft:
			d.CollectionID, d.ParentID, d.UpdatedAt = "", "", now
			d.Revision++
		}
	})
	return s.collectionAnswer(r, &next), nil
}

// collectionsRestore implements collections.restore for a collection and the
// documents that were archived with it.
func (s *store) collectionsRestore(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, ok := s.findCollection(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !r.caller.rights(col).Manage || col.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	next := *col
	next.ArchivedAt, next.ArchivedBy, next.UpdatedAt = time.Time{}, "", s.now()
	s.collections[col.ID] = &next
	for _, id := range s.archivedWith[col.ID].ids {
		d, ok := s.documents[id]
		if !ok || !d.DeletedAt.IsZero() || !d.ArchivedAt.Equal(col.ArchivedAt) || d.CollectionID != col.ID {
			continue
		}
		back := d.Document
		back.ArchivedAt, back.UpdatedAt = time.Time{}, next.UpdatedAt
		if parent, ok := s.documents[back.ParentID]; !ok || !parent.isActive() {
			back.ParentID = ""
		}
		s.insert(&back, -1)
		s.put(back, d.body.content)
	}
	delete(s.archivedWith, col.ID)
	return s.collectionAnswer(r, &next), nil
}

// changeDocuments changes all documents of a collection without changing their
// revisions.
func (s *store) changeDocuments(collectionID string, by func(*Document)) {
	for _, d := range s.documents {
		if d.CollectionID == collectionID {
			next := d.Document
			by(&next)
			s.put(next, d.body.content)
		}
	}
}
