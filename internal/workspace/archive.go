package workspace

import (
	"time"

	"outline-mcp/internal/workspace/api"
)

// documentsArchive implements documents.archive for a document and its
// descendants.
func (s *store) documentsArchive(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, ok := s.findDocument(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !d.isActive() || !s.rightsOn(d, r.caller).Archive.Allowed:
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	for _, id := range s.detach(&d.Document) {
		s.change(r.caller, s.documents[id], func(d *Document) { d.ArchivedAt = now })
	}
	return s.documentAnswer(r, s.documents[d.ID]), nil
}

// documentsRestore implements documents.restore for a document in the archive
// or the trash. In Outline it also sets other documents back to an earlier
// revision. The workspace keeps no revisions, so every revision ID is unknown.
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
	return s.documentAnswer(r, s.restore(r.caller, d, collectionID)), nil
}

// restore returns a document to a collection as the last of its siblings, with
// the documents that were archived with it. Documents that were deleted with it
// stay in the trash.
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

// documentsDelete implements documents.delete. It moves a document and its
// published descendants to the trash, from which an admin can permanently
// delete it.
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

// trash moves a document and its active descendants to the trash.
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

// erase permanently deletes a document and its comments. Its children lose
// their parent.
func (s *store) erase(d *document) {
	for _, child := range s.documents {
		if child.ParentID == d.ID {
			orphan := child.Document
			orphan.ParentID = ""
			s.put(orphan, child.body.content)
		}
	}
	s.deleteComments(func(c *Comment) bool { return c.DocumentID == d.ID })
	s.publications.remove(d.ID)
	delete(s.documents, d.ID)
	delete(s.byURLID, d.URLID)
}
