package workspace

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
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
func (s *store) commentsInfo(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	withAnchor := r.Fields.Bool("includeAnchorText")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	c, ok := s.comments[id]
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !s.rightsOn(s.documents[c.DocumentID], r.caller).Read:
		return api.Answer{}, api.Forbidden()
	}
	return s.commentAnswer(r.caller, c, withAnchor), nil
}

// commentsList implements comments.list, which lists the comments on one
// document, in one collection, or on all documents that the caller may read,
// newest first.
func (s *store) commentsList(r *request) (api.Answer, error) {
	f := &r.Fields
	documentID, collectionID, parentID := f.String("documentId"), f.OptionalUUID("collectionId"), f.OptionalUUID("parentCommentId")
	statuses := f.SomeOf("statusFilter", "resolved", "unresolved")
	withAnchor := f.Bool("includeAnchorText")
	sort, ascending := "createdAt", f.Values["direction"] == "ASC"
	if f.Has("sort") {
		sort = f.String("sort")
	}
	if sort != "createdAt" && sort != "updatedAt" {
		f.Fail("sort", "Invalid input")
	}
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	if documentID != "" {
		d, ok := s.documents[documentID]
		if !ok || !d.DeletedAt.IsZero() || !s.rightsOn(d, r.caller).Read {
			return api.Answer{}, api.Forbidden()
		}
	}
	if documentID != "" {
		collectionID = "" // the document wins
	}
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return api.Answer{}, err
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
			len(statuses) > 0 && !slices.Contains(statuses, status):
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
	if !ascending {
		slices.Reverse(list)
	}
	var data []api.JSON
	for _, c := range api.Slice(list, r.Page) {
		data = append(data, s.presentComment(c, withAnchor))
	}
	return api.Answer{Data: api.Array(data...), Page: r.Counted(len(list))}, nil
}

// commentAnswer returns the answer with one comment.
func (s *store) commentAnswer(c *caller, comment *Comment, withAnchor bool) api.Answer {
	return api.Answer{Data: s.presentComment(comment, withAnchor)}
}

// presentComment returns a comment as JSON, with its anchor text if it has one
// and withAnchor is set.
func (s *store) presentComment(c *Comment, withAnchor bool) api.JSON {
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
	return api.Encode(struct {
		ID              string          `json:"id"`
		Data            json.RawMessage `json:"data"`
		DocumentID      string          `json:"documentId"`
		ParentCommentID *string         `json:"parentCommentId"`
		CreatedBy       presentedUser   `json:"createdBy"`
		CreatedByID     string          `json:"createdById"`
		ResolvedAt      *api.Timestamp  `json:"resolvedAt"`
		ResolvedBy      *presentedUser  `json:"resolvedBy"`
		ResolvedByID    *string         `json:"resolvedById"`
		CreatedAt       api.Timestamp   `json:"createdAt"`
		UpdatedAt       api.Timestamp   `json:"updatedAt"`
		Reactions       []Reaction      `json:"reactions"`
		AnchorText      string          `json:"anchorText,omitempty"`
	}{
		c.ID, c.Data, c.DocumentID, api.StringOrNull(c.ParentID), s.presentAuthor(c.CreatedBy), c.CreatedBy,
		api.TimeOrNull(c.ResolvedAt), resolvedBy, api.StringOrNull(c.ResolvedBy),
		api.Timestamp(c.CreatedAt), api.Timestamp(c.UpdatedAt), reactions, anchor,
	})
}

func (s *store) commentRights(c *caller, comment *Comment) commentRights {
	d := s.documents[comment.DocumentID]
	return c.onComment(comment.CreatedBy, s.rightsOn(d, c), d.state())
}

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
	if !ok || !r.caller.mayComment(s.rightsOn(d, r.caller), d.state()) {
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
