package tools

import (
	"context"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func exportTools() []mcptool.Tool {
	return []mcptool.Tool{exportCollection(), exportAllCollections()}
}

func exportCollection() mcptool.Tool {
	return mcptool.Spec[exportCollectionIn, collectionExport]{
		Name:          "export_collection",
		Title:         "Export collection",
		Description:   "Starts an export of a collection as a file, fetched in Outline's settings. To read use read_document.",
		Group:         Collections,
		Endpoints:     []string{"collections.export"},
		Effect:        mcptool.Reads,
		NotIdempotent: true,
		Run: func(ctx context.Context, env mcptool.Env, in exportCollectionIn) (collectionExport, error) {
			id, err := env.Outline.ResolveCollectionID(ctx, in.CollectionID)
			if err != nil {
				return collectionExport{}, err
			}
			operation, err := env.Outline.ExportCollection(ctx, id, in.Format)
			return collectionExport{startedExport{operationOf(operation), in.Format}, id}, err
		},
	}
}

type exportCollectionIn struct {
	CollectionID string `json:"collection_id" jsonschema:"UUID, slug or URL"`
	Format       string `json:"format,omitempty" enum:"outline-markdown,json,html" default:"outline-markdown"`
}

// fileOperation is a file that Outline makes in its own time.
type fileOperation struct {
	ID    string `json:"id" format:"uuid"`
	State string `json:"state" jsonschema:"creating, uploading, complete, error or expired"`
	Type  string `json:"type" const:"export"`
	Name  string `json:"name"`
}

func operationOf(o outline.FileOperation) fileOperation {
	return fileOperation{o.ID, o.State, o.Type, o.Name}
}

type startedExport struct {
	FileOperation fileOperation `json:"file_operation"`
	Format        string        `json:"format" enum:"outline-markdown,json,html"`
}

func (e startedExport) write(t *output.Text, what string) {
	t.Line("Started the export of %s as %s: %s %s, file_operation id %s, state %s.",
		what, e.Format, e.FileOperation.Type, output.Quote(output.Excerpt(e.FileOperation.Name, longestTitle)), e.FileOperation.ID, e.FileOperation.State)
	t.Line("When it is complete, its file is in Outline under Settings, Export. Do not start it again meanwhile.")
}

type collectionExport struct {
	startedExport
	CollectionID string `json:"collection_id" format:"uuid"`
}

// WriteText implements output.Result.
func (e collectionExport) WriteText(t *output.Text) { e.write(t, "collection_id "+e.CollectionID) }

func exportAllCollections() mcptool.Tool {
	return mcptool.Spec[exportAllIn, workspaceExport]{
		Name:          "export_all_collections",
		Title:         "Export all collections",
		Description:   "Starts an export of the whole workspace as a file, fetched in Outline's settings. Needs an admin's key.",
		Group:         Collections,
		Endpoints:     []string{"collections.export_all"},
		Effect:        mcptool.Reads,
		NotIdempotent: true,
		Run: func(ctx context.Context, env mcptool.Env, in exportAllIn) (workspaceExport, error) {
			operation, err := env.Outline.ExportAllCollections(ctx, in.Format)
			return workspaceExport{startedExport{operationOf(operation), in.Format}}, err
		},
	}
}

type exportAllIn struct {
	Format string `json:"format,omitempty" enum:"outline-markdown,json,html" default:"outline-markdown"`
}

type workspaceExport struct {
	startedExport
}

// WriteText implements output.Result.
func (e workspaceExport) WriteText(t *output.Text) { e.write(t, "all collections") }
