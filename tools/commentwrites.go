package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

func updateComment() mcptool.Tool {
	return mcptool.Spec[updateCommentIn, updatedComment]{
		Name:        "update_comment",
		Title:       "Update comment",
		Description: "Resolves or reopens a comment thread in Outline, or replaces a comment's text.",
		Endpoints:   []string{"comments.info", "comments.update", "comments.resolve", "comments.unresolve"},
		Effect:      mcptool.Changes,
		Run: func(ctx context.Context, env mcptool.Env, in updateCommentIn) (updatedComment, error) {
			before, err := env.Outline.Comment(outline.WithCallOptions(ctx, outline.ToChange()), in.CommentID)
			if err != nil {
				return updatedComment{}, err
			}
			if in.Resolved != nil && before.ParentCommentID != "" {
				return updatedComment{}, output.Failure{Code: output.Conflict, CommentID: before.ID, DocumentID: before.DocumentID,
					Sentence: fmt.Sprintf("nothing was changed: this comment is a reply, and resolved is a state of the whole thread. Give the comment that it replies to, %s.", before.ParentCommentID)}
			}
			comment := before
			var note string
			if in.Text, note, err = newComment(ctx, env, in.Text); err != nil {
				return updatedComment{}, err
			}
			if err := in.confirm(ctx, env, before); err != nil {
				return updatedComment{}, err
			}
			if in.Text != "" {
				if comment, err = env.Outline.UpdateComment(ctx, before, in.Text); err != nil {
					return updatedComment{}, aboutComment(before, err, "change the comment: "+onlyAuthors)
				}
			}
			resolved := comment.ResolvedAt != nil
			if in.Resolved != nil && *in.Resolved != resolved {
				if comment, err = env.Outline.ResolveComment(ctx, before.ID, *in.Resolved); err != nil {
					return updatedComment{}, notResolved(before, in, err)
				}
			}
			return updatedComment{comment.ID, comment.DocumentID, comment.ResolvedAt != nil, comment.UpdatedAt, strings.Join(nonEmpty(changesOf(in, resolved), note), "; ")}, nil
		},
	}
}

type updateCommentIn struct {
	commentIn
	Text     string `json:"text,omitempty" maxLength:"1000" jsonschema:"Markdown"`
	Resolved *bool  `json:"resolved,omitempty" jsonschema:"Of the thread it begins"`
}

// confirm asks the person, who is shown the old and the new text.
func (in updateCommentIn) confirm(ctx context.Context, env mcptool.Env, before outline.Comment) error {
	resolved := before.ResolvedAt != nil
	if in.Text == "" && *in.Resolved == resolved {
		return nil
	}
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		var changes []string
		details := before.Text
		if in.Text != "" {
			changes = append(changes, "replace the text of")
			details = edit.Unified(before.Text, in.Text, "now", "with the update").Text
		}
		if in.Resolved != nil && *in.Resolved != resolved {
			changes = append(changes, map[bool]string{true: "resolve", false: "reopen"}[*in.Resolved])
		}
		what := strings.Join(changes, " and ")
		text := fmt.Sprintf("%s the comment by %s on %s?", capitalized(what), output.Quote(output.Excerpt(before.Author, longestTitle)), findName(ctx, env, before.DocumentID))
		return elicit.Question{Text: text, Details: details, Bound: fmt.Sprint(before.ID, before.UpdatedAt)}, nil
	})
}

// commentIn holds the argument of tools that work on one comment.
type commentIn struct {
	CommentID string `json:"comment_id"`
}

// Validate rejects comment IDs that are not UUIDs.
func (in commentIn) Validate() error { return checkCommentID("comment_id", in.CommentID) }

// Validate rejects an update without changes, too.
func (in updateCommentIn) Validate() error {
	if in.Text == "" && in.Resolved == nil {
		return errors.New("give text, resolved or both: there is nothing to change")
	}
	return in.commentIn.Validate()
}

// changesOf returns what a call changed, for a text. wasResolved is the state of the
// thread before.
func changesOf(in updateCommentIn, wasResolved bool) string {
	changes, thread := "", ""
	if in.Text != "" {
		changes = "its text is replaced"
	}
	switch {
	case in.Resolved == nil && wasResolved:
		thread = "the thread is resolved"
	case in.Resolved == nil:
	case *in.Resolved == wasResolved:
		thread = map[bool]string{true: "the thread was resolved already", false: "the thread was open already"}[wasResolved]
	default:
		thread = map[bool]string{true: "the thread is open again", false: "the thread is resolved"}[wasResolved]
	}
	return strings.Join(nonEmpty(changes, thread), ", ")
}

