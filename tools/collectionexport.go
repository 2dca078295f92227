package tools

import (
	"context"

	"outline-mcp/internal/confirm"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func exportCollection() mcptool.Tool {
	return mcptool.Spec[exportCollectionIn, collectionExport]{
		Name:        "export_collection",
		Title:       "Export collection",
		Description: "Starts the export of an Outline collection to a file, which appears under Settings → Export.",
		Endpoints:   []string{"collections.export"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in exportCollectionIn) (collectionExport, error) {
			id, err := env.Outline.ResolveCollectionID(ctx, in.CollectionID)
			if err != nil {
				return collectionExport{}, err
			}
			names := env.Collections.Begin(ctx)
			err = env.Person.Confirm(ctx, func(ctx context.Context) (confirm.Question, error) {
				return confirm.Question{Text: "Export " + collectionCalled(ctx, env, id) + " to a file that appears under Settings → Export?"}, nil
			})
			if err != nil {
				return collectionExport{}, err
			}
			operation, err := env.Outline.ExportCollection(ctx, id, in.Format)
			if err != nil {
				return collectionExport{}, err
			}
			of := homeOf(names(), id)
			return collectionExport{exportOf(operation, in.Format), id, of.CollectionName, of.CollectionURLID}, nil
		},
	}
}

type exportCollectionIn struct {
	collectionIn
	exportIn
}

type exportIn struct {
	Format string `json:"format,omitempty" enum:"outline-markdown,json,html" default:"outline-markdown"`
}

// fileOperation is a file that Outline creates in the background.
type fileOperation struct {
	ID    string `json:"id" format:"uuid"`
	State string `json:"state" jsonschema:"creating, uploading, complete, error or expired"`
	Type  string `json:"type" const:"export"`
	Name  string `json:"name"`
}

type startedExport struct {
	FileOperation fileOperation `json:"file_operation"`
	Format        string        `json:"format" enum:"outline-markdown,json,html"`
}

func exportOf(o outline.FileOperation, format string) startedExport {
	return startedExport{fileOperation{o.ID, o.State, o.Type, output.Label(o.Name)}, format}
}

func (e startedExport) write(t *output.Text) {
	t.Line(" as %s: %s %s, file_operation id %s, state %s.",
		e.Format, e.FileOperation.Type, titleOf(e.FileOperation.Name), e.FileOperation.ID, output.OneLine(e.FileOperation.State))
	t.Line("When it is complete, the file is in Outline under Settings → Export. Do not start it again in the meantime.")
	t.Advice("get_export with the id as export_id tells its state and links to the file.")
}

type collectionExport struct {
	startedExport
	CollectionID    string `json:"collection_id" format:"uuid"`
	CollectionName  string `json:"collection_name,omitempty"`
	CollectionURLID string `json:"collection_url_id,omitempty"`
}

func (e collectionExport) WriteText(t *output.Text) {
	t.Printf("Started the export of the collection %s", home{CollectionID: e.CollectionID, CollectionName: e.CollectionName, CollectionURLID: e.CollectionURLID})
	e.write(t)
}

func exportAllCollections() mcptool.Tool {
	return mcptool.Spec[exportIn, workspaceExport]{
		Name:        "export_all_collections",
		Title:       "Export all collections",
		Description: "Starts the export of the whole Outline workspace to a file, which appears under Settings → Export. Needs an admin's key.",
		Endpoints:   []string{"collections.export_all"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in exportIn) (workspaceExport, error) {
			err := env.Person.Confirm(ctx, func(context.Context) (confirm.Question, error) {
				return confirm.Question{Text: "Export all collections to a file that appears under Settings → Export?"}, nil
			})
			if err != nil {
				return workspaceExport{}, err
			}
			operation, err := env.Outline.ExportAllCollections(ctx, in.Format)
			return workspaceExport{exportOf(operation, in.Format)}, err
		},
	}
}

type workspaceExport struct{ startedExport }

func (e workspaceExport) WriteText(t *output.Text) {
	t.Printf("Started the export of all collections")
	e.write(t)
}
