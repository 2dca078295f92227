package workspace

// documentsArchive is documents.archive: a document and all that is below it.
func (s *store) documentsArchive(r *request) (answer, error) {
	id := r.fields.id()
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !d.isActive():
		return answer{}, errForbidden()
	}
	now := s.now()
	for _, id := range s.detach(&d.Document) {
		s.change(r.caller, s.documents[id], func(d *Document) { d.ArchivedAt = now })
	}
	return s.documentAnswer(r.caller, s.documents[d.ID]), nil
}

// documentsRestore is documents.restore: it brings a document back from the
// archive or the trash. What is neither could only be set back to an earlier
// revision; no revisions are kept here, so that every one is unknown.
func (s *store) documentsRestore(r *request) (answer, error) {
	id := r.fields.id()
	collectionID, revisionID := r.fields.optionalUUID("collectionId"), r.fields.optionalUUID("revisionId")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	d, ok := s.findDocument(id)
	switch {
	case !ok:
		return answer{}, errNotFound()
	case !s.rightsOn(d, r.caller).Write.Allowed:
		return answer{}, errForbidden()
	case d.ArchivedAt.IsZero() && d.DeletedAt.IsZero() && revisionID == "":
		return answer{}, errParamRequired("revisionId is required")
	case d.ArchivedAt.IsZero() && d.DeletedAt.IsZero():
		return answer{}, errNotFound()
	}
	if collectionID == "" {
		collectionID = d.CollectionID
	}
	col, ok := s.collections[collectionID]
	switch {
	case !ok && collectionID != "" || ok && !r.caller.rights(col).Write.Allowed:
		return answer{}, errForbidden()
	case !ok || !col.DeletedAt.IsZero() || !col.ArchivedAt.IsZero():
		return answer{}, errValidation("Unable to restore, the collection may have been deleted or archived")
	}
	return s.documentAnswer(r.caller, s.restore(r.caller, d, collectionID)), nil
}

// restore brings a document back into a collection, as the last among its
// siblings. What was archived with it comes back with it; what was put in the
// trash with it stays there.
func (s *store) restore(c *caller, d *document, collectionID string) *document {
	archivedAt, archived := d.ArchivedAt, d.DeletedAt.IsZero()
	restored := s.change(c, d, func(d *Document) {
		d.ArchivedAt, d.DeletedAt = noTime, noTime
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
