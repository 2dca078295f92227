package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func addComment() mcptool.Tool {
	return mcptool.Spec[addCommentIn, output.Result]{
		Name:        "add_comment",
		Title:       "Add comment",
		Description: "Comments on an Outline document or passage, or replies to a comment.",
		Endpoints:   []string{"comments.create", "documents.info"},
		Effect:      mcptool.Adds,
		Shapes:      []output.Result{addedComment{}, batchAnswer{}},
		Run: func(ctx context.Context, env mcptool.Env, in addCommentIn) (output.Result, error) {
			all := []addCommentIn{in}
			for _, next := range in.More {
				all = append(all, addCommentIn{documentIn: documentIn{cmp.Or(next.DocumentID, in.DocumentID)}, newCommentIn: next.newCommentIn})
			}
			ids := entriesOf(all, func(addCommentIn) string { return env.NewID() })
			return writeComments(ctx, env, "create", make([]string, len(all)), func(ctx context.Context, i int) (commentWrite, error) {
				return all[i].prepare(ctx, env, ids[i])
			})
		},
	}
}

// prepare checks everything before a comment is written.
func (in addCommentIn) prepare(ctx context.Context, env mcptool.Env, commentID string) (w commentWrite, err error) {
	if err := mcptool.Validate(in); err != nil {
		return w, err
	}
	id, err := documentID(ctx, env, in.DocumentID)
	if err != nil {
		return w, err
	}
	read := env.Outline.Document
	if in.AnchorText != "" {
		read = env.Outline.DocumentWithTree
	}
	document, err := read(outline.WithCallOptions(ctx, outline.ToChange()), id)
	if err != nil {
		return w, err
	}
	if in, err = in.anchored(document); err != nil {
		return w, withDocument(document, err)
	}
	var note string
	if in.Text, note, err = newComment(ctx, env, in.Text); err != nil {
		return w, withDocument(document, err)
	}
	w.question = func(ctx context.Context) elicit.Question {
		return elicit.Question{Text: in.question(located(ctx, env, document)), Details: in.Text, Bound: boundTo(document)}
	}
	w.write = func(ctx context.Context) (writtenComment, error) {
		comment, err := env.Outline.CreateComment(ctx, outline.CreateCommentParams{
			ID: commentID, DocumentID: document.ID, ParentCommentID: in.ParentCommentID, Text: in.Text,
			AnchorText: in.AnchorText, AnchorPrefix: in.AnchorPrefix, AnchorSuffix: in.AnchorSuffix,
		})
		if err != nil {
			if state := checkActive(document); state != nil && errors.Is(err, outline.ErrForbidden) {
				err = state
			}
			return nil, withDocument(document, notAdded(in, err))
		}
		return addedComment{
			CommentID: comment.ID, documentName: nameOf(document.DocumentSummary), CreatedAt: comment.CreatedAt,
			IsReply: in.ParentCommentID != "", ParentCommentID: in.ParentCommentID, Note: note,
		}, nil
	}
	return w, nil
}

// anchored refuses a passage that occurs more than once: Outline would take the first.
// Whether it occurs at all is left to Outline, which compares each character: a passage
// that the document writes in other forms is given as the document has it.
func (in addCommentIn) anchored(document outline.Document) (addCommentIn, error) {
	if in.AnchorText == "" || document.Tree == nil {
		return in, nil
	}
	plain := prosemirror.PlainText(document.Tree)
	passage := prosemirror.Passage{Prefix: in.AnchorPrefix, Text: in.AnchorText, Suffix: in.AnchorSuffix}
	places := passage.Places(plain)
	if len(places) == 0 {
		folded := text.Fold(plain)
		original := func(start, end int) prosemirror.Range {
			from, to := folded.Original(start, end)
			return prosemirror.Range{Start: from, End: to}
		}
		part := func(r prosemirror.Range) string { return plain[r.Start:r.End] }
		passage = prosemirror.Passage{Prefix: text.Fold(in.AnchorPrefix).Text, Text: text.Fold(in.AnchorText).Text, Suffix: text.Fold(in.AnchorSuffix).Text}
		for _, at := range passage.Places(folded.Text) {
			places = append(places, original(at.Start, at.End))
			in.AnchorPrefix, in.AnchorText = part(original(at.Start-len(passage.Prefix), at.Start)), part(original(at.Start, at.End))
			in.AnchorSuffix = part(original(at.End, at.End+len(passage.Suffix)))
		}
	}
	if len(places) < 2 {
		return in, nil
	}
	shown := firstOf(places, maxPlaces, ", ", "", func(place prosemirror.Range) string { return output.Quote(excerptAround(plain, place)) })
	return in, output.Failure{Code: output.Conflict, Sentence: fmt.Sprintf("nothing was written: the anchor_text occurs %d times: %s. "+
		"Give what comes right before it as anchor_prefix, or what follows as anchor_suffix.", len(places), shown)}
}

