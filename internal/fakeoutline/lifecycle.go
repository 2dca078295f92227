package fakeoutline

import (
	"cmp"
	"time"

	"outline-mcp/outline/prosemirror"
)

// documentsArchive implements documents.archive for a document and its
// descendants.
func (s *store) documentsArchive(r *request, in slugInput) (apiAnswer, error) {
	d, ok := s.findDocument(in.ID)
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !d.isActive() || !s.rightsOn(d, r.caller).Archive:
		return apiAnswer{}, apiForbidden()
	}
	// Read from the source: what is below and archived already is archived again, so that
	// all of it comes back with the document.
	now := s.now()
	s.detach(&d.Document)
	for _, id := range append([]string{d.ID}, s.descendants(d.ID)...) {
		if below := s.documents[id]; !below.isDraft() && below.DeletedAt.IsZero() {
			s.change(r.caller, below, func(d *Document) { d.ArchivedAt = now })
		}
	}
	return s.documentAnswer(r, s.documents[d.ID]), nil
}

// documentsDelete implements documents.delete. It moves a document and its
// published descendants to the trash, from which an admin can permanently
// delete it.
func (s *store) documentsDelete(r *request, in struct {
	slugInput
	Permanent bool `in:"permanent"`
}) (apiAnswer, error) {
	d, err := s.documentToChange(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	deleted := !d.DeletedAt.IsZero()
	switch {
	case in.Permanent && (!deleted || r.caller.Role != Admin), !in.Permanent && deleted:
		return apiAnswer{}, apiForbidden()
	case in.Permanent:
		s.erase(d)
	default:
		s.trash(r.caller, d)
	}
	return apiDone, nil
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

// documentsRestore implements documents.restore, which brings a document back
// from the archive or the trash and sets any other back to a revision. As
// recorded, a document that comes back keeps its text whatever the revision,
// and one that is set back stays in its collection.
func (s *store) documentsRestore(r *request, in struct {
	slugInput
	CollectionID string `in:"collectionId,null,uuid"`
	RevisionID   string `in:"revisionId,null,uuid"`
}) (apiAnswer, error) {
	d, ok := s.findDocument(in.ID)
	away := ok && (!d.ArchivedAt.IsZero() || !d.DeletedAt.IsZero())
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !s.rightsOn(d, r.caller).Write:
		return apiAnswer{}, apiForbidden()
	case !away && in.RevisionID == "":
		return apiAnswer{}, apiParamRequired("revisionId is required")
	}
	collectionID := d.CollectionID
	if away {
		collectionID = cmp.Or(in.CollectionID, collectionID)
	}
	col, ok := s.collections[collectionID]
	switch {
	case !ok && collectionID != "" || ok && away && !r.caller.rights(col).Write:
		return apiAnswer{}, apiForbidden()
	case !ok || !col.DeletedAt.IsZero() || !col.ArchivedAt.IsZero():
		return apiAnswer{}, apiInvalid("Unable to restore, the collection may have been deleted or archived")
	case away:
		return s.documentAnswer(r, s.restore(r.caller, d, collectionID)), nil
	}
	revision, ok := s.history.byID[in.RevisionID]
	switch {
	case !ok && !s.features.august2026:
		return apiAnswer{}, apiForbidden()
	case !ok || !revision.DeletedAt.IsZero():
		return apiAnswer{}, apiNotFound()
	case revision.DocumentID != d.ID:
		return apiAnswer{}, apiForbidden()
	}
	return s.documentAnswer(r, s.setBack(r.caller, d, revision)), nil
}

// setBack sets a document, as it was read, back to a revision, without the marks of
// comments. As recorded, the revision number rises even if nothing changes, the author
// of the last change stays, and no revision is written. That others can change the
// document between reading and saving where they can during an update is an assumption.
func (s *store) setBack(c *caller, read *document, r *revision) *document {
	body := s.content(r.content.tree().WithoutMarks(prosemirror.Comment))
	if prosemirror.Equal(body.root, read.body.tree()) {
		body = read.body.content
	}
	s.takeUpdateTime(c)
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
	next.Revision = read.Revision + 1
	s.publications.remove(next.ID)
	return s.put(next, stored)
}

// restore returns a document to a collection as the last of its siblings, with
// all archived documents below it. Documents that were deleted with it
// stay in the trash.
func (s *store) restore(c *caller, d *document, collectionID string) *document {
	archived := d.DeletedAt.IsZero()
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
			return child.ParentID == d.ID && child.state() == stateArchived && !child.isDraft()
		}, byCreation) {
			s.restore(c, child, collectionID)
		}
	}
	return restored
}

// collectionsDelete implements collections.delete. It moves the documents of
// the collection to the trash, except those in the archive.
func (s *store) collectionsDelete(r *request, in slugInput) (apiAnswer, error) {
	col, err := s.collectionToManage(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
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
	return apiDone, nil
}

// An archivedTree is what was archived with a collection.
type archivedTree struct {
	ids   []string // of the documents, each parent before its children
	nodes []node
}

// collectionsArchive implements collections.archive for a collection and its
// active documents. As recorded, drafts leave the collection.
func (s *store) collectionsArchive(r *request, in slugInput) (apiAnswer, error) {
	col, ok := s.findCollection(in.ID)
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !r.caller.rights(col).Manage || !col.ArchivedAt.IsZero():
		return apiAnswer{}, apiForbidden()
	}
	now := s.now()
	next := *col
	next.ArchivedAt, next.ArchivedBy, next.UpdatedAt = now, r.caller.ID, now
	s.collections[col.ID] = &next
	tree := s.tree(col.ID)
	s.archivedWith[col.ID] = archivedTree{s.removeTree(col.ID)[1:], tree}
	s.changeDocuments(col.ID, func(d *Document) {
		switch d.state() {
		case stateActive:
			d.ArchivedAt, d.UpdatedAt = now, now
		case stateDraft:
			d.CollectionID, d.ParentID, d.UpdatedAt = "", "", now
			d.Revision++
		}
	})
	return s.collectionAnswer(r, &next), nil
}

// collectionsRestore implements collections.restore for a collection and the
// documents that were archived with it.
func (s *store) collectionsRestore(r *request, in slugInput) (apiAnswer, error) {
	col, ok := s.findCollection(in.ID)
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !r.caller.rights(col).Manage || col.ArchivedAt.IsZero():
		return apiAnswer{}, apiForbidden()
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
