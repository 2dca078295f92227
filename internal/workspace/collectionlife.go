package workspace

import (
	"outline-mcp/internal/workspace/api"
	"time"
)

// collectionsDelete is collections.delete. The documents of the collection go
// to the trash, those that were archived stay in the archive.
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
	s.fell(col.ID)
	delete(s.shelves, col.ID)
	next := *col
	next.DeletedAt = now
	s.collections[col.ID] = &next
	s.withCollection(col.ID, func(d *Document) {
		if d.DeletedAt.IsZero() && d.ArchivedAt.IsZero() {
			d.DeletedAt, d.UpdatedAt = now, now
		}
	})
	return api.Done, nil
}

// collectionsArchive is collections.archive: the collection with its active
// documents.
func (s *store) collectionsArchive(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, ok := s.findCollection(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !r.caller.rights(col).Manage.Allowed || !col.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	next := *col
	next.ArchivedAt, next.ArchivedBy, next.UpdatedAt = now, r.caller.ID, now
	s.collections[col.ID] = &next
	s.shelves[col.ID] = s.fell(col.ID)[1:]
	s.withCollection(col.ID, func(d *Document) {
		if d.isActive() {
			d.ArchivedAt = now
		}
	})
	return s.collectionAnswer(r.caller, &next), nil
}

// collectionsRestore is collections.restore: the collection comes back with the
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
	case !r.caller.rights(col).Manage.Allowed || col.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	next := *col
	next.ArchivedAt, next.ArchivedBy, next.UpdatedAt = time.Time{}, "", s.now()
	s.collections[col.ID] = &next
	for _, id := range s.shelves[col.ID] {
		d, ok := s.documents[id]
		if !ok || !d.DeletedAt.IsZero() || !d.ArchivedAt.Equal(col.ArchivedAt) || d.CollectionID != col.ID {
			continue
		}
		back := d.Document
		back.ArchivedAt = time.Time{}
		if parent, ok := s.documents[back.ParentID]; !ok || !parent.isActive() {
			back.ParentID = ""
		}
		s.insert(&back, -1)
		s.put(back)
	}
	delete(s.shelves, col.ID)
	return s.collectionAnswer(r.caller, &next), nil
}

// withCollection changes all documents of a collection with it. Their
// revisions stay.
func (s *store) withCollection(collectionID string, by func(*Document)) {
	for _, d := range s.documents {
		if d.CollectionID == collectionID {
			next := d.Document
			by(&next)
			s.put(next)
		}
	}
}
