package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

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
}

// UnmarshalJSON implements [json.Unmarshaler] for the API's form, which has the
// nodes of the editor instead of text.
func (c *Comment) UnmarshalJSON(data []byte) error {
	type Fields Comment
	wire := struct {
		*Fields
		Data      richtext.Node `json:"data"`
		CreatedBy struct {
			Name string `json:"name"`
		} `json:"createdBy"`
	}{Fields: (*Fields)(c)}
	err := json.Unmarshal(data, &wire)
	c.Text, c.Author = wire.Data.Markdown(), cmp.Or(wire.CreatedBy.Name, "Unknown")
	return err
}

func (c Comment) incomplete() string { return incompleteID("the comment", c.ID) }

// CreateCommentParams describe a new comment. Empty fields are not sent.
type CreateCommentParams struct {
	ID              string `json:"id,omitempty"`              // UUID of the new comment; "" chooses a random one
	DocumentID      string `json:"documentId"`                // UUID; no other form is accepted here
	ParentCommentID string `json:"parentCommentId,omitempty"` // UUID of the comment to reply to; "" starts a thread
	Text            string `json:"text"`                      // Markdown, 1–1,000 characters; headings, quotes and tables stay literal
	AnchorText      string `json:"anchorText,omitempty"`      // plain text of the document to attach it to: its first occurrence …
	AnchorPrefix    string `json:"anchorPrefix,omitempty"`    // … that this precedes
	AnchorSuffix    string `json:"anchorSuffix,omitempty"`    // … and this follows
}

// CreateComment adds a comment to a document and returns it (comments.create).
//
// An anchor that does not occur in the document fails with ErrTextNotFound, the ID
// of an existing comment with ErrInvalid ("id must be unique"), as does a parent
// that is not on the document ("Parent comment must belong …"), an unknown
// document with ErrForbidden. An anchor in a document that was never opened in the
// editor fails with ErrCannotAnchor on Outline's releases; see also KnowsAnchors.
func (c *Client) CreateComment(ctx context.Context, n CreateCommentParams) (Comment, error) {
	n.ID = cmp.Or(n.ID, uuid.NewString())
	created, err := resolve(ctx, c, operation[Comment]{
		send: func(ctx context.Context) (Comment, error) {
			return fetch(ctx, c, request{endpoint: "comments.create", params: n, command: true}, Comment.incomplete)
		},
		observe: func(ctx context.Context, _ loss) observation[Comment] {
			created, err := c.Comment(ctx, n.ID)
			if errors.Is(err, ErrNotFound) {
				return observation[Comment]{seen: seenUnchanged}
			}
			return observed(created, true, err)
		},
	})
	if n.AnchorText != "" {
		err = textNotFound(err, "Outline does not find the text to anchor the comment to in the document")
		if e, ok := err.(*Error); ok && e.Kind() == ErrInvalid && strings.HasPrefix(e.Message, "Cannot inline comment") {
			e.kind = ErrCannotAnchor
		}
	}
	return created, err
}

// KnowsAnchors reports whether comments.create attaches comments to passages, as
// servers do since version 1.8; others ignore AnchorText. The probe writes nothing:
// it is an invalid comment on a document that does not exist, which a server rejects
// as invalid (ErrInvalid) only if it knows anchors. If the token may not comment, the
// result is false.
func (c *Client) KnowsAnchors(ctx context.Context) (bool, error) {
	if c.known.anchors.Load() {
		return true, nil
	}
	_, err := query[any](ctx, c, "comments.create", map[string]string{"documentId": noDocument, "text": "x", "anchorPrefix": "x"}, nil)
	switch {
	case errors.Is(err, ErrInvalid):
		c.known.anchors.Store(true)
		return true, nil
	case err == nil, errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, err
}

// CommentParams select a page of comments.
type CommentParams struct {
	DocumentID string // UUID; no other form is accepted here; "" for all documents
	Limit      int    // 1–100; 0 is Outline's default, 25
	Offset     int    // of the first comment, 0 or more
}

// Comments returns a page of comments and replies, newest first (comments.list).
// An unknown document fails with ErrForbidden.
func (c *Client) Comments(ctx context.Context, p CommentParams) (Page[Comment], error) {
	return counted(ctx, c, "comments.list", struct {
		DocumentID        string `json:"documentId,omitempty"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
		ListParams
	}{p.DocumentID, true, ListParams{p.Limit, p.Offset}}, Comment.incomplete)
}

// Comment returns a comment by its UUID (comments.info).
func (c *Client) Comment(ctx context.Context, id string) (Comment, error) {
	return query(ctx, c, "comments.info", struct {
		ID                string `json:"id"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
	}{id, true}, Comment.incomplete)
}
