package workspace

import "slices"

// documentsMove is documents.move. A parent decides the collection. Without an
// index the document comes last; within the same siblings the index counts
// them before the document is taken out, so that from place 0 index 1 moves
// nothing and index 2 does. All of it is recorded.
func (s *store) documentsMove(r *request) (answer, error) {
	id := r.fields.id()
	collectionID, parentID := r.fields.optionalUUID("collectionId"), r.fields.optionalUUID("parentDocumentId")
	index := r.fields.index(-1)
	switch {
	case r.fields.err != nil:
		return answer{}, r.fields.err
	case collectionID == "" && parentID == "":
		return answer{}, errValidation("collectionId or parentDocumentId is required")
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return answer{}, errForbidden()
	}
	if collectionID, err = s.destination(r.caller, d, collectionID, parentID); err != nil {
		return answer{}, err
	}
	return s.movedAnswer(s.move(r.caller, d, collectionID, parentID, index)), nil
}

// destination returns the collection that a document is moved to, given the
// collection and the parent that were asked for.
func (s *store) destination(c *caller, d *document, collectionID, parentID string) (string, error) {
	if parentID == "" {
		_, err := s.collectionToFill(c, collectionID)
		return collectionID, err
	}
	parent, ok := s.documents[parentID]
	switch {
	case !ok || !s.rightsOn(parent, c).Write.Allowed || !parent.DeletedAt.IsZero() || !parent.ArchivedAt.IsZero():
		return "", errForbidden()
	case s.within(parent, d.ID):
		return "", errValidation("infinite loop detected, cannot nest a document inside itself")
	case parent.isDraft():
		return "", errInvalidRequest("Cannot move document inside a draft")
	}
	return parent.CollectionID, nil
}

// move puts a document in its new place, and what is below it in its new
// collection. It returns them as they are now, the document last.
func (s *store) move(c *caller, d *document, collectionID, parentID string, index int) []*document {
	next := d.Document
	next.CollectionID, next.ParentID = collectionID, parentID
	if d.isActive() {
		from := slices.Index(s.children[d.above()], d.ID)
		if next.above() == d.above() && index > from {
			index--
		}
		s.remove(&d.Document)
		s.insert(&next, index)
	}
	var moved []*document
	if collectionID != d.CollectionID {
		for _, id := range s.subordinates(d.ID) {
			child := s.documents[id].Document
			child.CollectionID = collectionID
			moved = append(moved, s.put(child))
		}
	}
	return append(moved, s.change(c, d, func(d *Document) { *d = next }))
}

// subordinates are the IDs of the documents below a document in whatever state,
// which follow it to another collection: the active ones first.
func (s *store) subordinates(id string) []string {
	ids := s.below(id)
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

func (s *store) movedAnswer(moved []*document) answer {
	var data []pieces
	for _, d := range moved {
		data = append(data, s.presentDocument(d))
	}
	return answer{
		data:     slices.Concat(pieces{[]byte(`{"documents":`)}, array(data...), pieces{[]byte(`,"collections":[]}`)}),
		policies: array(),
	}
}
