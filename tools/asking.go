package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// confirmed has the user confirm what a call is going to do to a document, if that is
// necessary. ask returns the question and its details; it gets the document as a phrase.
// The answer holds for this state of the document only.
func confirmed(ctx context.Context, env mcptool.Env, document outline.Document, ask func(ctx context.Context, document string) (text, details string)) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		text, details := ask(ctx, located(ctx, env, document))
		return elicit.Question{Text: text, Details: details, Bound: boundTo(document)}, nil
	})
}

// boundTo returns what a question about a document is bound to. The revision number would
// not do: Outline raises it once more when it writes a revision of a change, and may give
// it twice.
func boundTo(d outline.Document) string {
	return fmt.Sprint(d.ID, " ", d.UpdatedAt.UnixNano(), " ", d.Status())
}

// called returns the title of a document and the name of its collection, in brief.
func called(ctx context.Context, env mcptool.Env, document outline.Document) string {
	if name, known := env.Collections.Begin(ctx)()[document.CollectionID]; known {
		return titleOf(document.Title) + " (" + output.OneLine(name.Name) + ")"
	}
	return titleOf(document.Title)
}

// located returns the title of a document and the collection that it is in, for a
// sentence.
func located(ctx context.Context, env mcptool.Env, document outline.Document) string {
	return "the document " + titleOf(document.Title) + inCollection(ctx, env, document.CollectionID)
}

// inCollection returns the collection with an ID, for the end of a phrase.
func inCollection(ctx context.Context, env mcptool.Env, id string) string {
	if id == "" {
		return ""
	}
	return " in " + collectionCalled(ctx, env, id)
}

// collectionCalled returns the name of a collection, or its ID if the caller cannot
// list it.
func collectionCalled(ctx context.Context, env mcptool.Env, id string) string {
	if name, known := env.Collections.Begin(ctx)()[id]; known {
		return "the collection " + titleOf(name.Name)
	}
	return "the collection " + id
}

// at returns a place in the tree of documents, for the end of a phrase.
func (p place) at(ctx context.Context, env mcptool.Env) string {
	if p.collectionID == "" {
		return " outside of collections"
	}
	where := inCollection(ctx, env, p.collectionID)
	if p.parentID != "" {
		where = " below " + titleOf(p.parent.Title) + where
	}
	return where
}

// toward returns a place that something moves to, for the end of a phrase.
func (p place) toward(ctx context.Context, env mcptool.Env) string {
	if p.parentID == "" && p.collectionID != "" {
		return " to " + collectionCalled(ctx, env, p.collectionID)
	}
	return p.at(ctx, env)
}

// withBelow returns the documents below another that are concerned, too, for the end of
// a phrase.
func withBelow(below belowIt) string {
	switch {
	case below == nil:
		return " and all documents below it"
	case len(below) == 0:
		return ""
	}
	return " and " + below.String()
}

// confirm has the user confirm a batch, with a line for each document. do and rest are
// what comes before and after the number of documents; change, if it is not nil, returns
// what happens to the one at an index.
func (b *documentBatch) confirm(ctx context.Context, do, rest string, countingBelow bool, change func(i int) string) error {
	return b.Env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		lines, bounds := make([]string, len(b.results)), make([]string, len(b.results))
		b.shown = make([]int, len(b.results))
		mcptool.Parallel(b.Env.BatchConcurrency, len(lines), func(i int) {
			document, err := fetchDocument(ctx, b.Env, b.results[i].ID)
			if err != nil {
				lines[i] = "- " + output.Excerpt(outline.Redact(b.results[i].ID), 60) + ", which cannot be read"
				return
			}
			lines[i], bounds[i] = "- "+titleOf(document.Title)+inCollection(ctx, b.Env, document.CollectionID), boundTo(document)
			b.shown[i] = document.Revision
			if countingBelow && document.DeletedAt == nil {
				lines[i] += withBelow(namesBelow(ctx, b.Env, document))
			}
			if change != nil && change(i) != "" {
				lines[i] += ": " + change(i)
			}
		})
		return elicit.Question{
			Text:    do + " " + output.Count(len(lines), "document", "documents") + rest,
			Details: strings.Join(lines, "\n"), Bound: strings.Join(bounds, "\n"),
		}, nil
	})
}

