package workspace

import (
	"outline-mcp/internal/workspace/api"
	"time"
)

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
	s.forgetComments(func(c *Comment) bool { return c.DocumentID == d.ID })
	s.unsettled.remove(d.ID)
	delete(s.documents, d.ID)
	delete(s.byURLID, d.URLID)
}
