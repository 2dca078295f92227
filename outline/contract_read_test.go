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
		func(t *testing.T, got any, answer map[string]any) {
			info, data := got.(outline.AuthInfo), object(answer["data"])
			user, team := object(data["user"]), object(data["team"])
			equal(t, "user id", info.User.ID, text(user["id"]))
			equal(t, "user name", info.User.Name, text(user["name"]))
			equal(t, "role", info.User.Role, text(user["role"]))
			equal(t, "team id", info.Team.ID, text(team["id"]))
			equal(t, "team name", info.Team.Name, text(team["name"]))
			equal(t, "team url", info.Team.URL, text(team["url"]))
		}, 6,
	},
	"documents.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Document(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			data := object(answer["data"])
			if nested, ok := data["document"]; ok {
				data = object(nested)
			}
			d := got.(outline.Document)
			sameDocument(t, d.DocumentSummary, data)
			equal(t, "text", d.Text, text(data["text"]))
		}, 23,
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
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.SearchHit])
			hits := samePage(t, page, answer)
			for i, hit := range page.Items {
				ranking, _ := hits[i]["ranking"].(float64)
				equal(t, "ranking", hit.Ranking, ranking)
				equal(t, "context", hit.Context, text(hits[i]["context"]))
				sameDocument(t, hit.Document.DocumentSummary, object(hits[i]["document"]))
			}
		}, 12,
	},
	"documents.search_titles": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return collect(c.SearchTitles(ctx, searchParams(body)))
		},
		sameDocuments, 3,
	},
	"collections.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			page := outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])}
			if body["statusFilter"] != nil && texts(body["statusFilter"])[0] == "archived" {
				return c.ArchivedCollections(ctx, page)
			}
			return c.Collections(ctx, page)
		},
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.Collection])
			for i, collection := range samePage(t, page, answer) {
				sameCollection(t, page.Items[i], collection)
			}
		}, 4,
	},
	"collections.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Collection(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameCollection(t, got.(outline.Collection), object(answer["data"]))
		}, 7,
	},
	"collections.documents": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CollectionDocuments(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameTree(t, got.([]outline.Node), objects(answer["data"]))
		}, 2,
	},
	"documents.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return collect(c.Backlinks(ctx, text(body["backlinkDocumentId"])))
		},
		sameDocuments, 32,
	},
	"documents.archived": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: text(body["collectionId"]), Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		sameDocumentPage, 3,
	},
	"documents.deleted": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.DeletedDocuments(ctx, outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		sameDocumentPage, 1,
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
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.Comment])
			for i, comment := range samePage(t, page, answer) {
				sameComment(t, page.Items[i], comment)
			}
		}, 4,
	},
	"comments.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Comment(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameComment(t, got.(outline.Comment), object(answer["data"]))
		}, 2,
	},
	"revisions.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Revisions(ctx, outline.RevisionsParams{DocumentID: text(body["documentId"]), Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.Revision])
			for i, revision := range samePage(t, page, answer) {
				sameRevision(t, page.Items[i], revision)
			}
		}, 6,
	},
	"revisions.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.RevisionWithTree(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			revision, data := got.(outline.RevisionContent), object(answer["data"])
			sameRevision(t, revision.Revision, data)
			equal(t, "text", revision.Text, strings.TrimPrefix(text(data["text"]), "# "+text(data["title"])+"\n\n"))
			equal(t, "text of the tree", prosemirror.ToText(revision.Tree), revision.Text)
		}, 5,
	},
	"fileOperations.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.FileOperation(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameFileOperation(t, got.(outline.FileOperation), object(answer["data"]))
		}, 1,
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

func sameDocuments(t *testing.T, got any, answer map[string]any) {
	found, data := got.([]outline.DocumentSummary), objects(answer["data"])
	if len(found) != len(data) {
		t.Fatalf("%d documents, want %d", len(found), len(data))
	}
	for i, d := range found {
		sameDocument(t, d, data[i])
	}
}

func sameDocumentPage(t *testing.T, got any, answer map[string]any) {
	page := got.(outline.Page[outline.DocumentSummary])
	for i, document := range samePage(t, page, answer) {
		sameDocument(t, page.Items[i], document)
	}
}

func searchParams(body map[string]any) outline.SearchParams {
	return outline.SearchParams{
		Query: text(body["query"]), CollectionID: text(body["collectionId"]),
		StatusFilter: texts(body["statusFilter"]), Limit: number(body["limit"]), Offset: number(body["offset"]),
	}
}
