package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func addComment() mcptool.Tool {
	return mcptool.Spec[addCommentIn, addedComment]{
		Name:        "add_comment",
		Title:       "Add comment",
		Description: "Comments on an Outline document or passage, or replies to a comment.",
		Endpoints:   []string{"comments.create", "documents.info"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in addCommentIn) (addedComment, error) {
			id, err := documentID(ctx, env, in.DocumentID)
			if err != nil {
				return addedComment{}, err
			}
			document, anchors, err := documentToComment(ctx, env, id, in.AnchorText != "")
			if err != nil {
				return addedComment{}, err
			}
			if in, err = in.anchored(document); err != nil {
				return addedComment{}, about(document, err)
			}
			var note string
			if in.Text, note, err = newComment(ctx, env, in.Text); err != nil {
				return addedComment{}, about(document, err)
			}
			err = confirmed(ctx, env, document, func(_ context.Context, name string) (string, string) { return in.question(name), in.Text })
			if err != nil {
				return addedComment{}, err
			}
			comment, err := env.Outline.CreateComment(ctx, outline.CreateCommentParams{
				ID: env.NewID(), DocumentID: document.ID, ParentCommentID: in.ParentCommentID, Text: in.Text,
				AnchorText: in.AnchorText, AnchorPrefix: in.AnchorPrefix, AnchorSuffix: in.AnchorSuffix,
			})
			if err != nil {
				if state := checkActive(document); state != nil && errors.Is(err, outline.ErrForbidden) {
					err = state
				}
				return addedComment{}, about(document, notAdded(in, err))
			}
			added := addedComment{comment.ID, nameOf(document.DocumentSummary), comment.CreatedAt, in.ParentCommentID != "", in.ParentCommentID, note}
			if !anchors {
				added.Note = strings.Join(nonEmpty(note, "this version of Outline ignores anchor_text: the comment is on the document as a whole, not on the passage"), "; ")
			}
			return added, nil
		},
	}
}

// documentToComment reads a document, with its tree if a comment is to be attached to
// a passage. Side by side, it asks whether the server attaches comments. If that
// cannot be found out, it is assumed.
func documentToComment(ctx context.Context, env mcptool.Env, id string, anchored bool) (document outline.Document, anchors bool, err error) {
	reading := outline.WithCallOptions(ctx, outline.ToChange())
	if !anchored {
		document, err = env.Outline.Document(reading, id)
		return document, true, err
	}
	attaches := begin(func() bool {
		known, err := env.Outline.KnowsAnchors(outline.WithCallOptions(ctx, outline.NoRetries()))
		return known || err != nil
	})
	document, err = env.Outline.DocumentWithTree(reading, id)
	return document, attaches(), err
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
	shown := firstOf(places, maxPlaces, ", ", "", func(place prosemirror.Range) string { return output.Quote(surrounded(plain, place)) })
	return in, output.Failure{Code: output.Conflict, Sentence: fmt.Sprintf("nothing was written: the anchor_text occurs %d times: %s. "+
		"Give what comes right before it as anchor_prefix, or what follows as anchor_suffix.", len(places), shown)}
}

// The passages that an answer shows, and the text on both sides of each, in
// characters.
const maxPlaces, placeContext = 5, 30

// surrounded returns a place in a text with some of what surrounds it.
func surrounded(text string, place prosemirror.Range) string {
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
	case errors.Is(err, outline.ErrInvalid) && in.ParentCommentID != "" && strings.HasPrefix(says(err), "Parent comment"):
		return output.Failure{Code: output.NotFound,
			Sentence: fmt.Sprintf("there is no comment %s on this document to reply to.", in.ParentCommentID),
			Next:     "[list_document_comments shows its comments.|Check parent_comment_id.]"}
	}
	return err
}

// question returns what the person is asked. It gets the document as a phrase.
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
	Text            string `json:"text" maxLength:"1000" jsonschema:"Markdown"`
	ParentCommentID string `json:"parent_comment_id,omitempty"`
	AnchorText      string `json:"anchor_text,omitempty" jsonschema:"Passage it is about, in one paragraph, without Markdown"`
	AnchorPrefix    string `json:"anchor_prefix,omitempty" jsonschema:"What precedes it, if it occurs twice"`
	AnchorSuffix    string `json:"anchor_suffix,omitempty" jsonschema:"What follows it"`
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

