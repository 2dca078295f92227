package tools

import (
	"context"
	"errors"
	"fmt"

	"outline-mcp/outline"
	"outline-mcp/output"
)

func lifecycleTools() []Tool {
	return []Tool{archiveDocument(), unarchiveDocument(), deleteDocument(), restoreDocument()}
}

func archiveDocument() Tool {
	return Spec[documentIn, archivedDocument]{
		Name:        "archive_document",
		Title:       "Archive document",
		Description: "Archives a document and all below it; unarchive_document brings it back.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.archive"},
		Effect:      Moves,
		Run: func(ctx context.Context, env Env, in documentIn) (archivedDocument, error) {
			document, err := archive(ctx, env, in.DocumentID)
			return archivedDocument{lifecycleAnswer{document.ID, document.Title}, "archived"}, err
		},
	}
}

// documentIn is the argument of tools that take a document and nothing else.
type documentIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, URL id, slug or URL"`
}

// lifecycleAnswer is what all tools of the lifecycle answer, beside the status.
type lifecycleAnswer struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
}

func (a lifecycleAnswer) write(t *output.Text, status string) {
	t.Line("%s is %s, document_id %s", titleOf(a.Title), status, a.DocumentID)
}

type archivedDocument struct {
	lifecycleAnswer
	Status string `json:"status" const:"archived"`
}

// WriteText implements output.Result.
func (d archivedDocument) WriteText(t *output.Text) { d.write(t, d.Status) }

// archive archives a document whose ID is given in any form. Outline refuses
// one that is archived already; that is what was asked for.
func archive(ctx context.Context, env Env, given string) (outline.Document, error) {
	id, err := outline.ParseDocumentID(given)
	if err != nil {
		return outline.Document{}, err
	}
	document, err := env.Outline.ArchiveDocument(ctx, id)
	if !errors.Is(err, outline.ErrForbidden) {
		return document, err
	}
	now, readErr := env.Outline.Document(ctx, id)
	switch {
	case readErr == nil && now.DeletedAt != nil:
		return now, output.Failure{Code: output.Conflict, DocumentID: now.ID, Sentence: "the document is in the trash: restore_document brings it back, then it can be archived"}
	case readErr == nil && now.ArchivedAt != nil:
		return now, nil
	}
	return document, err
}

func unarchiveDocument() Tool {
	return Spec[documentIn, activeDocument]{
		Name:        "unarchive_document",
		Title:       "Unarchive document",
		Description: "Brings an archived document back to where it was. For one in the trash use restore_document.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.restore", "documents.info"},
		Effect:      Moves,
		Run: func(ctx context.Context, env Env, in documentIn) (activeDocument, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return activeDocument{}, err
			}
			restored, err := unarchive(ctx, env, document)
			return activeDocument{lifecycleAnswer{restored.ID, restored.Title}, "active"}, about(document, err)
		},
	}
}

type activeDocument struct {
	lifecycleAnswer
	Status string `json:"status" const:"active"`
}

// WriteText implements output.Result.
func (d activeDocument) WriteText(t *output.Text) { d.write(t, "active again") }

func unarchive(ctx context.Context, env Env, document outline.Document) (outline.Document, error) {
	switch {
	case document.DeletedAt != nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is in the trash, not in the archive: restore_document brings it back"}
	case document.ArchivedAt == nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is not archived: there is nothing to do"}
	}
	restored, err := env.Outline.RestoreDocument(ctx, document.ID, "")
	if errors.Is(err, outline.ErrNotFound) {
		// The document was there a moment ago: it is the endpoint that an
		// old server does not have.
		restored, err = env.Outline.UnarchiveDocument(ctx, document.ID)
	}
	if errors.Is(err, outline.ErrInvalid) {
		return document, invalid("its collection is archived or deleted (%s): restore_document with a collection_id brings it back elsewhere", says(err))
	}
	return restored, err
}

// says returns Outline's own message in an error of its.
func says(err error) string {
	var cause *outline.Error
	if errors.As(err, &cause) {
		return output.Excerpt(cause.Message, 200)
	}
	return output.Excerpt(err.Error(), 200)
}

