package fakeoutline

import (
	"cmp"
	"slices"
	"time"

	"outline-mcp/internal/fakeoutline/api"
	"outline-mcp/outline/prosemirror"
)

// The tree of a collection contains its active documents. The methods in this
// file keep children consistent with the parents of the documents. Their caller
// must hold mu for writing.

// container returns the ID of the document's parent or, at the top level,
// collection.
func (d *Document) container() string { return cmp.Or(d.ParentID, d.CollectionID) }

// insert inserts a document among its siblings at an index, or as the last if
// the index is negative or too large.
func (s *store) insert(d *Document, index int) {
	siblings := s.children[d.container()]
	if index < 0 || index > len(siblings) {
		index = len(siblings)
	}
	s.children[d.container()] = slices.Insert(slices.Clone(siblings), index, d.ID)
	s.touchTree(d.CollectionID)
}

// touchTree records that the tree of a collection has changed: Outline saves it with
// the collection, which sets updatedAt. That is recorded for publishing.
func (s *store) touchTree(collectionID string) {
	if col, ok := s.collections[collectionID]; ok {
		next := *col
		next.UpdatedAt = s.now()
		s.collections[collectionID] = &next
	}
}

// remove removes a document from its siblings. Its children stay below it.
func (s *store) remove(d *Document) {
	above := d.container()
	siblings := slices.DeleteFunc(slices.Clone(s.children[above]), func(id string) bool { return id == d.ID })
	if len(siblings) == 0 {
		delete(s.children, above)
	} else {
		s.children[above] = siblings
	}
	s.touchTree(d.CollectionID)
}

// detach removes a document and its descendants from the tree and returns their
// IDs, each parent before its children.
func (s *store) detach(d *Document) []string {
	s.remove(d)
	return s.removeTree(d.ID)
}

// removeTree removes the tree below a document or collection. It returns the
// IDs of the root and its former descendants, each parent before its children.
func (s *store) removeTree(id string) []string {
	ids := []string{id}
	below := s.children[id]
	delete(s.children, id)
	for _, child := range below {
		ids = append(ids, s.removeTree(child)...)
	}
	return ids
}

// activeBelow returns the IDs of the active descendants of a document, each
// parent before its children.
func (s *store) activeBelow(id string) []string {
	var ids []string
	for _, child := range s.children[id] {
		ids = append(append(ids, child), s.activeBelow(child)...)
	}
	return ids
}

// documentsMove implements documents.move. A parent determines the collection.
// Without an index the document becomes the last of its siblings. Among the
// same siblings the index counts the document itself: from position 0, index 1
// moves nothing and index 2 does. All of this is recorded.
func (s *store) documentsMove(r *request, in struct {
	slugInput
	placeInput
}) (api.Answer, error) {
	collectionID, parentID := in.CollectionID, in.ParentID
	switch {
	case collectionID == "" && parentID == "" && r.Fields.Has("collectionId"):
		return api.Answer{}, api.InvalidRequest("collectionId is required to move a document")
	case collectionID == "" && parentID == "":
		return api.Answer{}, api.Invalid("collectionId or parentDocumentId is required")
	}
	d, err := s.documentToChange(r.caller, in.ID)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	if collectionID, err = s.destination(r.caller, d, collectionID, parentID); err != nil {
		return api.Answer{}, err
	}
	return s.movedAnswer(r, s.move(r.caller, d, collectionID, parentID, valueOr(in.Index, -1))), nil
}

// A placeInput is where a document goes.
type placeInput struct {
	CollectionID string `in:"collectionId,null,uuid"`
	ParentID     string `in:"parentDocumentId,null,uuid"`
	Index        *int   `in:"index,index"`
}

// valueOr returns the value of a field, or otherwise if it is missing.
func valueOr[T any](field *T, otherwise T) T {
	if field == nil {
		return otherwise
	}
	return *field
}

// setIfGiven stores the value of a field unless it is missing.
func setIfGiven[T any](column, field *T) {
	if field != nil {
		*column = *field
	}
}

// destination returns the collection that a document moves to, given the
// collection and the parent of the request.
func (s *store) destination(c *caller, d *document, collectionID, parentID string) (string, error) {
	if parentID == "" {
		// As recorded, it may be archived.
		if col, ok := s.findCollection(collectionID); !ok || !c.rights(col).Write {
			return "", api.Forbidden()
		}
		return collectionID, nil
	}
	parent, ok := s.documents[parentID]
	switch {
	case !ok || !s.rightsOn(parent, c).Write || !parent.DeletedAt.IsZero() || !parent.ArchivedAt.IsZero():
		return "", api.Forbidden()
	case s.within(parent, d.ID):
		return "", api.Invalid("infinite loop detected, cannot nest a document inside itself")
	case parent.isDraft():
		return "", api.InvalidRequest("Cannot move document inside a draft")
	}
	return parent.CollectionID, nil
}

