package workspace

import (
	"encoding/json"
	"maps"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
)

// maxComment is the maximum length of a comment in code points.
const maxComment = 1000

// commentsCreate implements comments.create.
func (s *store) commentsCreate(r *request) (api.Answer, error) {
	f := &r.Fields
	id, documentID, parentID := f.UUID("id"), f.RequiredUUID("documentId"), f.OptionalUUID("parentCommentId")
	markdown := f.String("text")
	anchor, prefix, suffix := f.String("anchorText"), f.String("anchorPrefix"), f.String("anchorSuffix")
	var data json.RawMessage
	switch {
	case f.Err != nil:
	case anchor != "" && f.Has("anchorNodeId"):
		f.Err = api.Invalid("body: anchorText and anchorNodeId are mutually exclusive")
	case anchor == "" && prefix+suffix != "":
		f.Err = api.Invalid("body: anchorPrefix and anchorSuffix require anchorText")
	case markdown != "":
		data = text.ParseComment(markdown)
	case f.Has("data"):
		data = readCommentData(f)
	default:
		f.Fail("body", "One of data or text is required")
	}
	checkCommentLength(f, data)
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	d, ok := s.documents[documentID]
	if !ok || !r.caller.MayComment(s.rightsOn(d, r.caller), d.state()) {
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	c := &Comment{
		ID: id, DocumentID: documentID, ParentID: parentID, Data: data,
		CreatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now,
	}
	if parentID != "" {
		parent, ok := s.comments[parentID]
		switch {
		case !ok || parent.DocumentID != documentID && s.features.sameDocument:
			return api.Answer{}, api.Invalid("Parent comment must belong to the same document")
		}
		c.ResolvedAt, c.ResolvedBy = parent.ResolvedAt, parent.ResolvedBy
	}
	switch {
	case id == "":
		c.ID = s.uuid()
	case s.taken(id):
		return api.Answer{}, api.Invalid("id must be unique (id)")
	}
	if f.Has("anchorNodeId") {
		return api.Answer{}, api.NotFound() // documents here have no such nodes
	}
	if anchor != "" {
		// The mark of the comment is part of the document.
		if !s.features.august2026 && !d.Opened {
			return api.Answer{}, api.Invalid("Cannot inline comment on this document")
		}
		tree, ok := prosemirror.Attach(d.shown().tree(), prosemirror.Passage{Prefix: prefix, Text: anchor, Suffix: suffix}, prosemirror.CommentMark(c.ID, r.caller.ID, false))
		if !ok {
			return api.Answer{}, api.NotFound()
		}
		next := d.Document
		next.Revision++
		s.publications.remove(d.ID)
		if s.features.august2026 {
			s.put(next, &content{root: tree})
		} else {
			s.put(next, d.body.content).inEditor = &content{root: tree}
		}
	}
	s.addComment(c)
	return s.commentAnswer(r.caller, c, false), nil
}

// commentsUpdate implements comments.update.
func (s *store) commentsUpdate(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	var data json.RawMessage
	if r.Fields.Err == nil {
		data = readCommentData(&r.Fields)
	}
	checkCommentLength(&r.Fields, data)
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	c, err := s.commentToChange(r.caller, id)
	if err != nil {
		return api.Answer{}, err
	}
	next := *c
	next.Data, next.UpdatedAt = data, s.now()
	s.comments[id] = &next
	return s.commentAnswer(r.caller, &next, false), nil
}

// commentsDelete implements comments.delete for a comment and all below it. Their
// marks stay in the document: Outline's editor removes them, and no recording shows
// that its API does.
func (s *store) commentsDelete(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	if _, err := s.commentToChange(r.caller, id); err != nil {
		return api.Answer{}, err
	}
	gone := map[string]bool{}
	for _, c := range s.commentIDs { // parents come before replies
		if c == id || gone[s.comments[c].ParentID] {
			gone[c] = true
		}
	}
	s.deleteComments(func(c *Comment) bool { return gone[c.ID] })
	maps.Copy(s.deletedComments, gone)
	return api.Done, nil
}

// commentToChange returns a comment that the caller may change or delete: any
// comment for an admin, their own for others.
func (s *store) commentToChange(c *caller, id string) (*Comment, error) {
	comment, ok := s.comments[id]
	switch {
	case !ok:
		return nil, api.NotFound()
	case !s.commentRights(c, comment).Change:
		return nil, api.Forbidden()
	}
	return comment, nil
}

// commentsResolve implements comments.resolve.
func (s *store) commentsResolve(r *request) (api.Answer, error) { return s.setResolved(r, true) }

// commentsUnresolve implements comments.unresolve.
func (s *store) commentsUnresolve(r *request) (api.Answer, error) { return s.setResolved(r, false) }

func (s *store) setResolved(r *request, resolved bool) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	top, ok := s.comments[id]
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case top.ParentID != "" || resolved != top.ResolvedAt.IsZero() || !s.commentRights(r.caller, top).Resolve:
		return api.Answer{}, api.Forbidden()
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
	return s.commentAnswer(r.caller, s.comments[top.ID], false), nil
}

// readCommentData reads the field "data" of a comment.
func readCommentData(f *api.Fields) json.RawMessage {
	data := json.RawMessage(api.Encode(f.Values["data"])[0])
	if !text.IsComment(data) {
		f.Fail("data", "Invalid data")
	}
	return data
}

func checkCommentLength(f *api.Fields, data json.RawMessage) {
	if f.Err == nil && text.CommentLength(data) > maxComment {
		f.Err = api.Invalid("Comment must be less than 1000 characters (data)")
	}
}
