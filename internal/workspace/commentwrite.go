package workspace

import (
	"encoding/json"
	"outline-mcp/internal/workspace/text"
	"slices"
	"strings"
)

// maxComment is the longest comment, in code points.
const maxComment = 1000

// commentsCreate is comments.create.
func (s *store) commentsCreate(r *request) (answer, error) {
	f := &r.fields
	id, documentID, parentID := f.uuid("id"), f.requiredUUID("documentId"), f.optionalUUID("parentCommentId")
	markdown := f.string("text")
	anchor, prefix, suffix := f.string("anchorText"), f.string("anchorPrefix"), f.string("anchorSuffix")
	var data json.RawMessage
	switch {
	case f.err != nil:
	case f.has("data"):
		data = readCommentData(f)
	case strings.TrimSpace(markdown) == "":
		f.fail("body", "One of data or text is required")
	default:
		data = encode(text.NewCommentParser().Parse(markdown))[0]
	}
	if f.err == nil && text.CommentLength(data) > maxComment {
		f.fail("text", "Too big: expected string to have <=%d characters", maxComment)
	}
	if f.err != nil {
		return answer{}, f.err
	}
	d, ok := s.documents[documentID]
	if !ok || !r.caller.MayComment(s.rightsOn(d, r.caller), d.state()) {
		return answer{}, errForbidden()
	}
	now := s.now()
	c := &Comment{
		ID: id, DocumentID: documentID, ParentID: parentID, Data: data, Anchor: anchor,
		CreatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now,
	}
	if parentID != "" {
		parent, ok := s.comments[parentID]
		switch {
		case !ok || parent.DocumentID != documentID:
			return answer{}, errNotFound()
		case parent.ParentID != "":
			// Answers do not nest: this one joins the thread.
			c.ParentID = parent.ParentID
			parent = s.comments[parent.ParentID]
		}
		c.ResolvedAt, c.ResolvedBy = parent.ResolvedAt, parent.ResolvedBy
	}
	switch {
	case id != "" && s.taken(id):
		return answer{}, errValidation("id must be unique (id)")
	case anchor != "" && !anchored(d, prefix, anchor, suffix):
		return answer{}, errNotFound()
	}
	if id == "" {
		c.ID = s.uuid()
	}
	s.addComment(c)
	if anchor != "" {
		// The mark that ties the comment to its place is part of the text.
		next := d.Document
		next.Revision++
		s.unsettled.remove(d.ID)
		s.put(next)
	}
	return s.commentAnswer(r.caller, c, false), nil
}

// commentsUpdate is comments.update.
func (s *store) commentsUpdate(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	var data json.RawMessage
	if r.fields.err == nil {
		data = readCommentData(&r.fields)
	}
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	c, err := s.commentToChange(r.caller, id)
	if err != nil {
		return answer{}, err
	}
	next := *c
	next.Data, next.UpdatedAt = data, s.now()
	s.comments[id] = &next
	return s.commentAnswer(r.caller, &next, false), nil
}

// commentsDelete is comments.delete: a comment with the answers to it.
func (s *store) commentsDelete(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	if _, err := s.commentToChange(r.caller, id); err != nil {
		return answer{}, err
	}
	s.forgetComments(func(c *Comment) bool {
		deleted := c.ID == id || c.ParentID == id
		if deleted {
			s.formerComments[c.ID] = true
		}
		return deleted
	})
	return done, nil
}

// commentToChange finds a comment that the caller may change or delete: an
// admin every one, others their own.
func (s *store) commentToChange(c *caller, id string) (*Comment, error) {
	comment, ok := s.comments[id]
	switch {
	case !ok:
		return nil, errNotFound()
	case !s.commentRights(c, comment).Change:
		return nil, errForbidden()
	}
	return comment, nil
}

// commentsResolve is comments.Resolve: it closes a thread.
func (s *store) commentsResolve(r *request) (answer, error) { return s.setResolved(r, true) }

// commentsUnresolve is comments.unresolve.
func (s *store) commentsUnresolve(r *request) (answer, error) { return s.setResolved(r, false) }

func (s *store) setResolved(r *request, resolved bool) (answer, error) {
	id := r.fields.requiredUUID("id")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	top, ok := s.comments[id]
	switch {
	case !ok:
		return answer{}, errNotFound()
	case top.ParentID != "" || resolved != top.ResolvedAt.IsZero() || !s.commentRights(r.caller, top).Resolve:
		return answer{}, errForbidden()
	}
	now := s.now()
	for _, id := range s.commentIDs {
		if c := s.comments[id]; c == top || c.ParentID == top.ID {
			next := *c
			next.ResolvedAt, next.ResolvedBy = noTime, ""
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

// commentsAddReaction is comments.add_reaction.
func (s *store) commentsAddReaction(r *request) (answer, error) {
	id := r.fields.requiredUUID("id")
	emoji := r.fields.string("emoji")
	if r.fields.err == nil && emoji == "" {
		r.fields.fail("emoji", "Invalid emoji")
	}
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	c, ok := s.comments[id]
	switch {
	case !ok:
		return answer{}, errNotFound()
	case !s.commentRights(r.caller, c).Comment:
		return answer{}, errForbidden()
	}
	next := *c
	next.Reactions = slices.Clone(c.Reactions)
	i := slices.IndexFunc(next.Reactions, func(reaction Reaction) bool { return reaction.Emoji == emoji })
	switch {
	case i < 0:
		next.Reactions = append(next.Reactions, Reaction{emoji, []string{r.caller.ID}})
	case !slices.Contains(next.Reactions[i].UserIDs, r.caller.ID):
		next.Reactions[i].UserIDs = append(slices.Clone(next.Reactions[i].UserIDs), r.caller.ID)
	}
	s.comments[id] = &next
	return done, nil
}

// readCommentData reads the field data of a comment.
func readCommentData(f *fields) json.RawMessage {
	data := json.RawMessage(encode(f.values["data"])[0])
	if !text.IsComment(data) {
		f.fail("data", "Invalid data")
	}
	return data
}
