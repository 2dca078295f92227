package outline_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// endpoint says how to call an endpoint as recorded and how to compare the
// result with the recorded answer.
type endpoint struct {
	call  func(context.Context, *outline.Client, map[string]any) (any, error)
	check func(*testing.T, any, map[string]any)
	count int // of its recordings, so that a lost one is noticed
}

// queries are the endpoints that only read.
var queries = map[string]endpoint{
	"auth.info": {
		func(ctx context.Context, c *outline.Client, _ map[string]any) (any, error) { return c.AuthInfo(ctx) },
		nil, 6,
	},
	"documents.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Document(ctx, text(body["id"]))
		},
		nil, 23,
	},
	"documents.export": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ExportDocument(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			equal(t, "markdown", got.(string), text(answer["data"]))
		}, 10,
	},
	"documents.search": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			found, err := c.Search(ctx, searchParams(body))
			return found.Page, err
		},
		nil, 12,
	},
	"documents.search_titles": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return collect(c.SearchTitles(ctx, searchParams(body)))
		},
		nil, 3,
	},
	"collections.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			page := outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])}
			if body["statusFilter"] != nil && texts(body["statusFilter"])[0] == "archived" {
				return c.ArchivedCollections(ctx, page)
			}
			return c.Collections(ctx, page)
		},
		nil, 4,
	},
	"collections.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Collection(ctx, text(body["id"]))
		},
		nil, 7,
	},
	"collections.documents": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CollectionDocuments(ctx, text(body["id"]))
		},
		nil, 2,
	},
	"documents.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return collect(c.Backlinks(ctx, text(body["backlinkDocumentId"])))
		},
		nil, 32,
	},
	"documents.archived": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: text(body["collectionId"]), Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		nil, 3,
	},
	"documents.deleted": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.DeletedDocuments(ctx, "", outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		nil, 1,
	},
	"documents.answerQuestion": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.AnswerQuestion(ctx, outline.QuestionParams{Query: text(body["query"])})
		},
		nil, 1, // the recorded Outline has none
	},
	"comments.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Comments(ctx, outline.CommentParams{DocumentID: text(body["documentId"]), Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		nil, 4,
	},
	"comments.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Comment(ctx, text(body["id"]))
		},
		nil, 2,
	},
	"revisions.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Revisions(ctx, outline.RevisionsParams{DocumentID: text(body["documentId"]), Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		nil, 6,
	},
	"revisions.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.RevisionWithTree(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			revision, data := got.(outline.RevisionContent), object(answer["data"])
			sameAnswer(t, revision.Revision, answer)
			equal(t, "text", revision.Text, strings.TrimPrefix(text(data["text"]), "# "+text(data["title"])+"\n\n"))
			equal(t, "text of the tree", prosemirror.ToText(revision.Tree), revision.Text)
		}, 5,
	},
	"fileOperations.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.FileOperation(ctx, text(body["id"]))
		},
		nil, 1,
	},
}

func collect(documents iter.Seq2[outline.DocumentSummary, error]) ([]outline.DocumentSummary, error) {
	var all []outline.DocumentSummary
	for d, err := range documents {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func searchParams(body map[string]any) outline.SearchParams {
	return outline.SearchParams{
		Query: text(body["query"]), CollectionID: text(body["collectionId"]),
		StatusFilter: texts(body["statusFilter"]), Limit: number(body["limit"]), Offset: number(body["offset"]),
	}
}
