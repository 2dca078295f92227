package workspace

import (
	"time"

	"outline-mcp/internal/workspace/api"
)

// documentsArchive is documents.archive: a document and all that is below it.
func (s *store) documentsArchive(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !d.isActive():
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	for _, id := range s.detach(&d.Document) {
		s.change(r.caller, s.documents[id], func(d *Document) { d.ArchivedAt = now })
	}
	return s.documentAnswer(r.caller, s.documents[d.ID]), nil
}

// documentsRestore is documents.restore: it brings a document back from the
// archive or the trash. What is neither could only be set back to an earlier
// revision; no revisions are kept here, so that every one is unknown.
func (s *store) documentsRestore(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	collectionID, revisionID := r.Fields.OptionalUUID("collectionId"), r.Fields.OptionalUUID("revisionId")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, ok := s.findDocument(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !s.rightsOn(d, r.caller).Write.Allowed:
		return api.Answer{}, api.Forbidden()
	case d.ArchivedAt.IsZero() && d.DeletedAt.IsZero() && revisionID == "":
		return api.Answer{}, api.ParamRequired("revisionId is required")
	case d.ArchivedAt.IsZero() && d.DeletedAt.IsZero():
		return api.Answer{}, api.NotFound()
	}
	if collectionID == "" {
		collectionID = d.CollectionID
	}
	col, ok := s.collections[collectionID]
	switch {
	case !ok && collectionID != "" || ok && !r.caller.rights(col).Write.Allowed:
		return api.Answer{}, api.Forbidden()
	case !ok || !col.DeletedAt.IsZero() || !col.ArchivedAt.IsZero():
		return api.Answer{}, api.Invalid("Unable to restore, the collection may have been deleted or archived")
	}
	return s.documentAnswer(r.caller, s.restore(r.caller, d, collectionID)), nil
}

// restore brings a document back into a collection, as the last among its
// siblings. What was archived with it comes back with it; what was put in the
// trash with it stays there.
func (s *store) restore(c *caller, d *document, collectionID string) *document {
	archivedAt, archived := d.ArchivedAt, d.DeletedAt.IsZero()
	restored := s.change(c, d, func(d *Document) {
		d.ArchivedAt, d.DeletedAt = time.Time{}, time.Time{}
		if parent, ok := s.documents[d.ParentID]; !ok || !parent.isActive() || parent.CollectionID != collectionID {
			d.ParentID = ""
		}
		d.CollectionID = collectionID
	})
	if !restored.isActive() {
		return restored
	}
	s.insert(&restored.Document, -1)
	if archived {
		for _, child := range s.sorted(func(child *document) bool {
			return child.ParentID == d.ID && child.ArchivedAt.Equal(archivedAt) && child.DeletedAt.IsZero()
		}, byCreation) {
			s.restore(c, child, collectionID)
		}
	}
	return restored
}

// documentsDelete is documents.delete. A document goes to the trash together
// with the published ones below it; from there an admin can delete it for good.
func (s *store) documentsDelete(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	permanent := r.Fields.Bool("permanent")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, err := s.documentToChange(r.caller, id)
	if err != nil {
		return api.Answer{}, err
	}
	deleted := !d.DeletedAt.IsZero()
	switch {
	case permanent && (!deleted || r.caller.Role != Admin), !permanent && deleted:
		return api.Answer{}, api.Forbidden()
	case permanent:
		s.erase(d)
	default:
		s.trash(r.caller, d)
	}
	return api.Done, nil
}

// trash puts a document and the active ones below it in the trash.
func (s *store) trash(c *caller, d *document) {
	ids := []string{d.ID}
	if d.isActive() {
		ids = s.detach(&d.Document)
	}
	now := s.now()
	for _, id := range ids {
		s.change(c, s.documents[id], func(d *Document) { d.DeletedAt, d.ArchivedAt = now, time.Time{} })
	}
}

// erase forgets a document and its comments. What was below it is so no more.
func (s *store) erase(d *document) {
	for _, child := range s.documents {
		if child.ParentID == d.ID {
			orphan := child.Document
			orphan.ParentID = ""
			s.put(orphan)
		}
	}
	s.deleteComments(func(c *Comment) bool { return c.DocumentID == d.ID })
	s.publications.remove(d.ID)
	delete(s.documents, d.ID)
	delete(s.byURLID, d.URLID)
}
