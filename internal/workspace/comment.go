package workspace

import (
	"encoding/json"
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"slices"
	"time"
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

func (s *store) commentRights(c *caller, comment *Comment) access.CommentRights {
	d := s.documents[comment.DocumentID]
	return c.OnComment(comment.CreatedBy, s.rightsOn(d, c), d.state())
}
