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

func collectionTools() []mcptool.Tool {
	return []mcptool.Tool{createCollection(), updateCollection(), deleteCollection()}
}

var color = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// checkCollection refuses what Outline would refuse.
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
		Group:       Collections,
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
			return createdCollection{created.ID, created.Name, in.Permission}, err
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

// Validate refuses what Outline would refuse.
func (in createCollectionIn) Validate() error { return checkCollection(in.Name, in.Color) }

type createdCollection struct {
	CollectionID string `json:"collection_id" format:"uuid"`
	Name         string `json:"name"`
	Permission   string `json:"permission" enum:"read_write,read,private"`
}

// WriteText implements output.Result.
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
		Group:       Collections,
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
			return updatedCollection{updated.ID, updated.Name}, err
		},
	}
}

type updateCollectionIn struct {
	CollectionID string `json:"collection_id" jsonschema:"UUID, slug or URL"`
	Name         string `json:"name,omitempty" maxLength:"100"`
	Description  string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color        string `json:"color,omitempty" jsonschema:"#RRGGBB"`
}

// Validate refuses what Outline would refuse, and a change that changes nothing.
func (in updateCollectionIn) Validate() error {
	if in.Name == "" && in.Description == "" && in.Color == "" {
		return errors.New("give at least one of name, description and color: there is nothing to change")
	}
	return checkCollection(in.Name, in.Color)
}

type updatedCollection struct {
	CollectionID string `json:"collection_id" format:"uuid"`
	Name         string `json:"name"`
}

// WriteText implements output.Result.
func (c updatedCollection) WriteText(t *output.Text) {
	t.Line("Updated the collection %s, collection_id %s", titleOf(c.Name), c.CollectionID)
}

func deleteCollection() mcptool.Tool {
	return mcptool.Spec[collectionIn, deletedCollection]{
		Name:        "delete_collection",
		Title:       "Delete collection",
		Description: "Deletes a collection and moves its documents to the trash.",
		Group:       Collections,
		Endpoints:   []string{"collections.delete", "collections.info"},
		Effect:      mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, in collectionIn) (deletedCollection, error) {
			id, err := outline.ParseCollectionID(in.CollectionID)
			if err != nil {
				return deletedCollection{}, err
			}
			collection, err := env.Outline.Collection(ctx, id)
			if err != nil {
				return deletedCollection{}, err
			}
			return deletedCollection{collection.ID, collection.Name, true}, env.Outline.DeleteCollection(ctx, collection.ID)
		},
	}
}

// collectionIn is the argument of tools that take a collection and nothing else.
type collectionIn struct {
	CollectionID string `json:"collection_id" jsonschema:"UUID, slug or URL"`
}

type deletedCollection struct {
	CollectionID string `json:"collection_id" format:"uuid"`
	Name         string `json:"name"`
	Deleted      bool   `json:"deleted" const:"true"`
}

// WriteText implements output.Result.
func (c deletedCollection) WriteText(t *output.Text) {
	t.Line("Deleted the collection %s, collection_id %s. Its documents are in the trash.", titleOf(c.Name), c.CollectionID)
}
