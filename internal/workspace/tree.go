package workspace

import (
	"cmp"
	"slices"
)

// The tree of a collection holds its active documents. These methods keep
// children and the documents' parents in step; whoever calls them holds mu for
// writing.

// above is what a document stands below: its parent, or its collection.
func (d *Document) container() string { return cmp.Or(d.ParentID, d.CollectionID) }

// insert puts a document at an index among its siblings; one that is negative
// or beyond them means behind the last.
func (s *store) insert(d *Document, index int) {
	siblings := s.children[d.container()]
	if index < 0 || index > len(siblings) {
		index = len(siblings)
	}
	s.children[d.container()] = slices.Insert(slices.Clone(siblings), index, d.ID)
}

// remove takes a document out of its siblings. What is below it stays there.
func (s *store) remove(d *Document) {
	above := d.container()
	siblings := slices.DeleteFunc(slices.Clone(s.children[above]), func(id string) bool { return id == d.ID })
	if len(siblings) == 0 {
		delete(s.children, above)
	} else {
		s.children[above] = siblings
	}
}

// detach takes a document and all that is below it out of the tree, and
// returns their IDs, each parent before its children.
func (s *store) detach(d *Document) []string {
	s.remove(d)
	return s.removeTree(d.ID)
}

// fell forgets the tree below a document or collection, and returns its ID
// and those that were below, each parent before its children.
func (s *store) removeTree(id string) []string {
	ids := []string{id}
	below := s.children[id]
	delete(s.children, id)
	for _, child := range below {
		ids = append(ids, s.removeTree(child)...)
	}
	return ids
}

// below are the IDs of the active documents below a document, each parent
// before its children.
func (s *store) activeBelow(id string) []string {
	var ids []string
	for _, child := range s.children[id] {
		ids = append(append(ids, child), s.activeBelow(child)...)
	}
	return ids
}