func deleteDocument() Tool {
	return Spec[deleteDocumentIn, deletedDocument]{
		Name:        "delete_document",
		Title:       "Delete document",
		Description: "Moves a document and all below it to the trash; restore_document brings it back, unless permanent.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      Deletes,
		Run: func(ctx context.Context, env Env, in deleteDocumentIn) (deletedDocument, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return deletedDocument{}, err
			}
			if err := remove(ctx, env, document, in.Permanent); err != nil {
				return deletedDocument{}, about(document, err)
			}
			return deletedDocument{lifecycleAnswer{document.ID, document.Title}, "deleted", in.Permanent}, nil
		},
	}
}

type deleteDocumentIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, URL id, slug or URL"`
	Permanent  bool   `json:"permanent,omitempty" jsonschema:"Cannot be undone; needs an admin's key"`
}

type deletedDocument struct {
	lifecycleAnswer
	Status    string `json:"status" const:"deleted"`
	Permanent bool   `json:"permanent"`
}

// WriteText implements output.Result.
func (d deletedDocument) WriteText(t *output.Text) {
	if d.Permanent {
		d.write(t, "deleted for good")
	} else {
		d.write(t, "deleted: it is in the trash")
	}
}

// remove moves a document to the trash, unless it is there, and from there
// away if it is to be permanent: Outline takes the steps one by one only.
func remove(ctx context.Context, env Env, document outline.Document, permanent bool) error {
	if document.DeletedAt == nil {
		if err := env.Outline.DeleteDocument(ctx, document.ID, false); err != nil {
			return err
		}
	}
	if !permanent {
		return nil
	}
	err := env.Outline.DeleteDocument(ctx, document.ID, true)
	if err == nil {
		return nil
	}
	failure := explain(err)
	failure.DocumentID = document.ID
	switch {
	case errors.Is(err, outline.ErrForbidden):
		failure.Sentence = fmt.Sprintf("the document %s is in the trash, and not deleted for good: only an admin's key may do that.", document.ID)
	default:
		failure.Sentence = fmt.Sprintf("the document %s is in the trash; deleting it for good failed: %s", document.ID, failure.Sentence)
	}
	return failure
}

func restoreDocument() Tool {
	return Spec[restoreDocumentIn, restoredDocument]{
		Name:        "restore_document",
		Title:       "Restore document",
		Description: "Brings a document back from trash or archive, if need be into another collection.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.restore"},
		Effect:      Moves,
		Run: func(ctx context.Context, env Env, in restoreDocumentIn) (restoredDocument, error) {
			id, err := outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return restoredDocument{}, err
			}
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return restoredDocument{}, err
			}
			document, err := env.Outline.RestoreDocument(ctx, id, collection)
			if errors.Is(err, outline.ErrInvalid) {
				return restoredDocument{}, invalid("it cannot be restored (%s). If it is neither in the trash nor archived, there is nothing to do; "+
					"if its collection is gone or archived, or it never had one, give a collection_id", says(err))
			}
			if err != nil {
				return restoredDocument{}, err
			}
			return restoredDocument{lifecycleAnswer{document.ID, document.Title}, "restored", childrenInTrash(ctx, env, document.ID)}, nil
		},
	}
}

type restoreDocumentIn struct {
	DocumentID   string `json:"document_id" jsonschema:"UUID, URL id, slug or URL"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Where to, if its collection is gone"`
}

type restoredDocument struct {
	lifecycleAnswer
	Status          string `json:"status" const:"restored"`
	ChildrenInTrash int    `json:"children_in_trash,omitempty" jsonschema:"Documents below it that stay in the trash"`
}

// WriteText implements output.Result.
func (d restoredDocument) WriteText(t *output.Text) {
	d.write(t, d.Status)
	if d.ChildrenInTrash > 0 {
		t.Line("%s below it stay in the trash: list_trash shows them, restore_document brings back each.", output.Count(d.ChildrenInTrash, "document", "documents"))
	}
}

// childrenInTrash counts what Outline leaves in the trash when it restores a
// parent. It is an extra: a key that may not see the trash gets 0.
func childrenInTrash(ctx context.Context, env Env, id string) int {
	page, err := env.Outline.WithoutRetry().DeletedDocuments(ctx, outline.ListParams{Limit: 100})
	if err != nil {
		return 0
	}
	count := 0
	for _, document := range page.Items {
		if document.ParentDocumentID == id {
			count++
		}
	}
	return count
}
