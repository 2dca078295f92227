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
	case !d.isActive() || !s.rightsOn(d, r.caller).Archive:
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	for _, id := range s.detach(&d.Document) {
		s.change(r.caller, s.documents[id], func(d *Document) { d.ArchivedAt = now })
	}
	return s.documentAnswer(r, s.documents[d.ID]), nil
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
		s.change(c, s.documents[id], func(d *Document) { d.DeletedAt, d.DeletedBy, d.ArchivedAt = now, c.ID, time.Time{} })
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
	s.history.forget(d.ID)
	delete(s.documents, d.ID)
	delete(s.byURLID, d.URLID)
}
