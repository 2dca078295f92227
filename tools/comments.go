package tools

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

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

func listDocumentComments() mcptool.Tool {
	return mcptool.Spec[listCommentsIn, commentList]{
		Name:        "list_document_comments",
		Title:       "List comments",
		Description: "Lists comments on an Outline document, or on all of a collection, by thread.",
		Endpoints:   []string{"comments.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listCommentsIn) (commentList, error) {
			if in.CollectionID != "" {
				return commentsInCollection(ctx, env, in)
			}
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return commentList{}, err
			}
			all, err := allComments(ctx, env, outline.CommentParams{DocumentID: document.ID})
			if err != nil {
				return commentList{}, withDocument(document, err)
			}
			list := listComments(all, in)
			on := nameOf(document.DocumentSummary)
			list.DocumentID, list.Title, list.URLID = on.DocumentID, &on.Title, on.URLID
			return list, nil
		},
	}
}

type listCommentsIn struct {
	DocumentID        string `json:"document_id,omitempty"`
	CollectionID      string `json:"collection_id,omitempty" jsonschema:"Instead"`
	IncludeAnchorText bool   `json:"include_anchor_text,omitempty"`
	paging
	Resolved string `json:"resolved,omitempty" enum:"open,resolved,all" default:"open"`
	Order    string `json:"order,omitempty" enum:"newest,oldest" default:"newest"`
}

// Validate rejects calls that name neither a document nor a collection, or both.
func (in listCommentsIn) Validate() error {
	if (in.DocumentID == "") == (in.CollectionID == "") {
		return errors.New("give either document_id or collection_id")
	}
	return nil
}

// commentsInCollection lists the comments on the documents of a collection, which it
// names as far as they are published.
func commentsInCollection(ctx context.Context, env mcptool.Env, in listCommentsIn) (commentList, error) {
	id, err := collectionID(ctx, env, in.CollectionID)
	if err != nil {
		return commentList{}, err
	}
	names := env.Collections.Begin(ctx)
	documents := inBackground(func() []outline.Node { // the names are optional
		tree, _ := env.Outline.CollectionDocuments(outline.WithCallOptions(ctx, outline.NoRetries()), id)
		return tree
	})
	all, err := allComments(ctx, env, outline.CommentParams{CollectionID: id})
	tree := documents()
	if err != nil {
		return commentList{}, err
	}
	list := listComments(all, in)
	list.home = homeOf(names(), id)
	for i, c := range list.Comments {
		if node := findNode(tree, c.DocumentID); node != nil {
			list.Comments[i].DocumentTitle, list.Comments[i].DocumentURLID = output.Label(node.Title), node.URLID()
		}
	}
	return list, nil
}

// listComments returns the page of comments that a call asks for.
func listComments(all []outline.Comment, in listCommentsIn) commentList {
	list := commentList{Limit: in.Limit, Offset: in.Offset, Resolved: in.Resolved, Order: in.Order}
	comments := []outline.Comment{}
	for _, thread := range threads(all, in.Order == "oldest") {
		resolved := thread[0].ResolvedAt != nil
		if resolved {
			list.ResolvedThreads++
		}
		if in.Resolved == "all" || resolved == (in.Resolved == "resolved") {
			comments = append(comments, thread...)
		}
	}
	list.Total = len(comments)
	list.Comments = entriesOf(pageOf(comments, in.paging), func(c outline.Comment) commentEntry { return commentOf(c, in.IncludeAnchorText).first(longestComment) })
	list.show(len(list.Comments))
	return list
}

// allComments returns the comments on a document or in a collection, newest first.
func allComments(ctx context.Context, env mcptool.Env, of outline.CommentParams) ([]outline.Comment, error) {
	return outline.Collect(outline.All(ctx, commentsOf(env, of), outline.Paging{}))
}

// commentsOf returns the function that reads a page of comments.
func commentsOf(env mcptool.Env, of outline.CommentParams) func(context.Context, outline.ListParams) (outline.Page[outline.Comment], error) {
	return func(ctx context.Context, p outline.ListParams) (outline.Page[outline.Comment], error) {
		of.Limit, of.Offset = p.Limit, p.Offset
		return env.Outline.Comments(ctx, of)
	}
}

