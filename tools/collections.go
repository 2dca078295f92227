package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"outline-mcp/internal/confirm"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

var colors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`) })

// checkColor rejects what is not a color to Outline. "" stands for none.
func checkColor(color string) error {
	if color != "" && !colors().MatchString(color) {
		return fmt.Errorf("color must be # and six hexadecimal digits, such as #4E5C6E, not %q", output.Excerpt(color, 60))
	}
	return nil
}

// checkCollection rejects names and colors that Outline rejects.
func checkCollection(name, color string) error {
	if err := checkColor(color); err != nil {
		return err
	}
	if strings.Contains(name, "http://") || strings.Contains(name, "https://") {
		return errors.New("name must not contain a web address: Outline rejects it")
	}
	return nil
}

func createCollection() mcptool.Tool {
	return mcptool.Spec[createCollectionIn, createdCollection]{
		Name:        "create_collection",
		Title:       "Create collection",
		Description: "Creates an Outline collection, private unless permission opens it to the other members.",
		Endpoints:   []string{"collections.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createCollectionIn) (createdCollection, error) {
			err := env.Person.Confirm(ctx, func(context.Context) (confirm.Question, error) {
				return confirm.Question{Text: fmt.Sprintf("Create the collection %s? Afterwards, %s.", titleOf(in.Name), openTo(in.Permission)), Details: in.Description}, nil
			})
			if err != nil {
				return createdCollection{}, err
			}
			permission := in.Permission
			if permission == "private" {
				permission = ""
			}
			created, err := env.Outline.CreateCollection(ctx, outline.CreateCollectionParams{
				Name: in.Name, Description: in.Description, Color: in.Color, Icon: in.Icon, Permission: permission,
			})
			env.Collections.Forget(ctx)
			return createdCollection{nameOfCollection(created), in.Permission}, err
		},
	}
}

type createCollectionIn struct {
	Name        string `json:"name" maxLength:"100"`
	Description string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color       string `json:"color,omitempty" jsonschema:"#RRGGBB"`
	Icon        string `json:"icon,omitempty" jsonschema:"Emoji or name"`
	Permission  string `json:"permission,omitempty" enum:"read_write,read,private" default:"private"`
}

// Validate rejects what Outline rejects.
func (in createCollectionIn) Validate() error { return checkCollection(in.Name, in.Color) }

type createdCollection struct {
	collectionName
	Permission string `json:"permission" enum:"read_write,read,private"`
}

func (c createdCollection) WriteText(t *output.Text) {
	t.Line("Created the collection %s, permission %s: %s.", c.collectionName, c.Permission, openTo(c.Permission))
}

// openTo says who can see a new collection.
func openTo(permission string) string {
	return map[string]string{
		"read_write": "all members can read and write it",
		"read":       "all members can read it",
		"private":    "nobody else can see it, not even other admins",
	}[permission]
}

func deleteCollection() mcptool.Tool {
	return mcptool.Spec[collectionIn, deletedCollection]{
		Name:        "delete_collection",
		Title:       "Delete collection",
		Description: "Deletes an Outline collection, which cannot be undone. Its published documents go to the trash.",
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
			if err := confirmDeleteCollection(ctx, env, collection); err != nil {
				return deletedCollection{}, err
			}
			err = env.Outline.DeleteCollection(ctx, collection.ID)
			env.Collections.Forget(ctx)
			return deletedCollection{nameOfCollection(collection), true}, err
		},
	}
}

// confirmDeleteCollection asks the person, and counts the documents that are published
// in the collection.
func confirmDeleteCollection(ctx context.Context, env mcptool.Env, c outline.Collection) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (confirm.Question, error) {
		tree, err := env.Outline.CollectionDocuments(ctx, c.ID)
		if err != nil {
			return confirm.Question{}, err
		}
		text := fmt.Sprintf("Delete the collection %s? This cannot be undone.", titleOf(c.Name))
		if n := countNodes(tree); n > 0 {
			text += fmt.Sprintf(" %s in it will be in the trash.", output.Count(n, "published document", "published documents"))
		}
		return confirm.Question{Text: text, Bound: c.ID}, nil
	})
}

// collectionIn holds the argument of tools that work on one collection.
type collectionIn struct {
	CollectionID string `json:"collection_id" jsonschema:"ID or URL"`
}

type deletedCollection struct {
	collectionName
	Deleted bool `json:"deleted" const:"true"`
}

func (c deletedCollection) WriteText(t *output.Text) {
	t.Line("Deleted the collection %s. This cannot be undone. Its published documents are in the trash.", c.collectionName)
	t.Advice("restore_document with the collection_id of another collection brings them back, one by one.")
}
