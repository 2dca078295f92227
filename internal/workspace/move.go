package workspace

import (
	"outline-mcp/internal/workspace/api"
	"slices"
)

// documentsMove implements documents.move. A parent determines the collection.
// Without an index the document becomes the last of its siblings. Among the
// same siblings the index counts the document itself: from position 0, index 1
// moves nothing and index 2 does. All of this is recorded.
func (s *store) documentsMove(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	collectionID, parentID := r.Fields.OptionalUUID("collectionId"), r.Fields.OptionalUUID("parentDocumentId")
	index := r.Fields.Index(-1)
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case collectionID == "" && parentID == "" && r.Fields.Has("collectionId"):
		return api.Answer{}, api.InvalidRequest("collectionId is required to move a document")
	case collectionID == "" && parentID == "":
		return api.Answer{}, api.Invalid("collectionId or parentDocumentId is required")
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	if collectionID, err = s.destination(r.caller, d, collectionID, parentID); err != nil {
		return api.Answer{}, err
	}
	return s.movedAnswer(r, s.move(r.caller, d, collectionID, parentID, index)), nil
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
	var data []api.JSON
	for _, d := range moved {
		data = append(data, s.presentDocument(r, d))
	}
	return api.Answer{Data: slices.Concat(api.JSON{[]byte(`{"documents":`)}, api.Array(data...), api.JSON{[]byte(`,"collections":[]}`)})}
}
