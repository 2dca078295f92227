package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// lost is what text that is kept loses in a write, because Markdown cannot express
// it.
type lost struct {
	CommentAnchors  []string `json:"comment_anchors"`
	HighlightColors int      `json:"highlight_colors"`
	ColumnWidths    int      `json:"column_widths"`
}

// newLost returns nil if nothing is lost.
func newLost(l edit.Loss) *lost {
	if l.IsZero() {
		return nil
	}
	return &lost{append([]string{}, l.CommentAnchors...), l.HighlightColors, l.ColumnWidths}
}

func (l lost) write(t *output.Text, dryRun bool) {
	heading := "Lost"
	if dryRun {
		heading = "Would be lost"
	}
	t.Printf("%s in text that is kept: comment_anchors %d", heading, len(l.CommentAnchors))
	t.If(len(l.CommentAnchors) > 0).Printf(" (%s)", strings.Join(l.CommentAnchors, ", "))
	t.Line(", highlight_colors %d, column_widths %d", l.HighlightColors, l.ColumnWidths)
}

// commentsRemoved is the note on a write that removed text with comments: Outline
// restores text without the marks of comments, so that an undo does not attach them again.
const commentsRemoved = "comments were on text that is gone: they stay, but lose their place, which an undo does not bring back"

// removesComments reports whether a write removed text that comments were on. Those
// that are lost were on text that is kept.
func removesComments(before, after outline.Document, lost []string) bool {
	if before.Tree == nil || after.Tree == nil {
		return false
	}
	remain := commentsOn(after.Tree, slices.Clone(lost))
	return slices.ContainsFunc(commentsOn(before.Tree, nil), func(id string) bool { return !slices.Contains(remain, id) })
}

// commentsOn appends the IDs of the comments that are on text of a document.
func commentsOn(n *prosemirror.Node, ids []string) []string {
	for _, mark := range n.Marks {
		if mark.Type == prosemirror.Comment {
			ids = append(ids, mark.Attrs.String("id"))
		}
	}
	for _, child := range n.Content {
		ids = commentsOn(child, ids)
	}
	return ids
}

// maxCommentPages is how many pages of comments are read to find those whose
// anchors are at stake. One that is not found counts as unresolved.
const maxCommentPages = 5

// detached returns a line for each unresolved comment that would lose its place in text
// that is kept, unless the caller allows that.
func detached(ctx context.Context, env mcptool.Env, documentID string, loss edit.Loss, allowed bool) ([]string, error) {
	if allowed || len(loss.CommentAnchors) == 0 {
		return nil, nil
	}
	return unresolved(ctx, env, documentID, loss.CommentAnchors)
}

// unresolved returns a line for each of the comments that is not resolved. A
// comment that does not exist any more is.
func unresolved(ctx context.Context, env mcptool.Env, documentID string, ids []string) ([]string, error) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	const size = 100
	var open []string
	for page := range maxCommentPages {
		comments, err := env.Outline.Comments(ctx, outline.CommentParams{DocumentID: documentID, Limit: size, Offset: page * size})
		if errors.Is(err, outline.ErrForbidden) {
			return entriesOf(ids, func(id string) string { return "comment_id " + id + ", which this key may not read" }), nil
		}
		if err != nil {
			return nil, err
		}
		for _, c := range comments.Items {
			if wanted[c.ID] && c.ResolvedAt == nil {
				open = append(open, fmt.Sprintf("comment_id %s by %s: %s", c.ID, output.OneLine(c.Author), output.Quote(output.Excerpt(c.Text, 80))))
			}
			delete(wanted, c.ID)
		}
		if len(wanted) == 0 || len(comments.Items) < size {
			return open, nil
		}
	}
	for _, id := range ids {
		if wanted[id] {
			open = append(open, "comment_id "+id)
		}
	}
	return open, nil
}
