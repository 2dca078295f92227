package outline_test

import (
	"context"
	"testing"

	"outline-mcp/outline"
)

// commands are the endpoints that change something.
var commands = map[string]endpoint{
	"documents.create": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CreateDocument(ctx, outline.CreateDocumentParams{
				ID: text(body["id"]), Title: text(body["title"]), Text: text(body["text"]), CollectionID: text(body["collectionId"]),
				ParentDocumentID: text(body["parentDocumentId"]), TemplateID: text(body["templateId"]), Icon: text(body["icon"]),
				Publish: body["publish"] == true, Index: given[int](body["index"]),
			})
		}, nil, 25,
	},
	"documents.update": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			read := before(int(number(body["lastRevision"])))
			read.ID = text(body["id"])
			return c.UpdateDocument(ctx, *read, outline.UpdateDocumentParams{
				ID: read.ID, Title: given[string](body["title"]), Text: given[string](body["text"]), Icon: given[string](body["icon"]),
				EditMode: text(body["editMode"]), FindText: text(body["findText"]),
				Publish: given[bool](body["publish"]), CollectionID: text(body["collectionId"]), Done: true,
			})
		}, nil, 33,
	},
	"documents.move": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.MoveDocument(ctx, outline.MoveDocumentParams{
				ID: text(body["id"]), CollectionID: text(body["collectionId"]), ParentDocumentID: text(body["parentDocumentId"]), Index: given[int](body["index"]),
			})
		},
		nil, 4,
	},
	"documents.duplicate": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.DuplicateDocument(ctx, outline.DocumentSummary{ID: text(body["id"])}, outline.DuplicateDocumentParams{
				Title: text(body["title"]), CollectionID: text(body["collectionId"]), ParentDocumentID: text(body["parentDocumentId"]),
				Recursive: body["recursive"] == true, Publish: body["publish"] == true,
			})
		},
		nil, 1,
	},
	"documents.archive": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ArchiveDocument(ctx, text(body["id"]))
		}, nil, 1,
	},
	"documents.restore": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.RestoreDocument(ctx, text(body["id"]), text(body["collectionId"]))
		}, nil, 8,
	},
	"documents.unarchive": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.UnarchiveDocument(ctx, text(body["id"]))
		}, nil, 1,
	},
	"documents.delete": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return nil, c.DeleteDocument(ctx, text(body["id"]), body["permanent"] == true)
		}, nil, 8,
	},
	"comments.create": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CreateComment(ctx, outline.CreateCommentParams{
				ID: text(body["id"]), DocumentID: text(body["documentId"]), ParentCommentID: text(body["parentCommentId"]), Text: text(body["text"]),
				AnchorText: text(body["anchorText"]), AnchorPrefix: text(body["anchorPrefix"]), AnchorSuffix: text(body["anchorSuffix"]),
			})
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameAnswer(t, got, answer)
			wantText := map[string]string{
				"b70306bf-0fdd-4bb4-a61e-3c4f89479970": "A *comment* with `code`",
				"7f507adb-ae17-43c3-a02b-ffad107885ed": "para one\n\n* item\n* item2\n\n\\# heading not allowed?",
				"358eaa16-a8bc-49e7-b1cc-2e52cc5dcd26": "hi @Max Member",
			}
			if want, ok := wantText[got.(outline.Comment).ID]; ok {
				equal(t, "text", got.(outline.Comment).Text, want)
			}
		}, 11,
	},
	"comments.update": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.UpdateComment(ctx, outline.Comment{ID: text(body["id"])}, textIn(body["data"]))
		}, func(t *testing.T, got any, answer map[string]any) {
			sameAnswer(t, got, answer)
			equal(t, "text", got.(outline.Comment).Text, "edited")
		}, 3,
	},
	"comments.resolve": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ResolveComment(ctx, text(body["id"]), true)
		}, nil, 3,
	},
	"comments.unresolve": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ResolveComment(ctx, text(body["id"]), false)
		}, nil, 1,
	},
	"comments.delete": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return nil, c.DeleteComment(ctx, text(body["id"]))
		}, nil, 1,
	},
	"collections.create": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CreateCollection(ctx, outline.CreateCollectionParams{
				Name: text(body["name"]), Description: text(body["description"]), Color: text(body["color"]), Icon: text(body["icon"]), Permission: text(body["permission"]),
			})
		}, nil, 3,
	},
	"collections.update": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.UpdateCollection(ctx, outline.UpdateCollectionParams{
				ID: text(body["id"]), Name: given[string](body["name"]), Description: given[string](body["description"]), Color: given[string](body["color"]),
			})
		}, nil, 1,
	},
	"collections.delete": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return nil, c.DeleteCollection(ctx, text(body["id"]))
		}, nil, 2,
	},
	"collections.export": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ExportCollection(ctx, text(body["id"]), text(body["format"]))
		}, nil, 3,
	},
	"collections.export_all": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ExportAllCollections(ctx, text(body["format"]))
		}, nil, 2,
	},
}

// given returns an argument that was recorded, nil for one that was not.
func given[T string | bool | int](v any) *T {
	switch v := v.(type) {
	case T:
		return &v
	case float64:
		if n, ok := any(int(v)).(T); ok {
			return &n
		}
	}
	return nil
}
