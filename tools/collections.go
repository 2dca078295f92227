package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

var color = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// checkCollection rejects names and colors that Outline rejects.
func checkCollection(name, hue string) error {
	if hue != "" && !color.MatchString(hue) {
		return fmt.Errorf("color must be # and six hexadecimal digits, such as #4E5C6E, not %q", output.Excerpt(hue, 60))
	}
	if strings.Contains(name, "http://") || strings.Contains(name, "https://") {
		return errors.New("name must not hold a web address: Outline refuses it")
	}
	return nil
}

func createCollection() mcptool.Tool {
	return mcptool.Spec[createCollectionIn, createdCollection]{
		Name:        "create_collection",
		Title:       "Create collection",
		Description: "Creates a collection: private, unless permission opens it to the other members.",
		Endpoints:   []string{"collections.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createCollectionIn) (createdCollection, error) {
			permission := in.Permission
			if permission == "private" {
				permission = ""
			}
			created, err := env.Outline.CreateCollection(ctx, outline.CreateCollectionParams{
				Name: in.Name, Description: in.Description, Color: in.Color, Icon: in.Icon, Permission: permission,
			})
			return createdCollection{collectionName{created.ID, created.Name}, in.Permission}, err
		},
	}
}

type createCollectionIn struct {
	Name        string `json:"name" maxLength:"100"`
	Description string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color       string `json:"color,omitempty" jsonschema:"#RRGGBB"`
	Icon        string `json:"icon,omitempty" jsonschema:"Emoji or name"`
	Permission  string `json:"permission,omitempty" enum:"read_write,read,private" default:"private" jsonschema:"What the other members may do"`
}

// Validate rejects what Outline rejects.
func (in createCollectionIn) Validate() error { return checkCollection(in.Name, in.Color) }

// collectionName identifies a collection in answers.
type collectionName struct {
	CollectionID string `json:"collection_id" format:"uuid"`
	Name         string `json:"name"`
}

type createdCollection struct {
	collectionName
	Permission string `json:"permission" enum:"read_write,read,private"`
}

func (c createdCollection) WriteText(t *output.Text) {
	who := map[string]string{
		"read_write": "all members can read and write it",
		"read":       "all members can read it",
		"private":    "nobody else can see it, not even other admins",
	}[c.Permission]
	t.Line("Created the collection %s, collection_id %s, permission %s: %s.", titleOf(c.Name), c.CollectionID, c.Permission, who)
}

func updateCollection() mcptool.Tool {
	return mcptool.Spec[updateCollectionIn, updatedCollection]{
		Name:        "update_collection",
		Title:       "Update collection",
		Description: "Changes a collection's name, description or color.",
		Endpoints:   []string{"collections.update"},
		Effect:      mcptool.Changes,
		Run: func(ctx context.Context, env mcptool.Env, in updateCollectionIn) (updatedCollection, error) {
			id, err := env.Outline.ResolveCollectionID(ctx, in.CollectionID)
			if err != nil {
				return updatedCollection{}, err
			}
			given := func(value string) *string {
				if value == "" {
					return nil
				}
				return &value
			}
			updated, err := env.Outline.UpdateCollection(ctx, outline.UpdateCollectionParams{
				ID: id, Name: given(in.Name), Description: given(in.Description), Color: given(in.Color),
			})
			return updatedCollection{collectionName{updated.ID, updated.Name}}, err
		},
	}
}

type updateCollectionIn struct {
	collectionIn
	Name        string `json:"name,omitempty" maxLength:"100"`
	Description string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color       string `json:"color,omitempty" jsonschema:"#RRGGBB"`
}

// Validate rejects what Outline rejects, and an update without changes.
func (in updateCollectionIn) Validate() error {
	if in.Name == "" && in.Description == "" && in.Color == "" {
		return errors.New("give at least one of name, description and color: there is nothing to change")
	}
	return checkCollection(in.Name, in.Color)
}

type updatedCollection struct{ collectionName }

func (c updatedCollection) WriteText(t *output.Text) {
	t.Line("Updated the collection %s, collection_id %s", titleOf(c.Name), c.CollectionID)
}

func deleteCollection() mcptool.Tool {
	return mcptool.Spec[collectionIn, deletedCollection]{
		Name:        "delete_collection",
		Title:       "Delete collection",
		Description: "Deletes a collection and moves its documents to the trash.",
		Endpoints:   []string{"collections.delete", "collections.info"},
		Effect:      mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, in collectionIn) (deletedCollection, error) {
			id, err := env.Outline.ParseCollectionID(in.CollectionID)
			if err != nil {
				return deletedCollection{}, err
			}
			collection, err := env.Outline.Collection(ctx, id)
			if err != nil {
				return deletedCollection{}, err
			}
			return deletedCollection{collectionName{collection.ID, collection.Name}, true}, env.Outline.DeleteCollection(ctx, collection.ID)
		},
	}
}

// collectionIn holds the argument of tools that work on one collection.
type collectionIn struct {
	CollectionID string `json:"collection_id" jsonschema:"UUID, slug or URL"`
}

type deletedCollection struct {
	collectionName
	Deleted bool `json:"deleted" const:"true"`
}

func (c deletedCollection) WriteText(t *output.Text) {
	t.Line("Deleted the collection %s, collection_id %s. Its documents are in the trash.", titleOf(c.Name), c.CollectionID)
}

func exportCollection() mcptool.Tool {
	return mcptool.Spec[exportCollectionIn, collectionExport]{
		Name:          "export_collection",
		Title:         "Export collection",
		Description:   "Starts an export of a collection as a file, fetched in Outline's settings.[ To read use read_document.]",
		Endpoints:     []string{"collections.export"},
		Effect:        mcptool.Reads,
		NotIdempotent: true,
		Run: func(ctx context.Context, env mcptool.Env, in exportCollectionIn) (collectionExport, error) {
			id, err := env.Outline.ResolveCollectionID(ctx, in.CollectionID)
			if err != nil {
				return collectionExport{}, err
			}
			operation, err := env.Outline.ExportCollection(ctx, id, in.Format)
			return collectionExport{exportOf(operation, in.Format), id}, err
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
	return startedExport{fileOperation{o.ID, o.State, o.Type, o.Name}, format}
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

func (e collectionExport) WriteText(t *output.Text) { e.write(t, "collection_id "+e.CollectionID) }

func exportAllCollections() mcptool.Tool {
	return mcptool.Spec[exportIn, workspaceExport]{
		Name:          "export_all_collections",
		Title:         "Export all collections",
		Description:   "Starts an export of the whole workspace as a file, fetched in Outline's settings. Needs an admin's key.",
		Endpoints:     []string{"collections.export_all"},
		Effect:        mcptool.Reads,
		NotIdempotent: true,
		Run: func(ctx context.Context, env mcptool.Env, in exportIn) (workspaceExport, error) {
			operation, err := env.Outline.ExportAllCollections(ctx, in.Format)
			return workspaceExport{exportOf(operation, in.Format)}, err
		},
	}
}

type workspaceExport struct{ startedExport }

func (e workspaceExport) WriteText(t *output.Text) { e.write(t, "all collections") }
