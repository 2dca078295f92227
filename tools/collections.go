package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"outline-mcp/internal/mcp/elicit"
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
	if strings.Contains(name, "http://") || strings.Contains(name, "https://") {
		return cmp.Or(checkColor(color), errors.New("name must not contain a web address: Outline rejects it"))
	}
	return checkColor(color)
}

func createCollection() mcptool.Tool {
	return mcptool.Spec[createCollectionIn, createdCollection]{
		Name:        "create_collection",
		Title:       "Create collection",
		Description: "Creates an Outline collection, private by default.",
		Endpoints:   []string{"collections.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in createCollectionIn) (createdCollection, error) {
			icon, err := iconOf(in.Icon)
			if err != nil {
				return createdCollection{}, err
			}
			err = env.Person.Confirm(ctx, func(context.Context) (elicit.Question, error) {
				return elicit.Question{Text: fmt.Sprintf("Create the collection %s? Afterwards, %s.", titleOf(in.Name), openTo(in.Permission)), Details: in.Description}, nil
			})
			if err != nil {
				return createdCollection{}, err
			}
			permission := in.Permission
			if permission == "private" {
				permission = ""
			}
			created, err := env.Outline.CreateCollection(ctx, outline.CreateCollectionParams{
				Name: in.Name, Description: in.Description, Color: in.Color, Icon: icon, Permission: permission,
			})
			env.Collections.Forget(ctx)
			return createdCollection{nameOfCollection(created), in.Permission}, err
		},
	}
}

type createCollectionIn struct {
	Name        string `json:"name" maxLength:"100"`
	Description string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color       string `json:"color,omitempty" maxLength:"1000" jsonschema:"#RRGGBB"`
	Icon        string `json:"icon,omitempty" maxLength:"1000" jsonschema:"Emoji or name"`
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
	t.Line("Lists and searches can leave it and its documents out for up to 10 seconds.")
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
		Run: onCollection(collectionRef, func(ctx context.Context, env mcptool.Env, in collectionIn, id string) (deletedCollection, error) {
			collection, err := env.Outline.Collection(outline.WithCallOptions(ctx, outline.ToChange()), id)
			if err != nil {
				return deletedCollection{}, err
			}
			parsed, malformed := env.Outline.ParseCollectionID(in.CollectionID)
			if err := checkExact("collection", in.CollectionID, parsed, malformed, collection.Name, nameOfCollection(collection).String()); err != nil {
				return deletedCollection{}, err
			}
			if err := confirmDeleteCollection(ctx, env, collection); err != nil {
				return deletedCollection{}, err
			}
			err = env.Outline.DeleteCollection(ctx, collection.ID)
			env.Collections.Forget(ctx)
			return deletedCollection{nameOfCollection(collection), true}, err
		}),
	}
}

// confirmDeleteCollection asks the user, and counts the documents that are published
// in the collection.
func confirmDeleteCollection(ctx context.Context, env mcptool.Env, c outline.Collection) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		tree, err := env.Outline.CollectionDocuments(ctx, c.ID)
		if err != nil {
			return elicit.Question{}, err
		}
		text := fmt.Sprintf("Delete the collection %s? This cannot be undone.", titleOf(c.Name))
		if n := countNodes(tree); n > 0 {
			text += fmt.Sprintf(" %s in it will be in the trash.", output.Count(n, "published document", "published documents"))
		}
		return elicit.Question{Text: text, Bound: c.ID}, nil
	})
}

type deletedCollection struct {
	collectionName
	Deleted bool `json:"deleted" const:"true"`
}

func (c deletedCollection) WriteText(t *output.Text) {
	t.Line("Deleted the collection %s. This cannot be undone. Its published documents are in the trash.", c.collectionName)
	t.Advice("restore_document with the collection_id of another collection brings them back, one by one.")
}

func updateCollection() mcptool.Tool {
	return mcptool.Spec[updateCollectionIn, updatedCollection]{
		Name:        "update_collection",
		Title:       "Update collection",
		Description: "Changes or archives an Outline collection.",
		Endpoints:   []string{"collections.update"},
		Effect:      mcptool.Changes,
		Run: onCollection(collectionID, func(ctx context.Context, env mcptool.Env, in updateCollectionIn, id string) (out updatedCollection, err error) {
			if in.Icon, err = iconOf(in.Icon); err != nil {
				return out, err
			}
			if err := in.confirm(ctx, env, id); err != nil {
				return out, err
			}
			updated, unchanged, err := in.update(ctx, env, id)
			env.Collections.Forget(ctx)
			return updatedCollection{nameOfCollection(updated), updated.ArchivedAt != nil, unchanged, in.documents}, err
		}),
	}
}

// update makes the changes. Outline does not change an archived collection: it is
// brought back before, and archived afterwards. unchanged reports that only the value
// of archived was given, and was so already.
func (in *updateCollectionIn) update(ctx context.Context, env mcptool.Env, id string) (updated outline.Collection, unchanged bool, err error) {
	if in.nothing() {
		return in.archive(ctx, env, id)
	}
	done := "" // before a failure
	if in.Archived != nil && !*in.Archived {
		_, already, err := in.archive(ctx, env, id)
		if err != nil {
			return updated, false, err
		}
		if !already {
			done = "brought back from the archive"
		}
	}
	given := func(value string) *string {
		if value == "" {
			return nil
		}
		return &value
	}
	params := outline.UpdateCollectionParams{
		ID: id, Name: given(in.Name), Description: given(in.Description), Color: given(in.Color), Icon: given(in.Icon), Permission: given(in.Permission),
	}
	if in.Permission == "private" {
		*params.Permission = ""
	}
	updated, err = env.Outline.UpdateCollection(ctx, params)
	if errors.Is(err, outline.ErrForbidden) {
		err = notUpdated(ctx, env, id, err)
	}
	if err == nil && in.Archived != nil && *in.Archived {
		done = "changed"
		updated, _, err = in.archive(ctx, env, id)
	}
	if err == nil || done == "" {
		return updated, false, err
	}
	failure := output.Error(err)
	failure.Cause, failure.CollectionID = err, id
	failure.Sentence = fmt.Sprintf("the collection was %s, but the rest was not done: %s", done, failure.Sentence)
	return updated, false, failure
}

