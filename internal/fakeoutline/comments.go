package fakeoutline

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"outline-mcp/outline/prosemirror"
)

// A Comment is a comment on a document or a reply to one.
type Comment struct {
	ID         string
	DocumentID string
	ParentID   string          // the comment that it replies to, or ""
	Data       json.RawMessage // a ProseMirror document
	Anchor     string          // in a seed, the passage of the document that it is attached to, or ""
	CreatedBy  string          // the ID of a user
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ResolvedBy string // the ID of a user
	ResolvedAt time.Time
	Reactions  []Reaction
}

// A Reaction is an emoji reaction to a comment.
type Reaction struct {
	Emoji   string   `json:"emoji"`
	UserIDs []string `json:"userIds"`
}

func (s *store) addComment(c *Comment) {
	s.comments[c.ID] = c
	s.commentIDs = append(s.commentIDs, c.ID)
}

// deleteComments deletes the comments for which the function returns true.
func (s *store) deleteComments(which func(*Comment) bool) {
	s.commentIDs = slices.DeleteFunc(s.commentIDs, func(id string) bool {
		if !which(s.comments[id]) {
			return false
		}
		delete(s.comments, id)
		return true
	})
}

// commentsInfo implements comments.info.
func (s *store) commentsInfo(r *request, in struct {
	uuidInput
	WithAnchor bool `in:"includeAnchorText"`
}) (apiAnswer, error) {
	c, ok := s.comments[in.ID]
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !s.rightsOn(s.documents[c.DocumentID], r.caller).Read:
		return apiAnswer{}, apiForbidden()
	}
	return apiAnswer{Data: s.presentComment(c, in.WithAnchor)}, nil
}

// commentsList implements comments.list, which lists the comments on one
// document, in one collection, or on all documents that the caller may read,
// newest first.
func (s *store) commentsList(r *request, in struct {
	DocumentID   string   `in:"documentId"`
	CollectionID string   `in:"collectionId,null,uuid"`
	ParentID     string   `in:"parentCommentId,null,uuid"`
	Statuses     []string `in:"statusFilter,one=resolved|unresolved"`
	WithAnchor   bool     `in:"includeAnchorText"`
	orderInput
}) (apiAnswer, error) {
	documentID, collectionID, parentID := in.DocumentID, in.CollectionID, in.ParentID
	sort := valueOr(in.Sort, "createdAt")
	if sort != "createdAt" && sort != "updatedAt" {
		return apiAnswer{}, apiInvalidField("sort")
	}
	if documentID != "" {
		d, ok := s.documents[documentID]
		if !ok || !d.DeletedAt.IsZero() || !s.rightsOn(d, r.caller).Read {
			return apiAnswer{}, apiForbidden()
		}
	}
	if documentID != "" {
		collectionID = "" // the document wins
	}
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return apiAnswer{}, err
	}
	var list []*Comment
	for _, id := range s.commentIDs {
		c := s.comments[id]
		d := s.documents[c.DocumentID]
		status := "unresolved"
		if !c.ResolvedAt.IsZero() {
			status = "resolved"
		}
		switch {
		case documentID != "" && c.DocumentID != documentID,
			documentID == "" && (!s.lists(d, r.caller) || !d.DeletedAt.IsZero()),
			collectionID != "" && d.CollectionID != collectionID,
			parentID != "" && c.ParentID != parentID,
			len(in.Statuses) > 0 && !slices.Contains(in.Statuses, status):
		default:
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *Comment) int {
		if sort == "updatedAt" {
			return a.UpdatedAt.Compare(b.UpdatedAt)
		}
		return a.CreatedAt.Compare(b.CreatedAt)
	})
	if !in.ascending() {
		slices.Reverse(list)
	}
	return countedAnswer(r, list, func(c *Comment) apiJSON { return s.presentComment(c, in.WithAnchor) })
}

