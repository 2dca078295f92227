package tools

import (
	"context"
	"errors"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func moveTools() []mcptool.Tool {
	return []mcptool.Tool{moveDocument()}
}

func moveDocument() mcptool.Tool {
	return mcptool.Spec[moveDocumentIn, movedDocument]{
		Name:        "move_document",
		Title:       "Move document",
		Description: "Moves a document and all below it into a collection, under a parent, or among its siblings.",
		Group:       Documents,
		Endpoints:   []string{"documents.move", "documents.info"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in moveDocumentIn) (movedDocument, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return movedDocument{}, err
			}
			to := place{document.CollectionID, document.ParentDocumentID}
			if in.CollectionID != "" || in.ParentDocumentID != "" {
				if to, err = findPlace(ctx, env, in.CollectionID, in.ParentDocumentID); err != nil {
					return movedDocument{}, about(document, err)
				}
			}
			if err := move(ctx, env, document, to, in.Index); err != nil {
				return movedDocument{}, about(document, err)
			}
			moved := movedDocument{DocumentID: document.ID, Title: document.Title}
			if in.CollectionID != "" {
				moved.NewCollectionID = to.collectionID
			}
			if in.ParentDocumentID != "" {
				moved.NewParentID = to.parentID
			}
			return moved, nil
		},
	}
}

type moveDocumentIn struct {
	DocumentID       string `json:"document_id" jsonschema:"UUID, slug or URL"`
	CollectionID     string `json:"collection_id,omitempty" jsonschema:"Collection to move to"`
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"To nest under"`
	Index            *int   `json:"index,omitempty" minimum:"0" jsonschema:"Final position among its siblings; default last"`
}

// Validate refuses a move to nowhere.
func (in moveDocumentIn) Validate() error {
	if in.CollectionID == "" && in.ParentDocumentID == "" && in.Index == nil {
		return errors.New("give at least one of collection_id, parent_document_id and index: there is nowhere to move to")
	}
	return nil
}

// move puts a document to a place, at a final index among the documents there.
func move(ctx context.Context, env mcptool.Env, document outline.Document, to place, index *int) error {
	if to.collectionID == "" {
		return output.Invalid("the document %s is a draft outside the collections: name a collection_id to move it to", document.ID)
	}
	if to.parentID == document.ID {
		return output.Invalid("the document %s cannot be moved below itself", document.ID)
	}
	request := outline.MoveDocumentParams{ID: document.ID, CollectionID: to.collectionID, ParentDocumentID: to.parentID, Index: index, Before: &document.DocumentSummary}
	sameCollection := to.collectionID == document.CollectionID
	if sameCollection && (to.parentID != "" || index != nil) {
		tree, err := env.Outline.CollectionDocuments(ctx, to.collectionID)
		if err != nil {
			return err
		}
		if node := findNode(tree, document.ID); node != nil && to.parentID != "" && findNode(node.Children, to.parentID) != nil {
			return output.Invalid("the document %s cannot be moved below %s, which is below it already", document.ID, to.parentID)
		}
		isDocument := func(n outline.Node) bool { return n.ID == document.ID }
		if now := slices.IndexFunc(to.children(tree), isDocument); index != nil && now >= 0 && *index > now {
			// Outline counts positions before it takes the document out.
			request.Index = new(*index + 1)
		}
	}
	_, err := env.Outline.MoveDocument(ctx, request)
	return refused(ctx, env, document.ID, err)
}

type movedDocument struct {
	DocumentID      string `json:"document_id" format:"uuid"`
	Title           string `json:"title"`
	NewCollectionID string `json:"new_collection_id,omitempty" format:"uuid"`
	NewParentID     string `json:"new_parent_id,omitempty" format:"uuid"`
}

// WriteText implements output.Result.
func (d movedDocument) WriteText(t *output.Text) {
	t.Printf("Moved %s, document_id %s", titleOf(d.Title), d.DocumentID)
	if d.NewCollectionID != "" {
		t.Printf(", into collection_id %s", d.NewCollectionID)
	}
	if d.NewParentID != "" {
		t.Printf(", below document_id %s", d.NewParentID)
	}
	t.Line(".")
}
