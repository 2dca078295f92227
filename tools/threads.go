package tools

import (
	"cmp"
	"context"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func listDocumentComments() mcptool.Tool {
	return mcptool.Spec[listCommentsIn, commentList]{
		Name:        "list_document_comments",
		Title:       "List comments",
		Description: "Lists the comments on an Outline document by thread, replies below the comment. Resolved threads are left out unless you ask for them.",
		Endpoints:   []string{"comments.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in listCommentsIn, document outline.Document) (commentList, error) {
			all, err := allComments(ctx, env, document.ID)
			if err != nil {
				return commentList{}, err
			}
			list := commentList{documentName: nameOf(document.DocumentSummary), Limit: in.Limit, Offset: in.Offset, Resolved: in.Resolved, Order: in.Order}
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
			page := comments[min(in.Offset, len(comments)):]
			list.Comments = entriesOf(page[:min(in.Limit, len(page))], func(c outline.Comment) commentEntry { return commentOf(c, in.IncludeAnchorText).first(longestComment) })
			list.show(len(list.Comments))
			return list, nil
		}),
	}
}

type listCommentsIn struct {
	documentIn
	IncludeAnchorText bool `json:"include_anchor_text,omitempty"`
	paging
	Resolved string `json:"resolved,omitempty" enum:"open,resolved,all" default:"open"`
	Order    string `json:"order,omitempty" enum:"newest,oldest" default:"newest" jsonschema:"Of threads; replies are oldest first"`
}

// allComments returns the comments on a document, newest first.
func allComments(ctx context.Context, env mcptool.Env, documentID string) (all []outline.Comment, err error) {
	const size = 100
	for {
		page, err := env.Outline.Comments(ctx, outline.CommentParams{DocumentID: documentID, Limit: size, Offset: len(all)})
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if len(page.Items) < size {
			return all, nil
		}
	}
}

// threads groups comments into threads, each with its first comment first. A reply to
// a comment that is gone is a thread of its own.
func threads(comments []outline.Comment, oldestFirst bool) [][]outline.Comment {
	comments = slices.Clone(comments)
	slices.SortStableFunc(comments, func(a, b outline.Comment) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	// Somebody may comment between two pages, which repeats the last of the first.
	comments = slices.CompactFunc(comments, func(a, b outline.Comment) bool { return a.ID == b.ID })
	at := map[string]int{}
	for _, c := range comments {
		if c.ParentCommentID == "" {
			at[c.ID] = len(at)
		}
	}
	grouped := make([][]outline.Comment, len(at))
	for _, c := range comments {
		n, known := at[cmp.Or(c.ParentCommentID, c.ID)]
		if !known {
			n = len(grouped)
			at[c.ParentCommentID] = n
			grouped = append(grouped, nil)
		}
		grouped[n] = append(grouped[n], c)
	}
	// A reply can have the time of the comment that it replies to.
	for _, thread := range grouped {
		slices.SortStableFunc(thread, func(a, b outline.Comment) int {
			return cmp.Compare(min(len(a.ParentCommentID), 1), min(len(b.ParentCommentID), 1))
		})
	}
	slices.SortStableFunc(grouped, func(a, b []outline.Comment) int { return a[0].CreatedAt.Compare(b[0].CreatedAt) })
	if !oldestFirst {
		slices.Reverse(grouped)
	}
	return grouped
}

type commentList struct {
	Comments []commentEntry `json:"comments"`
	documentName
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
	t.Printf("# %s on ", output.Count(l.Total, kind+"comment", kind+"comments"))
	l.write(t)
	t.Line("%s", shown(l.Offset, len(l.Comments), l.Total))
	t.If(len(l.Comments) > 0).Line("Each line: comment_id, author, created: text; by thread, %s first, replies below their comment", l.Order)
	t.If(l.Resolved == "open" && l.ResolvedThreads > 0).Line("%s not shown; set resolved to all or resolved to see them", output.Count(l.ResolvedThreads, "resolved thread is", "resolved threads are"))
	t.Blank()
	thread := ""
	for _, c := range l.Comments {
		c.write(t, c.ParentCommentID == thread)
		thread = cmp.Or(c.ParentCommentID, c.ID)
		t.If(c.NextStartChar > 0).Advice("(The comment continues[: get_comment with start_char %d.|.])", c.NextStartChar)
	}
	if len(l.Comments) == 0 && l.Total > 0 {
		writePastTheEnd(t, l.Offset, l.Total)
	}
	writeNextOffset(t, l.NextOffset)
}

func (l *commentList) show(n int) { l.NextOffset = nextOffset(l.Offset, n, l.Total) }

// Cuts implements output.Cuttable.
func (l *commentList) Cuts() []output.Cut { return cutEntries(&l.Comments, l.show) }
