package fakeoutline

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"outline-mcp/outline/prosemirror"
)

// A documentUpdate is what a documents.update changes of the document that it
// read.
type documentUpdate struct {
	read    *document
	next    Document
	body    *content
	publish bool
	again   bool // publish what is published
	done    bool // have a revision written
}

// An updateInput is what a documents.update says.
type updateInput struct {
	slugInput
	LastRevision *int    `in:"lastRevision"`
	Text         *string `in:"text"`
	FindText     string  `in:"findText"`
	Append       bool    `in:"append"`
	Title        *string `in:"title"`
	Icon         *string `in:"icon,icon"`
	Color        *string `in:"color,color"`
	FullWidth    *bool   `in:"fullWidth"`
	Publish      bool    `in:"publish"`
	Done         bool    `in:"done"`
	CollectionID string  `in:"collectionId,null,uuid"`
}

// documentsUpdate implements documents.update, which changes only the given
// fields. Without a difference it changes nothing. With "done" it has a
// revision written, whether there is a difference or not.
//
// As the sources of 1.9.2 and of August 2026 say, a request reads the document and
// computes its new content, and only then saves it. The newest source takes a lock on
// the row before it saves, and looks at lastRevision under that lock, but not at what
// it has read: a request without lastRevision overwrites what was saved in between.
// Either way the revision number follows the one that was read, so that a number can
// be given twice.
func (s *store) documentsUpdate(r *request, in updateInput) (apiAnswer, error) {
	u, err := s.readUpdate(r, in)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case u.same():
		if u.done {
			s.closeRevision(u.read, byApp)
		}
		if u.again { // which is recorded to raise the revision, and to change nothing else
			next := u.read.Document
			next.Revision++
			return s.documentAnswer(r, s.put(next, u.read.body.content)), nil
		}
		return s.documentAnswer(r, u.read), nil
	}
	s.takeUpdateTime(r.caller)
	if present, ok := s.documents[u.read.ID]; ok && valueOr(in.LastRevision, present.Revision) != present.Revision {
		return apiAnswer{}, errStale()
	}
	return s.documentAnswer(r, s.save(r.caller, u)), nil
}

func errStale() error { return apiConflict("Document has been modified since the provided revision") }