// capitalized returns a text that begins with an ASCII letter as the beginning of a
// sentence.
func capitalized(text string) string {
	n := min(1, len(text))
	return strings.ToUpper(text[:n]) + text[n:]
}

// choose has the user of the client choose one of several things that a text
// can stand for. It returns nil if none was chosen.
func choose[T any](env mcptool.Env, what, given string, things []T, option func(T) string) (*T, error) {
	at, err := env.Person.Choose(elicit.Choice{
		Text: "Which " + what + " do you mean by " + output.Quote(output.Excerpt(given, longestTitle)) + "?", Options: entriesOf(things, option),
	})
	if err != nil || at < 0 {
		return nil, err
	}
	return &things[at], nil
}

// chooseDocument has the user of the client choose one of several documents
// with the same title. It returns no results if there are no several, or if none was
// chosen.
func chooseDocument(env mcptool.Env, query string, same []outline.DocumentSummary, names mcptool.CollectionNames) (titleMatches, error) {
	if len(same) < 2 {
		return titleMatches{}, nil
	}
	d, err := choose(env, "document", query, same, func(d outline.DocumentSummary) string {
		where := ""
		if of := homeOf(names, d.CollectionID); of.CollectionName != "" {
			where = " in " + output.OneLine(of.CollectionName)
		}
		return fmt.Sprintf("%s%s, updated %s, %s", untitled(d.Title), where, day(d.UpdatedAt), cmp.Or(d.URLID, d.ID))
	})
	if err != nil || d == nil {
		return titleMatches{}, err
	}
	return titleMatches{
		Results: []titleMatch{{nameOf(*d), location{home: homeOf(names, d.CollectionID)}}}, Query: query, Count: 1, Total: 1,
		Note: fmt.Sprintf("chosen by the user out of %d documents with this title", len(same)),
	}, nil
}

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
const commentsRemoved = "comments on text that goes stay, but lose their place, which an undo does not bring back"

// removesComments reports whether a write removed text that comments were on. Those
// that are lost were on text that is kept.
func removesComments(before, after outline.Document, lost []string) bool {
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

// maxComments is how many comments are read to find those whose anchors are at stake.
// One that is not found among them counts as unresolved.
const maxComments = 500

// detached returns a line for each unresolved comment that would lose its place in text
// that is kept, unless the caller allows that. A comment that does not exist any more is
// resolved.
func detached(ctx context.Context, env mcptool.Env, documentID string, loss edit.Loss, allowed bool) (open []string, err error) {
	ids := loss.CommentAnchors
	if allowed || len(ids) == 0 {
		return nil, nil
	}
	wanted, read := map[string]bool{}, 0
	for _, id := range ids {
		wanted[id] = true
	}
	for c, err := range outline.All(ctx, commentsOf(env, outline.CommentParams{DocumentID: documentID}), outline.Paging{Most: maxComments}) {
		if errors.Is(err, outline.ErrForbidden) {
			return entriesOf(ids, func(id string) string { return "comment_id " + id + ", which this key may not read" }), nil
		}
		if err != nil {
			return nil, err
		}
		if wanted[c.ID] && c.ResolvedAt == nil {
			open = append(open, fmt.Sprintf("comment_id %s by %s: %s", c.ID, output.OneLine(c.Author), output.Quote(output.Excerpt(c.Text, 80))))
		}
		delete(wanted, c.ID)
		if read++; len(wanted) == 0 {
			break
		}
	}
	for _, id := range ids {
		if wanted[id] && read == maxComments {
			open = append(open, "comment_id "+id)
		}
	}
	return open, nil
}