// move moves a document with its descendants. It returns all of them in their
// new versions, the document last.
func (s *store) move(c *caller, d *document, collectionID, parentID string, index int) []*document {
	next := d.Document
	next.CollectionID, next.ParentID = collectionID, parentID
	if d.isActive() {
		from := slices.Index(s.children[d.container()], d.ID)
		if next.container() == d.container() && index > from {
			index--
		}
		s.remove(&d.Document)
		s.insert(&next, index)
	}
	var moved []*document
	if collectionID != d.CollectionID {
		for _, id := range s.descendants(d.ID) {
			child := s.documents[id]
			next := child.Document
			next.CollectionID = collectionID
			moved = append(moved, s.put(next, child.body.content))
		}
	}
	return append(moved, s.change(c, d, func(d *Document) { *d = next }))
}

// descendants returns the IDs of all documents below a document, which follow
// it to another collection, starting with the active ones.
func (s *store) descendants(id string) []string {
	ids := s.activeBelow(id)
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for _, d := range s.sorted(func(d *document) bool {
		return d.ID != id && !known[d.ID] && s.within(d, id)
	}, byID) {
		ids = append(ids, d.ID)
	}
	return ids
}

// movedAnswer returns the documents that were moved.
func (s *store) movedAnswer(r *request, moved []*document) api.Answer {
	data := api.List(moved, func(d *document) api.JSON { return s.presentDocument(r, d) })
	return api.Answer{Data: api.Object(map[string]api.JSON{"documents": data, "collections": api.Array()})}
}

// documentsArchive implements documents.archive for a document and its
// descendants.
func (s *store) documentsArchive(r *request, in slugInput) (api.Answer, error) {
	d, ok := s.findDocument(in.ID)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !d.isActive() || !s.rightsOn(d, r.caller).Archive:
		return api.Answer{}, api.Forbidden()
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
}) (api.Answer, error) {
	d, err := s.documentToChange(r.caller, in.ID)
	if err != nil {
		return api.Answer{}, err
	}
	deleted := !d.DeletedAt.IsZero()
	switch {
	case in.Permanent && (!deleted || r.caller.Role != Admin), !in.Permanent && deleted:
		return api.Answer{}, api.Forbidden()
	case in.Permanent:
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

// documentsRestore implements documents.restore, which brings a document back
// from the archive or the trash and sets any other back to a revision. As
// recorded, a document that comes back keeps its text whatever the revision,
// and one that is set back stays in its collection.
func (s *store) documentsRestore(r *request, in struct {
	slugInput
	CollectionID string `in:"collectionId,null,uuid"`
	RevisionID   string `in:"revisionId,null,uuid"`
}) (api.Answer, error) {
	d, ok := s.findDocument(in.ID)
	away := ok && (!d.ArchivedAt.IsZero() || !d.DeletedAt.IsZero())
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !s.rightsOn(d, r.caller).Write:
		return api.Answer{}, api.Forbidden()
	case !away && in.RevisionID == "":
		return api.Answer{}, api.ParamRequired("revisionId is required")
	}
	collectionID := d.CollectionID
	if away {
		collectionID = cmp.Or(in.CollectionID, collectionID)
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
	revision, ok := s.history.byID[in.RevisionID]
	switch {
	case !ok && !s.features.august2026:
		return api.Answer{}, api.Forbidden()
	case !ok || !revision.DeletedAt.IsZero():
		return api.Answer{}, api.NotFound()
	case revision.DocumentID != d.ID:
		return api.Answer{}, api.Forbidden()
	}
	return s.documentAnswer(r, s.setBack(r.caller, d, revision)), nil
}

// setBack sets a document, as it was read, back to a revision, without the marks of
// comments. As recorded, the revision number rises even if nothing changes, the author
// of the last change stays, and no revision is written. That others can change the
// document between reading and saving where they can during an update is an assumption.
func (s *store) setBack(c *caller, read *document, r *revision) *document {
	body := &content{root: r.content.tree().WithoutMarks(prosemirror.Comment)}
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