// takeUpdateTime lets the time between reading and saving a document pass.
func (s *store) takeUpdateTime(c *caller) {
	if s.updateTime <= 0 && s.beforeSave == nil {
		return
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	time.Sleep(s.updateTime)
	if s.beforeSave != nil {
		s.beforeSave(c.ID)
	}
}

// readUpdate reads a request and the document that it changes.
func (s *store) readUpdate(r *request, in updateInput) (*documentUpdate, error) {
	change, err := s.readEdit(r, in)
	if err != nil {
		return nil, err
	}
	d, err := s.documentToChange(r.caller, in.ID)
	switch {
	case err != nil:
		return nil, err
	case !d.DeletedAt.IsZero() || !d.ArchivedAt.IsZero():
		return nil, apiForbidden()
	}
	again := in.Publish && !d.isDraft()
	publish, collectionID := in.Publish && d.isDraft(), in.CollectionID
	if publish {
		if collectionID, err = s.collectionToPublishIn(r.caller, d, collectionID); err != nil {
			return nil, err
		}
	}
	if valueOr(in.LastRevision, d.Revision) != d.Revision {
		return nil, errStale()
	}

	u := &documentUpdate{read: d, next: d.Document, body: d.body.content, publish: publish, again: again, done: in.Done}
	setIfGiven(&u.next.Title, in.Title)
	setIfGiven(&u.next.Icon, in.Icon)
	setIfGiven(&u.next.Color, in.Color)
	setIfGiven(&u.next.FullWidth, in.FullWidth)
	if publish {
		u.next.CollectionID = collectionID
	}
	if in.Text != nil {
		if u.body, err = change.apply(u.body); err != nil {
			return nil, err
		}
	}
	return u, checkContent(u.next.Title, u.body.markdown().Text)
}

// same reports whether the update changes nothing.
func (u *documentUpdate) same() bool {
	read, next := &u.read.Document, &u.next
	return !u.publish && next.Title == read.Title && u.body == u.read.body.content &&
		next.Icon == read.Icon && next.Color == read.Color && next.FullWidth == read.FullWidth
}

// save stores what an update changes, in the columns that it changes, and
// returns the document as the update knows it. Changes of the same columns that others
// have saved since it was read are lost.
func (s *store) save(c *caller, u *documentUpdate) *document {
	now := s.now()
	u.next.Revision++
	u.next.UpdatedAt, u.next.UpdatedBy = now, c.ID
	if u.publish {
		u.next.PublishedAt = now
	}
	joins := !slices.Contains(u.next.Collaborators, c.ID)
	if joins {
		u.next.Collaborators = append(slices.Clone(u.next.Collaborators), c.ID)
	}
	present, ok := s.documents[u.read.ID]
	answer := newDocument(u.next, u.body)
	if u.body == u.read.body.content {
		answer.inEditor = u.read.inEditor
	}
	if !ok {
		return answer // permanently deleted in the meantime
	}

	read, next := u.read, present.Document
	body := present.body.content
	next.Revision, next.UpdatedAt, next.UpdatedBy = u.next.Revision, now, c.ID
	setIfChanged(&next.Title, read.Title, u.next.Title)
	setIfChanged(&next.Icon, read.Icon, u.next.Icon)
	setIfChanged(&next.Color, read.Color, u.next.Color)
	setIfChanged(&next.FullWidth, read.FullWidth, u.next.FullWidth)
	setIfChanged(&body, read.body.content, u.body)
	if joins {
		next.Collaborators = u.next.Collaborators
	}
	if u.publish && present.isDraft() {
		next.CollectionID, next.PublishedAt = u.next.CollectionID, now
		s.insert(&next, 0)
	}
	s.publications.remove(next.ID)
	if next.Title != present.Title && present.isActive() {
		s.touchTree(next.CollectionID)
	}
	stored := s.put(next, body)
	if u.publish || u.done {
		s.closeRevision(stored, byAPI)
	} else {
		s.awaitPause(stored)
	}
	if present == read {
		return stored
	}
	return answer
}

func setIfChanged[T comparable](column *T, read, next T) {
	if next != read {
		*column = next
	}
}

// collectionToPublishIn returns the collection in which to publish a draft: its
// own or, if it has none, the requested one.
func (s *store) collectionToPublishIn(c *caller, d *document, collectionID string) (string, error) {
	collectionID = cmp.Or(d.CollectionID, collectionID)
	if collectionID == "" {
		return "", apiParamRequired("collectionId is required to publish a draft without collection")
	}
	return s.collectionForNew(c, collectionID, d.ParentID)
}

// documentsUnpublish implements documents.unpublish, which makes a document a
// draft of the caller.
func (s *store) documentsUnpublish(r *request, in struct {
	slugInput
	Detach bool `in:"detach"`
}) (apiAnswer, error) {
	d, err := s.documentToChange(r.caller, in.ID)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case !d.isActive() || r.caller.Role == Guest || !s.rightsOn(d, r.caller).Archive:
		return apiAnswer{}, apiForbidden()
	case len(s.children[d.ID]) > 0:
		return apiAnswer{}, apiInvalidRequest("Cannot unpublish document with child documents")
	}
	s.remove(&d.Document)
	return s.documentAnswer(r, s.change(r.caller, d, func(d *Document) {
		d.PublishedAt, d.CreatedBy = time.Time{}, r.caller.ID
		if in.Detach {
			d.CollectionID, d.ParentID = "", ""
		}
	})), nil
}

// An edit is what documents.update does to the text of a document.
type edit struct {
	mode string // replace, append, prepend or patch
	text string // Markdown
	find string // what a patch replaces
}

// readEdit returns the edit of a documents.update, of which "append": true is the
// deprecated form of the append mode.
func (s *store) readEdit(r *request, in updateInput) (edit, error) {
	mode := r.Fields.OneOf("editMode", s.features.modes()...)
	e := edit{text: storeImages(valueOr(in.Text, ""), s.uuid), mode: cmp.Or(mode, "replace"), find: in.FindText}
	if in.Append && mode == "" {
		e.mode = "append"
	}
	switch {
	case r.Fields.Err != nil:
		return edit{}, r.Fields.Err
	case e.mode == "patch" && e.find == "":
		return edit{}, apiInvalid("findText is required when using patch editMode")
	case e.mode == "patch" && in.Text == nil:
		return edit{}, apiInvalid("text is required when using patch editMode")
	case mode != "" && in.Text == nil, e.text == "" && (e.mode == "append" || e.mode == "prepend"):
		return edit{}, apiInvalid("text is required when using append, prepend, or editMode")
	}
	return e, nil
}

// apply edits a content. It returns the same content if the edit changes
// nothing.
func (e edit) apply(c *content) (*content, error) {
	tree, err := c.markdown().Update(c.tree(), e.mode, e.find, e.text)
	switch {
	case errors.Is(err, prosemirror.ErrNotFound):
		return nil, apiNotFound()
	case errors.Is(err, prosemirror.ErrServer):
		return nil, &apiError{Status: http.StatusInternalServerError, Code: "internal_error", Message: "Internal error"}
	case err != nil:
		return nil, apiInvalid("%s", err)
	case prosemirror.Equal(tree, c.tree()):
		return c, nil
	}
	return &content{root: tree, dialect: c.dialect}, nil
}
