package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"outline-mcp/outline/richtext"
)

// A Comment is a comment on a document.
type Comment struct {
	ID              string     `json:"id"`              // UUID
	DocumentID      string     `json:"documentId"`      // UUID
	ParentCommentID string     `json:"parentCommentId"` // UUID of the comment that it replies to; "" if it is not a reply
	Text            string     `json:"-"`               // Markdown; see package richtext
	AnchorText      string     `json:"anchorText"`      // text of the document that it is attached to; "" if none is known
	Author          string     `json:"-"`               // name; Unknown, as in Outline, for a deleted user
	AuthorID        string     `json:"createdById"`     // UUID
	CreatedAt       time.Time  `json:"createdAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
	ResolvedAt      *time.Time `json:"resolvedAt"` // nil while it is open

	data json.RawMessage // the nodes of the editor
}

// UnmarshalJSON implements [json.Unmarshaler] for the API's form, which has the
// nodes of the editor instead of text.
func (c *Comment) UnmarshalJSON(data []byte) error {
	type Fields Comment
	wire := struct {
		*Fields
		Data      json.RawMessage `json:"data"`
		CreatedBy struct {
			Name string `json:"name"`
		} `json:"createdBy"`
	}{Fields: (*Fields)(c)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	var text richtext.Node
	if len(wire.Data) > 0 {
		if err := json.Unmarshal(wire.Data, &text); err != nil {
			return err
		}
	}
	c.Text, c.Author, c.data = text.Markdown(), cmp.Or(wire.CreatedBy.Name, "Unknown"), wire.Data
	return nil
}

func (c Comment) incomplete() string { return incompleteID("the comment", c.ID) }

// CommentParams select a page of comments.
type CommentParams struct {
	DocumentID   string // UUID; no other form is accepted here; "" for all documents
	CollectionID string // UUID; with a DocumentID, Outline ignores it
	Limit        int    // 1–100; 0 is Outline's default, 25
	Offset       int    // of the first comment, 0 or more
}

// Comments returns a page of comments and replies, newest first (comments.list).
// An unknown document or collection fails with ErrForbidden.
func (c *Client) Comments(ctx context.Context, p CommentParams) (Page[Comment], error) {
	return counted(ctx, c, "comments.list", struct {
		DocumentID        string `json:"documentId,omitempty"`
		CollectionID      string `json:"collectionId,omitempty"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
		ListParams
	}{p.DocumentID, p.CollectionID, true, ListParams{p.Limit, p.Offset}}, Comment.incomplete)
}

// ChangedComments returns the comments and replies that were written, edited or
// resolved last, latest first, on all documents that the caller can read
// (comments.list). Limit is 1–100; 0 is Outline's default, 25. They come without the
// text that they are attached to.
func (c *Client) ChangedComments(ctx context.Context, limit int) (Page[Comment], error) {
	return counted(ctx, c, "comments.list", sortedList{"", "updatedAt", direction(false), ListParams{Limit: limit}}, Comment.incomplete)
}

// Comment returns a comment by its UUID (comments.info).
func (c *Client) Comment(ctx context.Context, id string) (Comment, error) {
	return query(ctx, c, "comments.info", struct {
		ID                string `json:"id"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
	}{id, true}, Comment.incomplete)
}
