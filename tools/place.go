package tools

import (
	"context"
	"fmt"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// place is where a document is put. IDs are UUIDs; both are empty for a draft
// outside the collections, parentID alone for the first level of a collection.
type place struct {
	collectionID string
	parentID     string
}

// targetIn holds the arguments for the place that documents are moved to.
type targetIn struct {
	CollectionID     string `json:"collection_id,omitempty" jsonschema:"Collection to move to"`
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"To nest under"`
}

// nowhere reports whether no place is given.
func (in targetIn) nowhere() bool { return in.CollectionID == "" && in.ParentDocumentID == "" }

// named returns what the arguments name of the place that they stand for.
func (in targetIn) named(to place) place {
	if in.CollectionID == "" {
		to.collectionID = ""
	}
	if in.ParentDocumentID == "" {
		to.parentID = ""
	}
	return to
}

// optionalCollection returns the UUID of a collection given in any form, and
// "" when none is given.
func optionalCollection(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	return env.Outline.ResolveCollectionID(ctx, given)
}

// findPlace returns the place that a collection and a parent, each given in
// any form or not at all, stand for. Outline follows the parent without a word
// where the two disagree, so that is refused here.
func findPlace(ctx context.Context, env mcptool.Env, collection, parent string) (place, error) {
	collectionID, err := optionalCollection(ctx, env, collection)
	if err != nil || parent == "" {
		return place{collectionID: collectionID}, err
	}
	document, err := fetchDocument(ctx, env, parent)
	if err != nil {
		return place{}, fmt.Errorf("parent_document_id: %w", err)
	}
	refuse := func(format string, args ...any) (place, error) {
		return place{}, output.Failure{Code: output.InvalidArguments, CollectionID: collectionID,
			Sentence: fmt.Sprintf("parent_document_id %s: ", document.ID) + fmt.Sprintf(format, args...)}
	}
	switch {
	case document.DeletedAt != nil:
		return refuse("that document is in the trash. Restore it first, or choose another parent.")
	case document.ArchivedAt != nil:
		return refuse("that document is archived. Unarchive it first, or choose another parent.")
	case document.CollectionID == "" || document.PublishedAt == nil:
		return refuse("that document is a draft, and documents are nested below published ones. Publish it first, or choose another parent.")
	case collectionID != "" && collectionID != document.CollectionID:
		return refuse("that document is in the collection %s, not in %s. Leave collection_id out, or choose a parent in that collection.", document.CollectionID, collectionID)
	}
	return place{document.CollectionID, document.ID}, nil
}

// children returns the documents below a place, in order.
func (p place) children(tree []outline.Node) []outline.Node {
	if p.parentID == "" {
		return tree
	}
	if parent := findNode(tree, p.parentID); parent != nil {
		return parent.Children
	}
	return nil
}
