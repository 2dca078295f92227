package outline

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"outline-mcp/outline/richtext"
)

// Comment is a comment on a document.
type Comment struct {
	ID              string // UUID
	DocumentID      string // UUID
	ParentCommentID string // UUID of the comment it replies to; "": it is no reply
	Text            string // Markdown as Outline writes it, with __ around underlined and == around highlighted text
	AnchorText      string // text of the document that it is attached to; "": none, or not told
	Author          string // name; Unknown when there is none, as Outline calls a deleted user
	AuthorID        string // UUID
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ResolvedAt      *time.Time // nil: open
}

// comment is Comment as the API sends it: never with text.
type comment struct {
	ID              string        `json:"id"`
	DocumentID      string        `json:"documentId"`
	ParentCommentID string        `json:"parentCommentId"`
	Data            richtext.Node `json:"data"`
	AnchorText      string        `json:"anchorText"`
	CreatedBy       struct {
		Name string `json:"name"`
	} `json:"createdBy"`
	CreatedByID string     `json:"createdById"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	ResolvedAt  *time.Time `json:"resolvedAt"`
}

func (c comment) flaw() string { return flawOfID("the comment", c.ID) }

func (c comment) rendered() Comment {
	return Comment{
		ID: c.ID, DocumentID: c.DocumentID, ParentCommentID: c.ParentCommentID,
		Text: c.Data.Markdown(), AnchorText: c.AnchorText,
		Author: cmp.Or(c.CreatedBy.Name, "Unknown"), AuthorID: c.CreatedByID,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, ResolvedAt: c.ResolvedAt,
	}
}

// CreateCommentParams says what comment to add. What is left at "" is not sent.
type CreateCommentParams struct {
	ID              string `json:"id,omitempty"`              // UUID of the new comment; "": a random one
	DocumentID      string `json:"documentId"`                // UUID: no other form is accepted here
	ParentCommentID string `json:"parentCommentId,omitempty"` // UUID of the comment to reply to
	Text            string `json:"text"`                      // Markdown, 1–1,000 characters; headings, quotes and tables stay literal
	AnchorText      string `json:"anchorText,omitempty"`      // plain text of the document to attach it to: its first occurrence …
	AnchorPrefix    string `json:"anchorPrefix,omitempty"`    // … that this precedes
	AnchorSuffix    string `json:"anchorSuffix,omitempty"`    // … and this follows
}

// CreateComment adds a comment to a document and returns it (comments.create).
//
// An anchor that does not occur in the document fails with ErrTextNotFound, the
// ID of a comment that exists with ErrInvalid ("id must be unique"), an
// unknown document with ErrForbidden.
func (c *Client) CreateComment(ctx context.Context, n CreateCommentParams) (Comment, error) {
	n.ID = cmp.Or(n.ID, uuid.NewString())
	created, err := resolve(ctx, c, operation[Comment]{
		send: func(ctx context.Context) (Comment, error) {
			created, err := command(ctx, c, request{endpoint: "comments.create", params: n}, comment.flaw)
			return created.rendered(), err
		},
		observe: func(ctx context.Context, _ loss) observation[Comment] {
			created, err := c.Comment(ctx, n.ID)
			if errors.Is(err, ErrNotFound) {
				return observation[Comment]{seen: seenUnchanged}
			}
			return observed(created, true, err)
		},
	})
	if err != nil {
		if n.AnchorText != "" {
			message := "Outline does not find the text to anchor the comment to in the document"
			if n.ParentCommentID != "" {
				message += ", or not the comment to reply to"
			}
			err = textNotFound(err, message)
		}
		return Comment{}, err
	}
	return created, nil
}

// CommentParams choose a page of comments.
type CommentParams struct {
	DocumentID string // UUID: no other form is accepted here; "": of all documents
	Limit      int    // 1–100; 0: Outline's default, 25
	Offset     int    // of the first comment, 0 or more
}

// Comments returns a page of comments and replies, the newest first
// (comments.list). For an unknown document Outline answers with ErrForbidden.
func (c *Client) Comments(ctx context.Context, p CommentParams) (Page[Comment], error) {
	page, err := counted(ctx, c, "comments.list", struct {
		DocumentID        string `json:"documentId,omitempty"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
		ListParams
	}{p.DocumentID, true, ListParams{p.Limit, p.Offset}}, comment.flaw)
	if err != nil {
		return Page[Comment]{}, err
	}
	comments := make([]Comment, len(page.Items))
	for i, item := range page.Items {
		comments[i] = item.rendered()
	}
	return Page[Comment]{Items: comments, Limit: page.Limit, Offset: page.Offset, Total: page.Total}, nil
}

// Comment returns a comment by its UUID (comments.info).
func (c *Client) Comment(ctx context.Context, id string) (Comment, error) {
	const endpoint = "comments.info"
	a, err := query[comment](ctx, c, endpoint, struct {
		ID                string `json:"id"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
	}{id, true})
	if err != nil {
		return Comment{}, err
	}
	if why := a.Data.flaw(); why != "" {
		return Comment{}, wrongShape(endpoint, why)
	}
	return a.Data.rendered(), nil
}
