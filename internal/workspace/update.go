package workspace

import (
	"cmp"
	"outline-mcp/internal/workspace/api"
	"time"
)

// documentsUpdate implements documents.update, which changes only the given
// fields. Without a difference it changes nothing.
func (s *store) documentsUpdate(r *request) (api.Answer, error) {
	f := &r.Fields
	for _, name := range s.ignoredByUpdate {
		delete(f.Values, name)
	}
	id := f.ID()
	change := readEdit(f, s.uuid)
	title := f.String("title")
	icon, color := f.Icon(), f.Color()
	fullWidth, publish := f.Bool("fullWidth"), f.Bool("publish")
	collectionID := f.OptionalUUID("collectionId")
	lastRevision := f.Int("lastRevision", 0)
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return api.Answer{}, api.Forbidden()
	}
	publish = publish && d.isDraft()
	if publish {
		if collectionID, err = s.collectionToPublishIn(r.caller, d, collectionID); err != nil {
			return api.Answer{}, err
		}
	}
	if f.Has("lastRevision") && lastRevision != d.Revision {
		return api.Answer{}, api.Conflict("Document has been modified since the provided revision")
	}

	next := d.Document
	if f.Has("title") {
		next.Title = title
	}
	if f.Has("icon") {
		next.Icon = icon
	}
	if f.Has("color") {
		next.Color = color
	}
	if f.Has("fullWidth") {
		next.FullWidth = fullWidth
	}
	body := d.body.content
	if f.Has("text") {
		if body, err = change.apply(body); err != nil {
			return api.Answer{}, err
		}
	}
	if err := checkContent(next.Title, body.markdown().Text); err != nil {
		return api.Answer{}, err
	}
	same := next.Title == d.Title && body == d.body.content && next.Icon == d.Icon && next.Color == d.Color && next.FullWidth == d.FullWidth
	if same && !publish {
		return s.documentAnswer(r, d), nil
	}
	if publish {
		next.CollectionID, next.PublishedAt = collectionID, s.now()
		s.insert(&next, 0)
	}
	changed := s.revise(r.caller, next, body)
	if publish {
		s.publications.add(d.ID, s.now())
	}
	return s.documentAnswer(r, changed), nil
}

// collectionToPublishIn returns the collection in which to publish a draft: its
// own or, if it has none, the requested one.
func (s *store) collectionToPublishIn(c *caller, d *document, collectionID string) (string, error) {
	collectionID = cmp.Or(d.CollectionID, collectionID)
	if collectionID == "" {
		return "", api.ParamRequired("collectionId is required to publish a draft without collection")
	}
	return s.collectionForNew(c, collectionID, d.ParentID)
}

// documentsUnpublish implements documents.unpublish, which makes a document a
// draft of the caller.
func (s *store) documentsUnpublish(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	outside := r.Fields.Bool("detach")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	d, err := s.documentToChange(r.caller, id)
	switch {
	case err != nil:
		return api.Answer{}, err
	case !d.isActive() || r.caller.Role == Guest || !s.rightsOn(d, r.caller).Archive.Allowed:
		return api.Answer{}, api.Forbidden()
	case len(s.children[d.ID]) > 0:
		return api.Answer{}, api.InvalidRequest("Cannot unpublish document with child documents")
	}
	s.remove(&d.Document)
	return s.documentAnswer(r, s.change(r.caller, d, func(d *Document) {
		d.PublishedAt, d.CreatedBy = time.Time{}, r.caller.ID
		if outside {
			d.CollectionID, d.ParentID = "", ""
		}
	})), nil
}
