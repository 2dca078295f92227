package outline

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
)

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
	created, err := command(ctx, c, changing("comments.create", n), Comment.incomplete, func(ctx context.Context) observation[Comment] {
		created, err := c.Comment(ctx, n.ID)
		return observedNew(created, true, err)
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

// UpdateComment replaces the text of a comment (comments.update), given as it was
// read, and returns the comment. The text is Markdown, as in CreateComment. Mentions
// that the comment holds stay where the text still has them as @Name.
//
// A comment of somebody else fails with ErrForbidden unless the caller is an
// administrator, a text without content or of more than 1,000 characters with
// ErrInvalid.
func (c *Client) UpdateComment(ctx context.Context, before Comment, text string) (Comment, error) {
	data := before.keepMentions(prosemirror.ParseComment(text))
	params := struct {
		ID   string            `json:"id"`
		Data *prosemirror.Node `json:"data"`
	}{before.ID, data}
	return command(ctx, c, changing("comments.update", params), Comment.incomplete, func(ctx context.Context) observation[Comment] {
		now, err := c.Comment(ctx, before.ID)
		o := observed(now, now.hasData(data), err)
		if o.seen == seenUnchanged && !now.UpdatedAt.Equal(before.UpdatedAt) {
			o.seen = seenAmbiguous
		}
		return o
	})
}

// hasData reports whether a comment has the nodes.
func (c Comment) hasData(data *prosemirror.Node) bool { return prosemirror.Equal(c.content, data) }

// ResolveComment resolves the thread that a comment begins or, if resolved is false,
// opens it again (comments.resolve, comments.unresolve). It returns the comment.
//
// A thread that is in this state already, a reply, and a caller who may neither edit
// the document nor has begun the thread fail with ErrForbidden.
func (c *Client) ResolveComment(ctx context.Context, id string, resolved bool) (Comment, error) {
	endpoint := "comments.unresolve"
	if resolved {
		endpoint = "comments.resolve"
	}
	return command(ctx, c, changing(endpoint, byID{id}), Comment.incomplete, func(ctx context.Context) observation[Comment] {
		now, err := c.Comment(ctx, id)
		return observed(now, resolved == (now.ResolvedAt != nil), err)
	})
}

// DeleteComment permanently deletes a comment with its replies (comments.delete). A
// comment of somebody else fails with ErrForbidden unless the caller is an
// administrator.
func (c *Client) DeleteComment(ctx context.Context, id string) error {
	return c.remove(ctx, changing("comments.delete", byID{id}), func(ctx context.Context) (bool, error) {
		_, err := c.Comment(ctx, id)
		return false, err
	})
}
