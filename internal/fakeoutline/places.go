package fakeoutline

import (
	"cmp"
	"slices"
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
}) (apiAnswer, error) {
	collectionID, parentID := in.CollectionID, in.ParentID
	switch {
	case collectionID == "" && parentID == "" && r.Fields.Has("collectionId"):
		return apiAnswer{}, apiInvalidRequest("collectionId is required to move a document")
	case collectionID == "" && parentID == "":
		return apiAnswer{}, apiInvalid("collectionId or parentDocumentId is required")
	}
	d, err := s.documentToChange(r.caller, in.ID)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return apiAnswer{}, apiForbidden()
	}
	if collectionID, err = s.destination(r.caller, d, collectionID, parentID); err != nil {
		return apiAnswer{}, err
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
			return "", apiForbidden()
		}
		return collectionID, nil
	}
	parent, ok := s.documents[parentID]
	switch {
	case !ok || !s.rightsOn(parent, c).Write || !parent.DeletedAt.IsZero() || !parent.ArchivedAt.IsZero():
		return "", apiForbidden()
	case s.within(parent, d.ID):
		return "", apiInvalid("infinite loop detected, cannot nest a document inside itself")
	case parent.isDraft():
		return "", apiInvalidRequest("Cannot move document inside a draft")
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
func (s *store) movedAnswer(r *request, moved []*document) apiAnswer {
	data := jsonList(moved, func(d *document) apiJSON { return s.presentDocument(r, d) })
	return apiAnswer{Data: jsonObject(map[string]apiJSON{"documents": data, "collections": jsonArray()})}
}
