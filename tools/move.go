package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

func moveDocument() mcptool.Tool {
	return mcptool.Spec[moveDocumentIn, movedDocument]{
		Name:        "move_document",
		Title:       "Move document",
		Description: "Moves an Outline document and its subpages to a collection, below another document, or among its siblings.",
		Endpoints:   []string{"documents.move", "documents.info"},
		Effect:      mcptool.Moves,
		Run: onDocument(fetchToChange, func(ctx context.Context, env mcptool.Env, in moveDocumentIn, document outline.Document) (movedDocument, error) {
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

// confirmMove asks the user.
func confirmMove(ctx context.Context, env mcptool.Env, document outline.Document, to place, index *int) error {
	return confirmed(ctx, env, document, func(ctx context.Context, name string) (string, string) {
		text := "Move " + name + withBelow(namesBelow(ctx, env, document)) + to.toward(ctx, env)
		if index != nil {
			text += fmt.Sprintf(", at index %d among its siblings", *index)
		}
		return text + "?", ""
	})
}

type movedDocument struct {
	documentLink
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
	moved := movedDocument{documentLink: linkTo(env, document.DocumentSummary), NewCollectionID: named.collectionID,
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
	t.Line(". %s", d.URL)
}

func restoreDocument() mcptool.Tool {
	return mcptool.Spec[restoreDocumentIn, output.Result]{
		Name:        "restore_document",
		Title:       "Restore document",
		Description: "Brings an Outline document back from trash or archive; include_children adds what is in the trash below it. With revision_id, sets an active one back to that revision.",
		Endpoints:   []string{"documents.restore"},
		Effect:      mcptool.Changes,
		Shapes:      []output.Result{restoredRevision{}, restoredDocument{}},
		Problems:    []output.Problem{writeProblem{}},
		View:        views.Difference,
		Run: func(ctx context.Context, env mcptool.Env, in restoreDocumentIn) (output.Result, error) {
			if in.RevisionID != "" {
				return restoreRevision(ctx, env, in)
			}
			id, err := documentFirst(ctx, env, in.DocumentID, "deleted", "archived", "active")
			if err != nil {
				return nil, err
			}
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return nil, err
			}
			var trash []outline.DocumentSummary
			if in.IncludeChildren { // before anything is written
				if trash, err = readTrash(ctx, env); err != nil {
					return nil, err
				}
			}
			if err := in.confirm(ctx, env, id, collection, trash); err != nil {
				return nil, err
			}
			document, note, err := restore(ctx, env, id, collection, in.IncludeChildren)
			if err != nil {
				return nil, err
			}
			restored := restoredDocument{documentLink: linkTo(env, document.DocumentSummary), Status: "restored", Note: note}
			if in.IncludeChildren {
				restored.Children = restoreBelow(ctx, env, document, trash)
			}
			restored.ChildrenInTrash = childrenInTrash(ctx, env, document.ID)
			return restored, nil
		},
	}
}

type restoreDocumentIn struct {
	DocumentID      string `json:"document_id" names:"deleted document"`
	CollectionID    string `json:"collection_id,omitempty" jsonschema:"If its own is gone"`
	IncludeChildren bool   `json:"include_children,omitempty"`

	RevisionID       string `json:"revision_id,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Fail if it differs"`
	AllowLoss        bool   `json:"allow_loss,omitempty" jsonschema:"Write even if open comments lose their passage"`
}

// Validate keeps the two uses of the tool apart.
func (in restoreDocumentIn) Validate() error {
	switch {
	case in.RevisionID == "" && (in.ExpectedRevision != 0 || in.AllowLoss):
		return errors.New("expected_revision and allow_loss need a revision_id")
	case in.RevisionID != "" && (in.CollectionID != "" || in.IncludeChildren):
		return errors.New("with revision_id, the document stays where it is: leave out collection_id and include_children")
	}
	return nil
}

// confirm asks the user whether to bring a document back. With include_children,
// trash is what is in the trash.
func (in restoreDocumentIn) confirm(ctx context.Context, env mcptool.Env, id, collection string, trash []outline.DocumentSummary) error {
	if !env.Person.Confirms() {
		return nil
	}
	document, err := env.Outline.Document(outline.WithCallOptions(ctx, outline.ToChange()), id)
	if err != nil || !in.IncludeChildren && document.ArchivedAt == nil && document.DeletedAt == nil {
		return err // restore says that there is nothing to restore
	}
	return confirmed(ctx, env, document, func(ctx context.Context, name string) (string, string) {
		text, below, details := "Restore "+name, "", ""
		if in.IncludeChildren {
			below = withBelow(namesInTrash(trash, document.ID))
		}
		switch {
		case document.DeletedAt != nil:
			text += below + " from the trash"
		case document.ArchivedAt == nil:
			text = "Restore what is in the trash below " + name
		default:
			text += " from the archive" + below
			if details = archivedBelow(ctx, env, document); details != "" {
				text += ", with all archived documents below it"
			}
		}
		if collection != "" {
			text += ", to " + collectionCalled(ctx, env, collection)
		}
		return text + "?", details
	})
}

type restoredDocument struct {
	documentLink
	Status          string          `json:"status" const:"restored"`
	Children        []restoredChild `json:"children,omitempty" jsonschema:"With include_children: what was in the trash below it"`
	ChildrenInTrash int             `json:"children_in_trash,omitempty" jsonschema:"Still there, directly below it"`
	Note            string          `json:"note,omitempty"`
}

// restoredChild is what became of a document below a restored one.
type restoredChild struct {
	documentName
	Status string      `json:"status" enum:"restored,failed"`
	Error  string      `json:"error,omitempty"`
	Code   output.Code `json:"code,omitempty"`
}

// WriteText implements output.Result.
func (d restoredDocument) WriteText(t *output.Text) {
	d.writeDone(t, "Restored", nil)
	writeNotes(t, d.Note)
	for _, child := range d.Children {
		t.Printf("- %s %s", map[string]string{"restored": "Restored", "failed": "FAILED"}[child.Status], child.documentName)
		t.If(child.Error != "").Printf(": %s (code %s)", child.Error, child.Code)
		t.Blank()
	}
	writeChildrenInTrash(t, d.ChildrenInTrash)
	t.If(d.ChildrenInTrash > 0 && d.Children == nil).Advice("restore_document with include_children true brings back what is below it, too.")
	t.Line("%s", d.URL)
}

// restore restores a document from the trash or the archive. If others below it are
// to be restored, it may be active already. The note is that of cameBack.
func restore(ctx context.Context, env mcptool.Env, id, collection string, activeToo bool) (document outline.Document, note string, err error) {
	document, err = env.Outline.RestoreDocument(ctx, id, collection)
	switch {
	case err == nil:
		return document, cameBack(ctx, env, document), nil
	case !errors.Is(err, outline.ErrInvalid):
		return document, "", err
	}
	now, readErr := env.Outline.Document(ctx, id)
	switch {
	case readErr == nil && now.ArchivedAt == nil && now.DeletedAt == nil && activeToo:
		return now, "", nil
	case readErr == nil && now.ArchivedAt == nil && now.DeletedAt == nil:
		return now, "", withDocument(now, output.Failure{Code: output.Conflict, Sentence: "the document is neither archived nor in the trash: there is nothing to restore."})
	}
	return document, "", withDocument(now, output.Invalid("Outline cannot restore the document (%s). If its collection is deleted or archived, or it never had one, give the collection_id of another.", reasonOf(err)))
}