func checkCommentID(name, id string) error {
	if !outline.IsUUID(id) {
		failure := output.Invalid("%s must be the UUID of a comment, not %q", name, output.Excerpt(id, 60))
		failure.Next = "[; list_document_comments shows them]"
		return failure
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

// longestComment is the maximum length of a comment in a list, in characters.
// Outline allows 1000, but does not count the addresses of links.
const longestComment = 4000

// commentEntry is a comment in an answer.
type commentEntry struct {
	ID              string    `json:"id" format:"uuid"`
	Text            string    `json:"text" jsonschema:"Markdown"`
	Author          string    `json:"author"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
	DocumentID      string    `json:"document_id" format:"uuid"`
	DocumentTitle   string    `json:"document_title,omitempty"`
	DocumentURLID   string    `json:"document_url_id,omitempty"`
	ParentCommentID string    `json:"parent_comment_id,omitempty" format:"uuid"`
	AnchorText      string    `json:"anchor_text,omitempty"`
	Resolved        bool      `json:"resolved"`
	NextStartChar   int       `json:"next_start_char,omitempty" jsonschema:"start_char of get_comment"`

	startChar int  // position of Text in the comment, from 1
	edited    bool // not only touched when its thread was resolved
}

func commentOf(c outline.Comment, anchor bool) commentEntry {
	entry := commentEntry{
		ID: c.ID, Text: c.Text, Author: output.Excerpt(c.Author, longestTitle), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
		DocumentID: c.DocumentID, ParentCommentID: c.ParentCommentID, Resolved: c.ResolvedAt != nil, startChar: 1,
		edited: !c.UpdatedAt.Equal(c.CreatedAt) && (c.ResolvedAt == nil || c.UpdatedAt.Sub(*c.ResolvedAt).Abs() > time.Second),
	}
	if anchor {
		entry.AnchorText = output.Excerpt(c.AnchorText, longestTitle)
	}
	return entry
}

// first returns the entry with at most the first n code points of its text.
func (c commentEntry) first(n int) commentEntry {
	if head := output.Head(c.Text, n); head != c.Text {
		c.Text, c.NextStartChar = head, c.startChar+utf8.RuneCountInString(head)
	}
	return c
}

// write writes the comment. below says that the comment it replies to stands above
// it.
func (c commentEntry) write(t *output.Text, below bool) {
	t.Printf("- %s %s, %s", c.ID, output.Quote(c.Author), stamp(c.CreatedAt))
	t.If(c.edited).Printf(" (edited %s)", stamp(c.UpdatedAt))
	t.If(c.ParentCommentID != "").Printf(", reply")
	t.If(c.ParentCommentID != "" && !below).Printf(" to %s", c.ParentCommentID)
	t.If(c.Resolved).Printf(", resolved")
	t.If(c.AnchorText != "").Printf(", on %s", output.Quote(c.AnchorText))
	t.Line(": %s", indent(c.Text))
}

// indent indents all lines of text but the first, so that they belong to the
// list entry.
func indent(text string) string {
	return strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n  ")
}

func getComment() mcptool.Tool {
	return mcptool.Spec[getCommentIn, singleComment]{
		Name:        "get_comment",
		Title:       "Get comment",
		Description: "Reads one comment on an Outline document by its UUID.",
		Endpoints:   []string{"comments.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in getCommentIn) (singleComment, error) {
			comment, err := env.Outline.Comment(ctx, in.CommentID)
			if err != nil {
				return singleComment{}, err
			}
			entry := commentOf(comment, in.IncludeAnchorText)
			entry.startChar = max(1, in.StartChar)
			entry.Text, err = output.FromChar(entry.Text, in.StartChar, "the comment")
			on := findName(ctx, env, comment.DocumentID)
			return singleComment{entry, comment.ID, on.Title, on.URLID}, err
		},
	}
}

type getCommentIn struct {
	commentIn
	IncludeAnchorText bool `json:"include_anchor_text,omitempty"`
	StartChar         int  `json:"start_char,omitempty" minimum:"1"`
}

type singleComment struct {
	Comment       commentEntry `json:"comment"`
	CommentID     string       `json:"comment_id" format:"uuid"`
	DocumentTitle string       `json:"document_title,omitempty"`
	DocumentURLID string       `json:"document_url_id,omitempty"`
}

func (c singleComment) WriteText(t *output.Text) {
	t.Line("# Comment on %s", documentName{c.Comment.DocumentID, c.DocumentTitle, c.DocumentURLID})
	t.If(c.Comment.startChar > 1).Line("Its text from character %d on.", c.Comment.startChar)
	t.Blank()
	c.Comment.write(t, false)
	if c.Comment.NextStartChar > 0 {
		t.Blank()
		t.Line("More: call again with start_char %d.", c.Comment.NextStartChar)
	}
}

func (c *singleComment) Cuts() []output.Cut {
	return []output.Cut{{Units: utf8.RuneCountInString(c.Comment.Text), Keep: func(n int) { c.Comment = c.Comment.first(n) }}}
}
