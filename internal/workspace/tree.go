package workspace

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
