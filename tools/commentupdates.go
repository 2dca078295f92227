package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func updateComment() mcptool.Tool {
	return mcptool.Spec[updateCommentIn, output.Result]{
		Name:        "update_comment",
		Title:       "Update comment",
		Description: "Closes or reopens a comment thread in Outline, or replaces a comment's text.",
		Endpoints:   []string{"comments.info", "comments.update", "comments.resolve", "comments.unresolve"},
		Effect:      mcptool.Changes,
		Shapes:      []output.Result{updatedComment{}, batchAnswer{}},
		Run: func(ctx context.Context, env mcptool.Env, in updateCommentIn) (output.Result, error) {
			all := append([]commentChange{in.commentChange}, in.More...)
			ids := entriesOf(all, func(c commentChange) string { return c.CommentID })
			return writeComments(ctx, env, "update", ids, func(ctx context.Context, i int) (commentWrite, error) { return all[i].prepare(ctx, env) })
		},
	}
}

// prepare checks everything before a comment is changed.
func (in commentChange) prepare(ctx context.Context, env mcptool.Env) (w commentWrite, err error) {
	if err := mcptool.Validate(in); err != nil {
		return w, err
	}
	before, err := env.Outline.Comment(outline.WithCallOptions(ctx, outline.ToChange()), in.CommentID)
	if err != nil {
		return w, err
	}
	if in.Resolved != nil && before.ParentCommentID != "" {
		return w, output.Failure{Code: output.Conflict, CommentID: before.ID, DocumentID: before.DocumentID,
			Sentence: fmt.Sprintf("nothing was changed: this comment is a reply, and resolved is a state of the whole thread. Give the comment that it replies to, %s.", before.ParentCommentID)}
	}
	comment := before
	var note string
	if in.Text, note, err = newComment(ctx, env, in.Text); err != nil {
		return w, err
	}
	if in.Text != "" || *in.Resolved != (before.ResolvedAt != nil) {
		w.question = func(ctx context.Context) elicit.Question { return in.question(ctx, env, before) }
	}
	w.write = func(ctx context.Context) (writtenComment, error) {
		if in.Text != "" {
			if comment, err = env.Outline.UpdateComment(ctx, before, in.Text); err != nil {
				return nil, aboutComment(before, err, "change the comment: "+onlyAuthors)
			}
		}
		resolved := comment.ResolvedAt != nil
		if in.Resolved != nil && *in.Resolved != resolved {
			if comment, err = env.Outline.ResolveComment(ctx, before.ID, *in.Resolved); err != nil {
				return nil, notResolved(before, in, err)
			}
		}
		changes := strings.Join(nonEmpty(changesOf(in, resolved), note), "; ")
		return updatedComment{comment.ID, comment.DocumentID, comment.ResolvedAt != nil, comment.UpdatedAt, comment.Text, changes}, nil
	}
	return w, nil
}

type updateCommentIn struct {
	commentChange
	More []commentChange `json:"more_comments,omitempty" maxItems:"99"`
}

type commentChange struct {
	commentIn
	Text     string `json:"text,omitempty" maxLength:"1000"`
	Resolved *bool  `json:"resolved,omitempty" jsonschema:"true closes the thread"`
}

// question shows the user the old and the new text.
func (in commentChange) question(ctx context.Context, env mcptool.Env, before outline.Comment) elicit.Question {
	var changes []string
	details := before.Text
	if in.Text != "" {
		changes = append(changes, "replace the text of")
		_, details = textChanges(before.Text, in.Text)
	}
	if in.Resolved != nil && *in.Resolved != (before.ResolvedAt != nil) {
		changes = append(changes, map[bool]string{true: "resolve", false: "reopen"}[*in.Resolved])
	}
	what := strings.Join(changes, " and ")
	text := fmt.Sprintf("%s the comment by %s on %s?", capitalized(what), output.Quote(output.Excerpt(before.Author, longestTitle)), findName(ctx, env, before.DocumentID))
	return elicit.Question{Text: text, Details: details, Bound: fmt.Sprint(before.ID, before.UpdatedAt)}
}

// commentIn holds the argument of tools that work on one comment.
type commentIn struct {
	CommentID string `json:"comment_id"`
}

// Validate rejects comment IDs that are not UUIDs.
func (in commentIn) Validate() error { return checkCommentID("comment_id", in.CommentID) }

// Validate rejects an update without changes, too.
func (in commentChange) Validate() error {
	if in.Text == "" && in.Resolved == nil {
		return errors.New("give text, resolved or both: there is nothing to change")
	}
	return in.commentIn.Validate()
}

// changesOf returns what a call changed, for a text. wasResolved is the state of the
// thread before.
func changesOf(in commentChange, wasResolved bool) string {
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
func notResolved(before outline.Comment, in commentChange, err error) error {
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

	text, changes string
}

func (c updatedComment) outcome() (id, title, note string) { return c.CommentID, c.text, c.changes }

func (c updatedComment) WriteText(t *output.Text) {
	t.Line("Updated comment_id %s on document_id %s, updated_at %s: %s.", c.CommentID, c.DocumentID, stamp(c.UpdatedAt), c.changes)
}
