package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func moveDocument() mcptool.Tool {
	return mcptool.Spec[moveDocumentIn, movedDocument]{
		Name:        "move_document",
		Title:       "Move document",
		Description: "Moves an Outline document and all below it to a collection, below another document, or to a position among its siblings.",
		Endpoints:   []string{"documents.move", "documents.info"},
		Effect:      mcptool.Moves,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in moveDocumentIn, document outline.Document) (movedDocument, error) {
			to, err := in.place(ctx, env, document.DocumentSummary)
			if err == nil {
				err = move(ctx, env, document, to, in.Index)
			}
			if err != nil {
				return movedDocument{}, err
			}
			return movedTo(ctx, env, document, to, in.named(to)), nil
		}),
	}
}

type moveDocumentIn struct {
	documentIn
	targetIn
	Index *int `json:"index,omitempty" minimum:"0" jsonschema:"Among siblings, from 0; default last"`
}

// Validate requires a target or an index.
func (in moveDocumentIn) Validate() error {
	if in.nowhere() && in.Index == nil {
		return errors.New("give at least one of collection_id, parent_document_id and index: there is nowhere to move to")
	}
	return nil
}

// move moves a document to a place. index is its final position among the
// documents there; nil means last.
func move(ctx context.Context, env mcptool.Env, document outline.Document, to place, index *int) error {
	if to.collectionID == "" {
		return output.Invalid("the document is a draft outside of collections: give the collection_id to move it to")
	}
	if to.parentID == document.ID {
		return output.Invalid("a document cannot be moved below itself")
	}
	request := outline.MoveDocumentParams{ID: document.ID, CollectionID: to.collectionID, ParentDocumentID: to.parentID, Index: index, Before: &document.DocumentSummary}
	sameCollection := to.collectionID == document.CollectionID
	if sameCollection && (to.parentID != "" || index != nil) {
		tree, err := env.Outline.CollectionDocuments(ctx, to.collectionID)
		if err != nil {
			return err
		}
		if node := findNode(tree, document.ID); node != nil && to.parentID != "" && findNode(node.Children, to.parentID) != nil {
			return output.Invalid("the document cannot be moved below %s, which is already below it", to.parent)
		}
		isDocument := func(n outline.Node) bool { return n.ID == document.ID }
		if now := slices.IndexFunc(to.children(tree), isDocument); index != nil && now >= 0 && *index > now {
			// Outline counts positions before it removes the document from
			// its old one.
			request.Index = new(*index + 1)
		}
	}
	if err := confirmMove(ctx, env, document, to, index); err != nil {
		return err
	}
	_, err := env.Outline.MoveDocument(ctx, request)
	return refused(ctx, env, document.ID, err)
}

// confirmMove asks the person.
func confirmMove(ctx context.Context, env mcptool.Env, document outline.Document, to place, index *int) error {
	return confirmed(ctx, env, document, func(ctx context.Context, name string) (string, string) {
		text := "Move " + name + withBelow(countBelow(ctx, env, document)) + to.toward(ctx, env)
		if index != nil {
			text += fmt.Sprintf(", at index %d among its siblings", *index)
		}
		return text + "?", ""
	})
}

type movedDocument struct {
	documentName
	NewCollectionID    string `json:"new_collection_id,omitempty" format:"uuid"`
	NewCollectionName  string `json:"new_collection_name,omitempty"`
	NewCollectionURLID string `json:"new_collection_url_id,omitempty"`
	NewParentID        string `json:"new_parent_id,omitempty" format:"uuid"`
	NewParentTitle     string `json:"new_parent_title,omitempty"`
	NewParentURLID     string `json:"new_parent_url_id,omitempty"`
	Index              *int   `json:"index,omitempty" jsonschema:"Where it is among its siblings now"`
	Siblings           int    `json:"siblings,omitempty" jsonschema:"Documents there, itself included"`
}

// movedTo tells where a document is now. named are the parts of the place that the
// caller gave. What the tree of the collection would show is optional.
func movedTo(ctx context.Context, env mcptool.Env, document outline.Document, to, named place) movedDocument {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	names := env.Collections.Begin(ctx)
	moved := movedDocument{documentName: nameOf(document.DocumentSummary), NewCollectionID: named.collectionID,
		NewParentID: named.parentID, NewParentTitle: named.parent.Title, NewParentURLID: named.parent.URLID}
	tree, err := env.Outline.CollectionDocuments(ctx, to.collectionID)
	if named.collectionID != "" {
		name := names()[named.collectionID]
		moved.NewCollectionName, moved.NewCollectionURLID = name.Name, name.URLID
	}
	if err != nil {
		return moved
	}
	siblings := to.children(tree)
	if at := slices.IndexFunc(siblings, func(n outline.Node) bool { return n.ID == document.ID }); at >= 0 {
		moved.Index, moved.Siblings = &at, len(siblings)
	}
	return moved
}

// WriteText implements output.Result.
func (d movedDocument) WriteText(t *output.Text) {
	t.Printf("Moved %s", d.documentName)
	to := home{CollectionID: d.NewCollectionID, CollectionName: d.NewCollectionName, CollectionURLID: d.NewCollectionURLID}
	t.If(d.NewCollectionID != "").Printf(" to %s", to)
	t.Printf("%s", parentName{d.NewParentID, d.NewParentTitle, d.NewParentURLID}.after(", below "))
	if d.Index != nil {
		t.Printf(". It is now at index %d of %s there", *d.Index, output.Count(d.Siblings, "document", "documents"))
	}
	t.Line(".")
}