// presentComment returns a comment as JSON, with its anchor text if it has one
// and withAnchor is set.
func (s *store) presentComment(c *Comment, withAnchor bool) apiJSON {
	var resolvedBy *presentedUser
	if c.ResolvedBy != "" {
		resolvedBy = new(s.presentAuthor(c.ResolvedBy))
	}
	anchor := ""
	if withAnchor {
		anchor = s.documents[c.DocumentID].body.read().Anchors[c.ID]
	}
	reactions := c.Reactions
	if reactions == nil {
		reactions = []Reaction{}
	}
	return encodeJSON(struct {
		ID              string          `json:"id"`
		Data            json.RawMessage `json:"data"`
		DocumentID      string          `json:"documentId"`
		ParentCommentID *string         `json:"parentCommentId"`
		CreatedBy       presentedUser   `json:"createdBy"`
		CreatedByID     string          `json:"createdById"`
		ResolvedAt      *apiTimestamp   `json:"resolvedAt"`
		ResolvedBy      *presentedUser  `json:"resolvedBy"`
		ResolvedByID    *string         `json:"resolvedById"`
		CreatedAt       apiTimestamp    `json:"createdAt"`
		UpdatedAt       apiTimestamp    `json:"updatedAt"`
		Reactions       []Reaction      `json:"reactions"`
		AnchorText      string          `json:"anchorText,omitempty"`
	}{
		c.ID, c.Data, c.DocumentID, stringOrNull(c.ParentID), s.presentAuthor(c.CreatedBy), c.CreatedBy,
		timeOrNull(c.ResolvedAt), resolvedBy, stringOrNull(c.ResolvedBy),
		apiTimestamp(c.CreatedAt), apiTimestamp(c.UpdatedAt), reactions, anchor,
	})
}

func (s *store) commentRights(c *caller, comment *Comment) commentRights {
	d := s.documents[comment.DocumentID]
	return c.onComment(comment.CreatedBy, s.rightsOn(d, c), d.state())
}

// maxComment is the maximum length of a comment in code points.
const maxComment = 1000

// commentsCreate implements comments.create.
func (s *store) commentsCreate(r *request, in struct {
	ID           string `in:"id,uuid"`
	DocumentID   string `in:"documentId,required,uuid"`
	ParentID     string `in:"parentCommentId,null,uuid"`
	Text         string `in:"text"`
	Anchor       string `in:"anchorText"`
	AnchorPrefix string `in:"anchorPrefix"`
	AnchorSuffix string `in:"anchorSuffix"`
	Data         any    `in:"data"`
}) (apiAnswer, error) {
	id, documentID, parentID, anchor := in.ID, in.DocumentID, in.ParentID, in.Anchor
	var data json.RawMessage
	var err error
	switch {
	case anchor != "" && r.Fields.Has("anchorNodeId"):
		err = apiInvalidField("body")
	case anchor == "" && in.AnchorPrefix+in.AnchorSuffix != "":
		err = apiInvalidField("body")
	case in.Text != "":
		data, err = checkedComment(parseComment(in.Text))
	case r.Fields.Has("data"):
		data, err = commentData(in.Data)
	default:
		err = apiInvalidField("body")
	}
	if err != nil {
		return apiAnswer{}, err
	}
	d, ok := s.documents[documentID]
	if !ok || !r.caller.mayComment(s.rightsOn(d, r.caller), d.state()) {
		return apiAnswer{}, apiForbidden()
	}
	now := s.now()
	c := &Comment{
		ID: id, DocumentID: documentID, ParentID: parentID, Data: data,
		CreatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now,
	}
	if parentID != "" {
		parent, ok := s.comments[parentID]
		switch {
		case !ok || parent.DocumentID != documentID:
			return apiAnswer{}, apiInvalid("Parent comment must belong to the same document")
		}
		c.ResolvedAt, c.ResolvedBy = parent.ResolvedAt, parent.ResolvedBy
	}
	switch {
	case id == "":
		c.ID = s.uuid()
	case s.taken(id):
		return apiAnswer{}, apiInvalid("id must be unique (id)")
	}
	if r.Fields.Has("anchorNodeId") {
		return apiAnswer{}, apiNotFound() // documents here have no such nodes
	}
	if anchor != "" {
		// The mark of the comment is part of the document.
		if !s.features.august2026 && !d.Opened {
			return apiAnswer{}, apiInvalid("Cannot inline comment on this document")
		}
		tree, ok := prosemirror.Attach(d.shown().tree(), prosemirror.Passage{Prefix: in.AnchorPrefix, Text: anchor, Suffix: in.AnchorSuffix}, prosemirror.CommentMark(c.ID, r.caller.ID, false))
		if !ok {
			return apiAnswer{}, apiNotFound()
		}
		next := d.Document
		next.Revision++
		s.publications.remove(d.ID)
		if s.features.august2026 {
			s.put(next, s.content(tree))
		} else {
			s.put(next, d.body.content).inEditor = s.content(tree)
		}
	}
	s.addComment(c)
	return apiAnswer{Data: s.presentComment(c, false)}, nil
}