// archive archives a collection or brings it back, and counts the documents that go along.
// already reports that it was so.
func (in *updateCollectionIn) archive(ctx context.Context, env mcptool.Env, id string) (now outline.Collection, already bool, err error) {
	now, err = env.Outline.Collection(ctx, id)
	if err != nil || *in.Archived == (now.ArchivedAt != nil) {
		return now, true, err
	}
	count := func() {
		if tree, err := env.Outline.CollectionDocuments(outline.WithCallOptions(ctx, outline.NoRetries()), id); err == nil {
			in.documents = new(countNodes(tree))
		}
	}
	if *in.Archived {
		count() // afterwards, the collection has none
	}
	now, err = env.Outline.ArchiveCollection(ctx, id, *in.Archived)
	if err == nil && !*in.Archived {
		count()
	}
	return now, false, err
}

// notUpdated explains why Outline refused to update a collection: it does not tell an
// archived one from a missing right.
func notUpdated(ctx context.Context, env mcptool.Env, id string, err error) error {
	if now, failure := env.Outline.Collection(ctx, id); failure != nil || now.ArchivedAt == nil {
		return err
	}
	return output.Failure{Code: output.Conflict, CollectionID: id, Cause: err,
		Sentence: "nothing was changed: the collection is archived. Call again with archived false, which brings it back with its documents."}
}

type updateCollectionIn struct {
	collectionIn
	Name        string `json:"name,omitempty" maxLength:"100"`
	Description string `json:"description,omitempty" maxLength:"100000" jsonschema:"Markdown"`
	Color       string `json:"color,omitempty" maxLength:"1000" jsonschema:"#RRGGBB"`
	Icon        string `json:"icon,omitempty" maxLength:"1000" jsonschema:"Emoji or name"`
	Permission  string `json:"permission,omitempty" enum:"read_write,read,private"`
	Archived    *bool  `json:"archived,omitempty" jsonschema:"Drafts are moved out"`

	documents *int // that were archived or brought back with it; nil if that is not known
}

// confirm asks the user, who is shown all that changes.
func (in updateCollectionIn) confirm(ctx context.Context, env mcptool.Env, id string) error {
	if !env.Person.Confirms() {
		return nil
	}
	now, err := env.Outline.Collection(outline.WithCallOptions(ctx, outline.ToChange()), id)
	if err != nil {
		return err
	}
	var changes []string
	for _, one := range []struct{ what, value string }{{"name", in.Name}, {"color", in.Color}, {"icon", in.Icon}, {"permission", in.Permission}} {
		if one.value != "" {
			changes = append(changes, fmt.Sprintf("the %s becomes %s", one.what, output.Quote(output.Excerpt(one.value, longestTitle))))
		}
	}
	if in.Description != "" {
		changes = append(changes, "the description is replaced")
	}
	if in.Archived != nil && *in.Archived != (now.ArchivedAt != nil) {
		changes = append(changes, map[bool]string{true: "it is archived with its documents", false: "it is no longer archived"}[*in.Archived])
	}
	if len(changes) == 0 {
		return nil
	}
	return env.Person.Confirm(ctx, func(context.Context) (elicit.Question, error) {
		return elicit.Question{
			Text:    fmt.Sprintf("Update the collection %s? %s.", titleOf(now.Name), capitalized(strings.Join(changes, ", "))),
			Details: in.Description, Bound: fmt.Sprint(id, now.ArchivedAt != nil),
		}, nil
	})
}

// nothing reports whether no field is to be changed.
func (in updateCollectionIn) nothing() bool {
	return in.Name+in.Description+in.Color+in.Icon+in.Permission == ""
}

// Validate rejects what Outline rejects, and an update without changes.
func (in updateCollectionIn) Validate() error {
	if in.nothing() && in.Archived == nil {
		return errors.New("give at least one of name, description, color, icon, permission and archived: there is nothing to change")
	}
	return checkCollection(in.Name, in.Color)
}

type updatedCollection struct {
	collectionName
	Archived  bool `json:"archived"`
	Unchanged bool `json:"unchanged,omitempty"`
	Documents *int `json:"documents,omitempty" jsonschema:"Archived or brought back with it"`
}

func (c updatedCollection) WriteText(t *output.Text) {
	done := "Updated"
	if c.Unchanged {
		done = "Nothing changed in"
	}
	t.Printf("%s the collection %s", done, c.collectionName)
	with := ""
	if c.Documents != nil {
		with = " with " + output.Count(*c.Documents, "document", "documents")
	}
	switch {
	case c.Archived:
		t.Printf(", which is archived%s", with)
	case with != "":
		t.Printf(", which is back from the archive%s", with)
	}
	t.Line(".")
	t.If(c.Archived && !c.Unchanged).Advice("update_collection with archived false brings it back with what was archived with it. Drafts have left it, and stay outside.")
}