// threads groups comments into threads, each with its first comment first. A reply to
// a comment that is gone is its own thread.
func threads(comments []outline.Comment, oldestFirst bool) [][]outline.Comment {
	comments = slices.Clone(comments)
	slices.SortStableFunc(comments, func(a, b outline.Comment) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	// Another user may comment between two pages, which repeats the last of the first.
	comments = slices.CompactFunc(comments, func(a, b outline.Comment) bool { return a.ID == b.ID })
	parents, byRoot := parentComments(comments), map[string][]outline.Comment{}
	for _, c := range comments {
		root := rootOf(c.ID, parents, "")
		byRoot[root] = append(byRoot[root], c)
	}
	grouped := slices.Collect(maps.Values(byRoot))
	// A reply can have the time of the comment that it replies to.
	for _, thread := range grouped {
		slices.SortStableFunc(thread, repliesLast)
	}
	slices.SortFunc(grouped, func(a, b []outline.Comment) int {
		return cmp.Or(a[0].CreatedAt.Compare(b[0].CreatedAt), repliesLast(a[0], b[0]), cmp.Compare(a[0].ID, b[0].ID))
	})
	if !oldestFirst {
		slices.Reverse(grouped)
	}
	return grouped
}

// repliesLast orders comments that begin a thread before replies.
func repliesLast(a, b outline.Comment) int {
	return cmp.Compare(min(1, len(a.ParentCommentID)), min(1, len(b.ParentCommentID)))
}

// parentComments returns what each comment replies to, by IDs.
func parentComments(comments []outline.Comment) map[string]string {
	parents := map[string]string{}
	for _, c := range comments {
		parents[c.ID] = c.ParentCommentID
	}
	return parents
}

// maxReplyDepth is how far up replies to replies are followed.
const maxReplyDepth = 100

// rootOf returns the comment that begins the thread of a comment, given what each
// replies to, or end if the comment is a reply to that one. A comment that is gone
// begins the thread of the replies to it.
func rootOf(id string, parents map[string]string, end string) string {
	for range maxReplyDepth {
		parent := parents[id]
		if parent == "" || id == end {
			break
		}
		id = parent
	}
	return id
}

type commentList struct {
	Comments   []commentEntry `json:"comments"`
	DocumentID string         `json:"document_id,omitempty" format:"uuid"`
	Title      *string        `json:"title,omitempty"`
	URLID      string         `json:"url_id,omitempty"`
	home
	Total           int    `json:"total"`
	Limit           int    `json:"limit"`
	Offset          int    `json:"offset"`
	NextOffset      int    `json:"next_offset,omitempty"`
	Resolved        string `json:"resolved" enum:"open,resolved,all"`
	Order           string `json:"order" enum:"newest,oldest"`
	ResolvedThreads int    `json:"resolved_threads"`
}

func (l commentList) WriteText(t *output.Text) {
	kind := map[string]string{"open": "open ", "resolved": "resolved "}[l.Resolved]
	t.Printf("# %s", output.Count(l.Total, kind+"comment", kind+"comments"))
	if l.CollectionID != "" {
		t.Printf("%s", l.in())
	} else {
		t.Printf(" on %s", documentName{l.DocumentID, *l.Title, l.URLID})
	}
	t.Line("%s", rangeShown(l.Offset, len(l.Comments), l.Total))
	t.If(len(l.Comments) > 0).Line("Each line: comment_id, author, created: text; by thread, %s first, replies below their comment", l.Order)
	t.If(l.Resolved == "open" && l.ResolvedThreads > 0).Line("%s not shown; set resolved to all or resolved to see them", output.Count(l.ResolvedThreads, "resolved thread is", "resolved threads are"))
	t.Blank()
	thread, document := "", ""
	for _, c := range l.Comments {
		below := c.ParentCommentID != "" && c.ParentCommentID == thread
		if l.CollectionID != "" && c.DocumentID != document {
			document = c.DocumentID
			if c.DocumentURLID != "" {
				t.Line("On %s %s:", titleOf(c.DocumentTitle), c.DocumentURLID)
			} else {
				t.Line("On document_id %s:", c.DocumentID)
			}
		}
		c.write(t, below)
		thread = cmp.Or(c.ParentCommentID, c.ID)
		t.If(c.NextStartChar > 0).Advice("(The comment continues[: get_comment with start_char %d.|.])", c.NextStartChar)
	}
	writeListEnd(t, l.Offset, len(l.Comments), l.Total, l.NextOffset)
}

func (l *commentList) show(n int) { l.NextOffset = nextOffset(l.Offset, n, l.Total) }

// Cuts implements output.Cuttable.
func (l *commentList) Cuts() []output.Cut { return cutEntries(&l.Comments, l.show) }

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

func checkCommentID(name, id string) error {
	if !outline.IsUUID(id) {
		failure := output.Invalid("%s must be the UUID of a comment, not %q", name, output.Excerpt(id, 60))
		failure.Next = "[; list_document_comments shows them]"
		return failure
	}
	return nil
}