// commentsUpdate implements comments.update.
func (s *store) commentsUpdate(r *request, in struct {
	uuidInput
	Data any `in:"data"`
}) (apiAnswer, error) {
	data, err := commentData(in.Data)
	if err != nil {
		return apiAnswer{}, err
	}
	c, err := s.commentToChange(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	next := *c
	next.Data, next.UpdatedAt = data, s.now()
	s.comments[c.ID] = &next
	return apiAnswer{Data: s.presentComment(&next, false)}, nil
}

// commentsDelete implements comments.delete for a comment and all below it. Their
// marks stay in the document: Outline's editor removes them, and no recording shows
// that its API does.
func (s *store) commentsDelete(r *request, in uuidInput) (apiAnswer, error) {
	if _, err := s.commentToChange(r.caller, in.ID); err != nil {
		return apiAnswer{}, err
	}
	gone := map[string]bool{}
	for _, c := range s.commentIDs { // parents come before replies
		if c == in.ID || gone[s.comments[c].ParentID] {
			gone[c] = true
		}
	}
	s.deleteComments(func(c *Comment) bool { return gone[c.ID] })
	maps.Copy(s.deletedComments, gone)
	return apiDone, nil
}

// commentToChange returns a comment that the caller may change or delete: any
// comment for an admin, their own for others.
func (s *store) commentToChange(c *caller, id string) (*Comment, error) {
	comment, ok := s.comments[id]
	switch {
	case !ok:
		return nil, apiNotFound()
	case !s.commentRights(c, comment).Change:
		return nil, apiForbidden()
	}
	return comment, nil
}

// commentsResolve implements comments.resolve.
func (s *store) commentsResolve(r *request, in uuidInput) (apiAnswer, error) {
	return s.setResolved(r, in.ID, true)
}

// commentsUnresolve implements comments.unresolve.
func (s *store) commentsUnresolve(r *request, in uuidInput) (apiAnswer, error) {
	return s.setResolved(r, in.ID, false)
}

func (s *store) setResolved(r *request, id string, resolved bool) (apiAnswer, error) {
	top, ok := s.comments[id]
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case top.ParentID != "" || resolved != top.ResolvedAt.IsZero() || !s.commentRights(r.caller, top).Resolve:
		return apiAnswer{}, apiForbidden()
	}
	now := s.now()
	for _, id := range s.commentIDs {
		if c := s.comments[id]; c == top || c.ParentID == top.ID {
			next := *c
			next.ResolvedAt, next.ResolvedBy = time.Time{}, ""
			if resolved {
				next.ResolvedAt, next.ResolvedBy = now, r.caller.ID
			}
			if c != top {
				next.UpdatedAt = now
			}
			s.comments[id] = &next
		}
	}
	return apiAnswer{Data: s.presentComment(s.comments[top.ID], false)}, nil
}

// commentData returns the field "data" of a comment.
func commentData(value any) (json.RawMessage, error) {
	data := json.RawMessage(encodeJSON(value)[0])
	if !isComment(data) {
		return nil, apiInvalidField("data")
	}
	return checkedComment(data)
}

// checkedComment returns the data of a comment unless it is too long.
func checkedComment(data json.RawMessage) (json.RawMessage, error) {
	if commentLength(data) > maxComment {
		return nil, apiInvalid("Comment must be less than 1000 characters (data)")
	}
	return data, nil
}