// notResolved explains why the state of a thread could not be changed, and what was
// changed before.
func notResolved(before outline.Comment, in updateCommentIn, err error) error {
	failure := aboutComment(before, err, "change the state of the thread: only people who may edit the document may, and in some versions of Outline whoever began it.")
	if in.Text != "" {
		failure.Sentence = "the text was replaced, but the state of the thread was not changed: " + failure.Sentence
	}
	return failure
}

// aboutComment adds the IDs of a comment to a failure. refused completes the sentence
// "Outline refused to".
func aboutComment(c outline.Comment, err error, refused string) output.Failure {
	failure := output.Error(err)
	failure.Cause, failure.CommentID, failure.DocumentID = err, c.ID, c.DocumentID
	if errors.Is(err, outline.ErrForbidden) {
		failure.Sentence, failure.Next = "Outline refused to "+refused, "You can reply to it[ with add_comment]."
	}
	return failure
}

const onlyAuthors = "only its author and admins may, and only while the document is not archived."

type updatedComment struct {
	CommentID  string    `json:"comment_id" format:"uuid"`
	DocumentID string    `json:"document_id" format:"uuid"`
	Resolved   bool      `json:"resolved"`
	UpdatedAt  time.Time `json:"updated_at"`

	changes string
}

func (c updatedComment) WriteText(t *output.Text) {
	t.Line("Updated comment_id %s on document_id %s, updated_at %s: %s.", c.CommentID, c.DocumentID, stamp(c.UpdatedAt), c.changes)
}

func deleteComment() mcptool.Tool {
	return mcptool.Spec[commentIn, deletedComment]{
		Name:        "delete_comment",
		Title:       "Delete comment",
		Description: "Permanently deletes a comment in Outline and all replies to it.[ To close a thread, use update_comment.]",
		Endpoints:   []string{"comments.info", "comments.list", "comments.delete"},
		Effect:      mcptool.Deletes,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, in commentIn) (deletedComment, error) {
			comment, err := env.Outline.Comment(outline.WithCallOptions(ctx, outline.ToChange()), in.CommentID)
			if err != nil {
				return deletedComment{}, err
			}
			all, err := allComments(ctx, env, outline.CommentParams{DocumentID: comment.DocumentID})
			if err != nil {
				return deletedComment{}, err
			}
			if err := confirmDelete(ctx, env, comment, repliesTo(comment.ID, all)); err != nil {
				return deletedComment{}, err
			}
			if err := env.Outline.DeleteComment(ctx, comment.ID); err != nil {
				return deletedComment{}, aboutComment(comment, err, "delete the comment: "+onlyAuthors)
			}
			return deletedComment{comment.ID, comment.DocumentID, true, repliesTo(comment.ID, all)}, nil
		},
	}
}

// confirmDelete asks the person, who is shown the comment.
func confirmDelete(ctx context.Context, env mcptool.Env, c outline.Comment, replies int) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		with := ""
		if replies > 0 {
			with = " with " + output.Count(replies, "reply", "replies")
		}
		text := fmt.Sprintf("Permanently delete a comment by %s%s, on %s? This cannot be undone.",
			output.Quote(output.Excerpt(c.Author, longestTitle)), with, findName(ctx, env, c.DocumentID))
		return elicit.Question{Text: text, Details: c.Text, Bound: c.ID}, nil
	})
}

// repliesTo counts the replies to a comment, and those to them.
func repliesTo(id string, comments []outline.Comment) int {
	parents, count := parentComments(comments), 0
	for _, c := range comments {
		if c.ID != id && rootOf(c.ID, parents, id) == id {
			count++
		}
	}
	return count
}

type deletedComment struct {
	CommentID      string `json:"comment_id" format:"uuid"`
	DocumentID     string `json:"document_id" format:"uuid"`
	Deleted        bool   `json:"deleted" const:"true"`
	RepliesDeleted int    `json:"replies_deleted"`
}

func (c deletedComment) WriteText(t *output.Text) {
	t.Printf("Deleted comment_id %s", c.CommentID)
	t.If(c.RepliesDeleted > 0).Printf(" with %s to it", output.Count(c.RepliesDeleted, "reply", "replies"))
	t.Line(", on document_id %s. This cannot be undone.", c.DocumentID)
}
