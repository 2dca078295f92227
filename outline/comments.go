package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
)

// A Comment is a comment on a document.
type Comment struct {
	ID              string     `json:"id"`              // UUID
	DocumentID      string     `json:"documentId"`      // UUID
	ParentCommentID string     `json:"parentCommentId"` // UUID of the comment that it replies to; "" if it is not a reply
	Text            string     `json:"-"`               // Markdown; see [prosemirror.CommentText]. It says so if Outline sent content that cannot be read
	AnchorText      string     `json:"anchorText"`      // text of the document that it is attached to; "" if none is known
	Author          string     `json:"-"`               // name; Unknown, as in Outline, for a deleted user
	AuthorID        string     `json:"createdById"`     // UUID
	CreatedAt       time.Time  `json:"createdAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
	ResolvedAt      *time.Time `json:"resolvedAt"` // nil while it is open

	content *prosemirror.Node // nil if Outline sent none, or one that cannot be read
}

// unreadableNote is the text of a comment whose content cannot be read. The other comments
// on its page can.
const unreadableNote = "(The content of this comment cannot be read.)"

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
	c.Author = cmp.Or(wire.CreatedBy.Name, "Unknown")
	if len(wire.Data) == 0 || string(wire.Data) == "null" {
		return nil
	}
	content, err := prosemirror.Decode(wire.Data)
	if err != nil {
		c.Text = unreadableNote
		return nil
	}
	c.Text, c.content = prosemirror.CommentText(content), content
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
	return counted(ctx, c, listing.request("comments.list", struct {
		DocumentID        string `json:"documentId,omitempty"`
		CollectionID      string `json:"collectionId,omitempty"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
		ListParams
	}{p.DocumentID, p.CollectionID, true, ListParams{p.Limit, p.Offset}}), Comment.incomplete)
}

// Comment returns a comment by its UUID (comments.info).
func (c *Client) Comment(ctx context.Context, id string) (Comment, error) {
	return query(ctx, c, "comments.info", struct {
		ID                string `json:"id"`
		IncludeAnchorText bool   `json:"includeAnchorText"`
	}{id, true}, Comment.incomplete)
}

// keepMentions returns the new content of a comment in which the people that the
// comment mentions so far are mentioned still: its text shows them as @Name, which
// would become plain text. Code and links stay as they are. Mentions keep their IDs, so
// that Outline notifies nobody again.
func (c Comment) keepMentions(content *prosemirror.Node) *prosemirror.Node {
	if c.content == nil {
		return content
	}
	var mentions []*prosemirror.Node
	prosemirror.Walk(c.content, func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.Mention && n.Attrs.String("label") != "" {
			mentions = append(mentions, n)
		}
		return true
	})
	// The longest name first: one may begin with another.
	slices.SortStableFunc(mentions, func(a, b *prosemirror.Node) int {
		return len(b.Attrs.String("label")) - len(a.Attrs.String("label"))
	})
	for _, mention := range mentions {
		content, _ = withMention(content, mention)
	}
	return content
}

// withMention puts a mention where a tree first shows it as text, and reports whether
// it does.
func withMention(n, mention *prosemirror.Node) (*prosemirror.Node, bool) {
	if n.Type == prosemirror.CodeBlock || n.Type == prosemirror.CodeFence {
		return n, false
	}
	for i, child := range n.Content {
		parts, found := []*prosemirror.Node{child}, false
		if child.IsText() {
			parts, found = splitAtMention(child, mention)
		} else {
			parts[0], found = withMention(child, mention)
		}
		if found {
			return n.With(slices.Concat(n.Content[:i], parts, n.Content[i+1:])), true
		}
	}
	return n, false
}

func splitAtMention(text, mention *prosemirror.Node) ([]*prosemirror.Node, bool) {
	_, code := text.Mark(prosemirror.Code)
	_, link := text.Mark(prosemirror.Link)
	if code || link {
		return nil, false
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	name := "@" + mention.Attrs.String("label")
	for at, end := 0, 0; ; {
		next := strings.Index(text.Text[end:], name)
		if next < 0 {
			return nil, false
		}
		at, end = end+next, end+next+len(name)
		before, _ := utf8.DecodeLastRuneInString(text.Text[:at])
		after, _ := utf8.DecodeRuneInString(text.Text[end:])
		if word(before) || word(after) {
			continue
		}
		var parts []*prosemirror.Node
		part := func(of *prosemirror.Node, text string, marks []prosemirror.Mark) {
			if text != "" || !of.IsText() {
				parts = append(parts, &prosemirror.Node{Type: of.Type, Attrs: of.Attrs, Marks: marks, Text: text})
			}
		}
		part(text, text.Text[:at], text.Marks)
		part(mention, "", text.Marks)
		part(text, text.Text[end:], text.Marks)
		return parts, true
	}
}

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
// editor fails with ErrCannotAnchor on Outline's releases.
func (c *Client) CreateComment(ctx context.Context, n CreateCommentParams) (Comment, error) {
	n.ID = cmp.Or(n.ID, uuid.NewString())
	created, err := command(ctx, c, changing.request("comments.create", n), Comment.incomplete, func(ctx context.Context) (Comment, WriteState) {
		created, err := c.Comment(ctx, n.ID)
		return observationOfNew(created, true, err)
	})
	if n.AnchorText != "" {
		err = textNotFound(err, "Outline does not find the text to anchor the comment to in the document")
		if e, ok := err.(*Error); ok && e.Kind() == ErrInvalid && strings.HasPrefix(e.Message, "Cannot inline comment") {
			e.kind = ErrCannotAnchor
		}
	}
	return created, err
}

// UpdateComment replaces the text of a comment (comments.update), given as it was
// read, and returns the comment. The text is Markdown, as in CreateComment. Mentions
// that the comment holds stay where the text still has them as @Name.
//
// A comment of another user fails with ErrForbidden unless the caller is an
// administrator, a text without content or of more than 1,000 characters with
// ErrInvalid.
func (c *Client) UpdateComment(ctx context.Context, before Comment, text string) (Comment, error) {
	data := before.keepMentions(prosemirror.ParseComment(text))
	params := struct {
		ID   string            `json:"id"`
		Data *prosemirror.Node `json:"data"`
	}{before.ID, data}
	return command(ctx, c, changing.request("comments.update", params), Comment.incomplete, func(ctx context.Context) (Comment, WriteState) {
		now, err := c.Comment(ctx, before.ID)
		_, seen := observation(now, prosemirror.Equal(now.content, data), err)
		if seen == SeenUnchanged && !now.UpdatedAt.Equal(before.UpdatedAt) {
			seen = SeenAmbiguous
		}
		return now, seen
	})
}

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
	return command(ctx, c, changing.request(endpoint, byID{id}), Comment.incomplete, func(ctx context.Context) (Comment, WriteState) {
		now, err := c.Comment(ctx, id)
		return observation(now, resolved == (now.ResolvedAt != nil), err)
	})
}

// DeleteComment permanently deletes a comment with its replies (comments.delete). A
// comment of another user fails with ErrForbidden unless the caller is an
// administrator.
func (c *Client) DeleteComment(ctx context.Context, id string) error {
	return c.remove(ctx, changing.request("comments.delete", byID{id}), func(ctx context.Context) (bool, error) {
		_, err := c.Comment(ctx, id)
		return false, err
	})
}
