package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/elicit"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
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

// mentionSign is how a text mentions somebody: @[Name] or @[e-mail]. With an address
// behind it, it is Outline's own form of a mention, which stays as it is.
var mentionSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\[([^\[\]\n]{1,200})\](\(?)`) })

// mostMentions is how many mentions a text may hold that have to be looked up.
const mostMentions = 50

// withMentions returns a text in which each @[Name] is a mention in Outline's form,
// @[Name](mention://ID/user/USER). parse is what Outline makes of the text: what does
// not become a mention there, as in code, stays as it is, and so does what would be
// part of a link, and the literal ones. It fails if a name or an e-mail address is not that of exactly one
// user.
func withMentions(ctx context.Context, env mcptool.Env, text string, parse func(string) *prosemirror.Node, literal ...string) (string, error) {
	if !strings.Contains(text, "@[") {
		return text, nil
	}
	const nobody = "00000000-0000-4000-8000-%012d"
	number := func(form string) string {
		count := 0
		return replaceMentions(text, func(string) string {
			count++
			return strings.ReplaceAll(form, "ID", fmt.Sprintf(nobody, count))
		})
	}
	drafted := number("@[x](mention://ID/user/ID)")
	if drafted == text {
		return text, nil
	}
	become := map[string]bool{}
	prosemirror.Walk(parse(drafted), func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.Mention {
			become[n.Attrs.String("modelId")] = true
		}
		return true
	})
	// A mention in the text of a link would end the link.
	prosemirror.Walk(parse(number("@[ID]")), func(n *prosemirror.Node) bool {
		if _, linked := n.Mark(prosemirror.Link); linked {
			for _, sign := range mentionSign().FindAllStringSubmatch(n.Text, -1) {
				delete(become, sign[1])
			}
		}
		return true
	})
	people, at, err := map[string]outline.User{}, 0, error(nil)
	written := replaceMentions(text, func(name string) string {
		at++
		sign := "@[" + name + "]"
		if err != nil || !become[fmt.Sprintf(nobody, at)] || slices.Contains(literal, sign) {
			return sign
		}
		user, known := people[name]
		if !known {
			if len(people) == mostMentions {
				err = output.Invalid("nothing was written: the text mentions more than %d people", mostMentions)
				return sign
			}
			if user, err = mentioned(ctx, env, name); err != nil {
				var failure output.Failure
				if errors.As(err, &failure) {
					failure.Sentence += ` To keep it as text, write \@[…].`
					err = failure
				}
				return sign
			}
			people[name] = user
		}
		label := strings.NewReplacer("[", "", "]", "", `\`, "").Replace(output.OneLine(user.Name))
		return fmt.Sprintf("@[%s](mention://%s/user/%s)", label, env.NewID(), user.ID)
	})
	return written, err
}

// withNewMentions is withMentions for the new text of an edit, which becomes what it is
// where it stands in the document: text in a code block, for example. What the old
// text holds in the same form is not a mention, and stays as it is.
func withNewMentions(ctx context.Context, env mcptool.Env, document string, edit textEdit) (string, error) {
	parse := prosemirror.Parse
	if edit.OldText != "" && strings.Count(document, edit.OldText) == 1 {
		parse = func(text string) *prosemirror.Node {
			return prosemirror.Parse(strings.Replace(document, edit.OldText, text, 1))
		}
	}
	var literal []string
	replaceMentions(edit.OldText, func(name string) string {
		literal = append(literal, "@["+name+"]")
		return ""
	})
	return withMentions(ctx, env, edit.NewText, parse, literal...)
}

// replaceMentions replaces each @[Name] that has no address behind it. One that
// follows a letter or a digit is part of an e-mail address, user@[192.0.2.1].
func replaceMentions(text string, with func(name string) string) string {
	var out strings.Builder
	last := 0
	for _, m := range mentionSign().FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		if m[4] < m[5] || unicode.IsLetter(before) || unicode.IsDigit(before) || strings.TrimSpace(text[m[2]:m[3]]) == "" {
			continue
		}
		out.WriteString(text[last:m[0]])
		out.WriteString(with(text[m[2]:m[3]]))
		last = m[1]
	}
	return out.String() + text[last:]
}

// mentioned returns the one user who has a name or an e-mail address. Part of a name
// is not enough: it could be somebody else's.
func mentioned(ctx context.Context, env mcptool.Env, name string) (outline.User, error) {
	const argument, byID = "nothing was written: @[…] in the text", "@[Name](mention://user/UUID)"
	if outline.IsUUID(strings.TrimSpace(name)) {
		return outline.User{}, output.Invalid("%s takes a name or an e-mail address, not a UUID: for that, write %s.", argument, byID)
	}
	user, err := findPerson(ctx, env, argument, byID, name)
	if err != nil {
		return user, err
	}
	if !strings.EqualFold(output.OneLine(user.Name), output.OneLine(name)) && !strings.EqualFold(user.Email, name) &&
		!(user.Email == "" && strings.Contains(name, "@")) {
		return user, output.Failure{Code: output.NotFound,
			Sentence: fmt.Sprintf("%s: no user has the name or e-mail address %s. The nearest is %s.", argument, output.Quote(output.Excerpt(name, longestTitle)), people([]outline.User{user}))}
	}
	return user, nil
}
