package tools

import (
	"context"
	"fmt"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// place is a position in the document tree. IDs are UUIDs. Both are empty for a
// draft outside of collections; parentID is empty at the top level of a
// collection.
type place struct {
	collectionID string
	parentID     string

	parent documentName // of the document parentID; zero if it was not read
}

// targetIn holds the target arguments of moves.
type targetIn struct {
	CollectionID     string `json:"collection_id,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
}

// nowhere reports whether the target is missing.
func (in targetIn) nowhere() bool { return in.CollectionID == "" && in.ParentDocumentID == "" }

// place returns the place that the arguments name, or the one that a document has.
func (in targetIn) place(ctx context.Context, env mcptool.Env, document outline.DocumentSummary) (place, error) {
	if in.nowhere() {
		return place{collectionID: document.CollectionID, parentID: document.ParentDocumentID}, nil
	}
	return findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
}

// named returns the parts of the place that the arguments name.
func (in targetIn) named(to place) place {
	if in.CollectionID == "" {
		to.collectionID = ""
	}
	if in.ParentDocumentID == "" {
		to.parentID, to.parent = "", documentName{}
	}
	return to
}

// optionalCollection returns the UUID of a collection for any form of its ID,
// and "" for "".
func optionalCollection(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	return env.Outline.ResolveCollectionID(ctx, given)
}

// optionalDocument returns the UUID of a document for any form of its ID, and "" for
// "".
func optionalDocument(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	id, err := env.Outline.ParseDocumentID(given)
	if err != nil || outline.IsUUID(id) {
		return id, err
	}
	document, err := env.Outline.Document(ctx, id)
	return document.ID, err
}

// findPlace returns the place for a collection and a parent, each by any form
// of its ID or "". If the parent is in another collection Outline silently
// ignores the collection; findPlace returns an error instead.
func findPlace(ctx context.Context, env mcptool.Env, collection, parent string) (place, error) {
	collectionID, err := optionalCollection(ctx, env, collection)
	if err != nil || parent == "" {
		return place{collectionID: collectionID}, err
	}
	document, err := fetchDocument(ctx, env, parent)
	if err != nil {
		return place{}, fmt.Errorf("parent_document_id: %w", err)
	}
	name := nameOf(document.DocumentSummary)
	refuse := func(reason string) (place, error) {
		return place{}, output.Failure{Code: output.InvalidArguments, CollectionID: collectionID,
			Sentence: fmt.Sprintf("parent_document_id: %s %s", name, reason)}
	}
	switch {
	case document.DeletedAt != nil:
		return refuse("is in the trash. Restore it first, or choose another parent.")
	case document.ArchivedAt != nil:
		return refuse("is archived. Unarchive it first, or choose another parent.")
	case document.CollectionID == "" || document.PublishedAt == nil:
		return refuse("is a draft, and documents can be nested only below published ones. Publish it first, or choose another parent.")
	case collectionID != "" && collectionID != document.CollectionID:
		return refuse("is in another collection. Leave out collection_id, or choose a parent in that collection.")
	}
	return place{document.CollectionID, document.ID, name}, nil
}

// nameParent looks up the name of the parent if it was not read.
func (p *place) nameParent(ctx context.Context, env mcptool.Env) {
	if p.parent.DocumentID == "" {
		p.parent = findName(ctx, env, p.parentID)
	}
}

// children returns the documents directly below the place, in order.
func (p place) children(tree []outline.Node) []outline.Node {
	if p.parentID == "" {
		return tree
	}
	if parent := findNode(tree, p.parentID); parent != nil {
		return parent.Children
	}
	return nil
}
