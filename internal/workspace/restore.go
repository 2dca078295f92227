package workspace

import (
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/outline/prosemirror"
)

// documentsRestore implements documents.restore, which brings a document back
// from the archive or the trash and sets any other back to a revision. As
// recorded, a document that comes back keeps its text whatever the revision,
// and one that is set back stays in its collection.
func (s *store) documentsRestore(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	collectionID, revisionID := r.Fields.OptionalUUID("collectionId"), r.Fields.OptionalUUID("revisionId")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, ok := s.findDocument(id)
	away := ok && (!d.ArchivedAt.IsZero() || !d.DeletedAt.IsZero())
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !s.rightsOn(d, r.caller).Write:
		return api.Answer{}, api.Forbidden()
	case !away && revisionID == "":
		return api.Answer{}, api.ParamRequired("revisionId is required")
	}
	if collectionID == "" || !away {
		collectionID = d.CollectionID
	}
	col, ok := s.collections[collectionID]
	switch {
	case !ok && collectionID != "" || ok && away && !r.caller.rights(col).Write:
		return api.Answer{}, api.Forbidden()
	case !ok || !col.DeletedAt.IsZero() || !col.ArchivedAt.IsZero():
		return api.Answer{}, api.Invalid("Unable to restore, the collection may have been deleted or archived")
	case away:
		return s.documentAnswer(r, s.restore(r.caller, d, collectionID)), nil
	}
	revision, ok := s.history.byID[revisionID]
	switch {
	case !ok && !s.features.august2026:
		return api.Answer{}, api.Forbidden()
	case !ok || !revision.DeletedAt.IsZero():
		return api.Answer{}, api.NotFound()
	case revision.DocumentID != d.ID:
		return api.Answer{}, api.Forbidden()
	}
	return s.documentAnswer(r, s.setBack(d, revision)), nil
}

// setBack sets a document, as it was read, back to a revision, without the marks of
// comments. As recorded, the revision number rises even if nothing changes, the author
// of the last change stays, and no revision is written. That others can change the
// document between reading and saving where they can during an update is an assumption.
func (s *store) setBack(read *document, r *revision) *document {
	body := &content{root: r.content.tree().WithoutMarks(prosemirror.Comment)}
	if prosemirror.Equal(body.root, read.body.tree()) {
		body = read.body.content
	}
	s.takeUpdateTime()
	present, ok := s.documents[read.ID]
	if !ok {
		return read // permanently deleted meanwhile
	}
	next, stored := present.Document, present.body.content
	if body != read.body.content || read.Title != r.Title || read.Icon != r.Icon || read.Color != r.Color {
		next.UpdatedAt = s.now()
	}
	setIfChanged(&next.Title, read.Title, r.Title)
	setIfChanged(&next.Icon, read.Icon, r.Icon)
	setIfChanged(&next.Color, read.Color, r.Color)
	setIfChanged(&stored, read.body.content, body)
	if next.Revision = read.Revision + 1; s.features.august2026 {
		next.Revision = present.Revision + 1
	}
	s.publications.remove(next.ID)
	return s.put(next, stored)
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
