package workspace

import (
	"cmp"
	"outline-mcp/internal/workspace/text"
)

// documentsUpdate is documents.update. Only what is given changes, and what is
// the same as before changes nothing.
func (s *store) documentsUpdate(r *request) (answer, error) {
	f := &r.fields
	for _, name := range s.unknownToUpdate {
		delete(f.values, name)
	}
	id := f.id()
	change := readEdit(f)
	title := f.string("title")
	icon, color := f.icon(), f.color()
	fullWidth, publish := f.bool("fullWidth"), f.bool("publish")
	collectionID := f.optionalUUID("collectionId")
	lastRevision := f.int("lastRevision", 0)
	if f.err != nil {
		return answer{}, f.err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return answer{}, errForbidden()
	}
	publish = publish && d.isDraft()
	if publish {
		if collectionID, err = s.placeToPublish(r.caller, d, collectionID); err != nil {
			return answer{}, err
		}
	}
	if f.has("lastRevision") && lastRevision != d.Revision {
		return answer{}, errConflict("Document has been modified since the provided revision")
	}

	next := d.Document
	if f.has("title") {
		next.Title = title
	}
	if f.has("icon") {
		next.Icon = icon
	}
	if f.has("color") {
		next.Color = color
	}
	if f.has("fullWidth") {
		next.FullWidth = fullWidth
	}
	if f.has("text") {
		if next.Text, err = change.Apply(d.Text); err != nil {
			return answer{}, errNotFound()
		}
	}
	if err := checkContent(next.Title, next.Text); err != nil {
		return answer{}, err
	}
	same := next.Title == d.Title && next.Text == d.Text && next.Icon == d.Icon && next.Color == d.Color && next.FullWidth == d.FullWidth
	if same && !publish {
		return s.documentAnswer(r.caller, d), nil
	}
	if publish {
		next.CollectionID, next.PublishedAt = collectionID, s.now()
		s.insert(&next, 0)
	}
	changed := s.change(r.caller, d, func(d *Document) { *d = next })
	if next.Text != d.Text {
		s.keepAnchors(changed, change.Mode == "replace")
	}
	if publish {
		s.unsettled.add(d.ID, s.now())
	}
	return s.documentAnswer(r.caller, changed), nil
}

// placeToPublish returns the collection that a draft is published in: its own
// or, where it has none, the one that was asked for.
func (s *store) placeToPublish(c *caller, d *document, collectionID string) (string, error) {
	collectionID = cmp.Or(d.CollectionID, collectionID)
	if collectionID == "" {
		return "", errParamRequired("collectionId is required to publish a draft without collection")
	}
	return s.placeFor(c, collectionID, d.ParentID)
}

// documentsUnpublish is documents.unpublish: a document becomes the caller's
// draft.
func (s *store) documentsUnpublish(r *request) (answer, error) {
	id := r.fields.id()
	outside := r.fields.bool("detach")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return answer{}, err
	case !d.isActive():
		return answer{}, errForbidden()
	case len(s.children[d.ID]) > 0:
		return answer{}, errInvalidRequest("Cannot unpublish document with child documents")
	}
	s.remove(&d.Document)
	return s.documentAnswer(r.caller, s.change(r.caller, d, func(d *Document) {
		d.PublishedAt, d.CreatedBy = noTime, r.caller.ID
		if outside {
			d.CollectionID, d.ParentID = "", ""
		}
	})), nil
}

// readEdit reads the fields of documents.update that change the text. The
// older form of appending is "append": true.
func readEdit(f *fields) text.Edit {
	e := text.Edit{
		Text: f.string("text"),
		Mode: f.oneOf("editMode", "replace", "replace", "append", "prepend", "patch"),
		Find: f.string("findText"),
	}
	asked := f.bool("append") || f.has("editMode")
	if f.bool("append") && !f.has("editMode") {
		e.Mode = "append"
	}
	switch {
	case f.err != nil:
	case asked && !f.has("text"):
		f.err = errValidation("text is required when using append, prepend, or editMode")
	case e.Mode == "patch" && e.Find == "":
		f.err = errValidation("findText is required when using patch editMode")
	}
	return e
}