// The passages that an answer shows, and the text on both sides of each, in
// characters.
const maxPlaces, placeContext = 5, 30

// excerptAround returns a place in a text with some of what surrounds it.
func excerptAround(text string, place prosemirror.Range) string {
	before, after := []rune(text[:place.Start]), []rune(text[place.End:])
	passage := output.Excerpt(text[place.Start:place.End], 60)
	before, after = before[max(0, len(before)-placeContext):], after[:min(len(after), placeContext)]
	return strings.Join(strings.Fields(string(before)+passage+string(after)), " ")
}

// notAdded explains why Outline refused a comment.
func notAdded(in addCommentIn, err error) error {
	switch {
	case errors.Is(err, outline.ErrCannotAnchor):
		return output.Failure{Code: output.Conflict,
			Sentence: "nothing was written: this version of Outline can attach a comment to a passage only after the document was opened in Outline's editor.",
			Next:     "Comment without anchor_text, and quote the passage in text; or ask a user to open the document in Outline once, then call again."}
	case errors.Is(err, outline.ErrTextNotFound):
		return output.Failure{Code: output.NotFound,
			Sentence: fmt.Sprintf("Outline cannot find the anchor_text %s in one piece%s.", output.Quote(output.Excerpt(in.AnchorText, 100)), in.between()),
			Next:     "Copy it[ from read_document], without Markdown syntax, from within one paragraph."}
	case errors.Is(err, outline.ErrInvalid) && in.ParentCommentID != "" && strings.HasPrefix(reasonOf(err), "Parent comment"):
		return output.Failure{Code: output.NotFound,
			Sentence: fmt.Sprintf("there is no comment %s on this document to reply to.", in.ParentCommentID),
			Next:     "[list_document_comments shows its comments.|Check parent_comment_id.]"}
	}
	return err
}

// question returns what the user is asked. It gets the document as a phrase.
func (in addCommentIn) question(document string) string {
	switch {
	case in.ParentCommentID != "":
		return "Reply to a comment on " + document + "?"
	case in.AnchorText != "":
		return "Comment on " + output.Quote(output.Excerpt(in.AnchorText, longestTitle)) + " in " + document + "?"
	}
	return "Comment on " + document + "?"
}

type addCommentIn struct {
	documentIn
	newCommentIn
	More []nextCommentIn `json:"more_comments,omitempty" maxItems:"99"`
}

type nextCommentIn struct {
	DocumentID string `json:"document_id,omitempty"`
	newCommentIn
}

type newCommentIn struct {
	Text            string `json:"text" maxLength:"1000" jsonschema:"Markdown"`
	ParentCommentID string `json:"parent_comment_id,omitempty"`
	AnchorText      string `json:"anchor_text,omitempty" maxLength:"10000" jsonschema:"Passage of one paragraph, without Markdown"`
	AnchorPrefix    string `json:"anchor_prefix,omitempty" seldom:"" maxLength:"1000" jsonschema:"What precedes it, if it occurs twice"`
	AnchorSuffix    string `json:"anchor_suffix,omitempty" seldom:"" maxLength:"1000" jsonschema:"What follows it"`
}

// between returns what was asked to surround the passage, for a sentence.
func (in addCommentIn) between() string {
	prefix, suffix := output.Quote(output.Excerpt(in.AnchorPrefix, 60)), output.Quote(output.Excerpt(in.AnchorSuffix, 60))
	switch {
	case in.AnchorPrefix != "" && in.AnchorSuffix != "":
		return fmt.Sprintf(" between %s and %s", prefix, suffix)
	case in.AnchorPrefix != "":
		return " after " + prefix
	case in.AnchorSuffix != "":
		return " before " + suffix
	}
	return ""
}

// Validate rejects comment IDs that are not UUIDs, and surroundings of no passage.
func (in addCommentIn) Validate() error {
	if in.AnchorText == "" && in.AnchorPrefix+in.AnchorSuffix != "" {
		return errors.New("anchor_prefix and anchor_suffix need anchor_text")
	}
	if in.ParentCommentID != "" {
		return checkCommentID("parent_comment_id", in.ParentCommentID)
	}
	return nil
}

type addedComment struct {
	CommentID string `json:"comment_id" format:"uuid"`
	documentName
	CreatedAt       time.Time `json:"created_at"`
	IsReply         bool      `json:"is_reply"`
	ParentCommentID string    `json:"parent_comment_id,omitempty" format:"uuid"`
	Note            string    `json:"note,omitempty"`
}

func (c addedComment) WriteText(t *output.Text) {
	t.Printf("Added comment_id %s to %s", c.CommentID, c.documentName)
	t.If(c.IsReply).Printf(", in reply to %s", c.ParentCommentID)
	t.Line(", %s", stamp(c.CreatedAt))
	writeNotes(t, c.Note)
}

func (c addedComment) outcome() (id, title, note string) { return c.CommentID, c.Title, c.Note }

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

// confirmDelete asks the user, who is shown the comment.
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
