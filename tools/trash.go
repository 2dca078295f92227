package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func deleteDocument() mcptool.Tool {
	return mcptool.Spec[deleteDocumentIn, deletedDocument]{
		Name:        "delete_document",
		Title:       "Delete document",
		Description: "Moves a document and all below it to the trash[; restore_document brings it back, unless permanent].",
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      mcptool.Deletes,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in deleteDocumentIn, document outline.Document) (deletedDocument, error) {
			deleted := deletedDocument{nameOf(document.DocumentSummary), "deleted", in.Permanent, 0}
			if err := trash(ctx, env, document); err != nil || !in.Permanent {
				return deleted, err
			}
			// Afterwards, nothing shows whose children they were.
			deleted.ChildrenInTrash = childrenInTrash(ctx, env, document.ID)
			return deleted, erase(ctx, env, document.ID)
		}),
	}
}

type deleteDocumentIn struct {
	documentIn
	Permanent bool `json:"permanent,omitempty" jsonschema:"Cannot be undone; needs an admin's key"`
}

type deletedDocument struct {
	documentName
	Status    string `json:"status" const:"deleted"`
	Permanent bool   `json:"permanent"`

	ChildrenInTrash int `json:"children_in_trash,omitempty"`
}

func (d deletedDocument) WriteText(t *output.Text) {
	if d.Permanent {
		d.writeStatus(t, "permanently deleted")
		writeChildrenInTrash(t, d.ChildrenInTrash)
	} else {
		d.writeStatus(t, "deleted: it is in the trash")
	}
}

// remove moves a document to the trash unless it is already there. If permanent
// is set it then deletes it permanently; Outline requires the two steps.
func remove(ctx context.Context, env mcptool.Env, document outline.Document, permanent bool) error {
	if err := trash(ctx, env, document); err != nil || !permanent {
		return err
	}
	return erase(ctx, env, document.ID)
}

// trash moves a document to the trash unless it is already there.
func trash(ctx context.Context, env mcptool.Env, document outline.Document) error {
	if document.DeletedAt != nil {
		return nil
	}
	return env.Outline.DeleteDocument(ctx, document.ID, false)
}

// erase permanently deletes a document that is in the trash.
func erase(ctx context.Context, env mcptool.Env, id string) error {
	err := env.Outline.DeleteDocument(ctx, id, true)
	failure := output.Failure{DocumentID: id}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, outline.ErrForbidden):
		failure.Code, failure.Cause = output.Forbidden, errOnlyAdmins
		failure.Sentence = fmt.Sprintf("the document %s is in the trash, but not permanently deleted: %s.", id, errOnlyAdmins)
	case outline.OutcomeUnknown(err):
		failure.Code = output.OutcomeUnknown
		failure.Sentence = fmt.Sprintf("the document %s was in the trash, and the answer to deleting it permanently was lost (%s).", id, says(err))
		failure.Next = "Look [with list_trash|in Outline's trash] before you repeat it."
	default:
		reason := explain.Error(err)
		failure.Code, failure.RetryAfterSeconds, failure.Next = reason.Code, reason.RetryAfterSeconds, reason.Next
		failure.Sentence = fmt.Sprintf("the document %s is in the trash; deleting it permanently failed: %s", id, reason.Sentence)
	}
	return failure
}

// errOnlyAdmins is the reason why Outline refuses a permanent deletion.
var errOnlyAdmins = errors.New("only an admin's key may do that")

func restoreDocument() mcptool.Tool {
	return mcptool.Spec[restoreDocumentIn, restoredDocument]{
		Name:        "restore_document",
		Title:       "Restore document",
		Description: "Brings a document back from trash or archive, if need be into another collection.",
		Endpoints:   []string{"documents.restore"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in restoreDocumentIn) (restoredDocument, error) {
			id, err := env.Outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return restoredDocument{}, err
			}
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return restoredDocument{}, err
			}
			document, err := env.Outline.RestoreDocument(ctx, id, collection)
			if errors.Is(err, outline.ErrInvalid) {
				err = output.Invalid("it cannot be restored (%s). If it is neither in the trash nor archived, there is nothing to do; "+
					"if its collection is gone or archived, or it never had one, give a collection_id", says(err))
			}
			if err != nil {
				return restoredDocument{}, err
			}
			return restoredDocument{nameOf(document.DocumentSummary), "restored", childrenInTrash(ctx, env, document.ID)}, nil
		},
	}
}

type restoreDocumentIn struct {
	DocumentID   string `json:"document_id" names:"deleted document" jsonschema:"UUID, slug or URL"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Where to, if its collection is gone"`
}

type restoredDocument struct {
	documentName
	Status          string `json:"status" const:"restored"`
	ChildrenInTrash int    `json:"children_in_trash,omitempty" jsonschema:"Directly below it"`
}

func (d restoredDocument) WriteText(t *output.Text) {
	d.writeStatus(t, d.Status)
	writeChildrenInTrash(t, d.ChildrenInTrash)
}

func writeChildrenInTrash(t *output.Text, count int) {
	t.If(count > 0).Advice("Still in the trash: %s directly below it[; see list_trash].", output.Count(count, "document", "documents"))
}

// childrenInTrash counts the direct children of a document that are in the
// trash: Outline leaves them there when the parent is restored or permanently
// deleted. The count is optional: without access to the trash it is 0.
func childrenInTrash(ctx context.Context, env mcptool.Env, id string) int {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	count := 0
	for offset := 0; offset < 1000; offset += 100 {
		page, err := env.Outline.DeletedDocuments(ctx, outline.ListParams{Limit: 100, Offset: offset})
		if err != nil {
			break
		}
		for _, document := range page.Items {
			if document.ParentDocumentID == id {
				count++
			}
		}
		if len(page.Items) < 100 {
			break
		}
	}
	return count
}

func listTrash() mcptool.Tool {
	return mcptool.Spec[paging, trashList]{
		Name:        "list_trash",
		Title:       "List trash",
		Description: "Returns deleted documents and templates that are still in the trash.",
		Endpoints:   []string{"documents.deleted"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in paging) (trashList, error) {
			page, err := env.Outline.DeletedDocuments(ctx, outline.ListParams{Limit: in.Limit, Offset: in.Offset})
			return trashList{documentsOf(page.Items, in, trashEntryOf)}, err
		},
	}
}

type trashEntry struct {
	documentName
	DeletedAt time.Time `json:"deleted_at"`
}

func trashEntryOf(d outline.DocumentSummary) trashEntry {
	entry := trashEntry{documentName: nameOf(d)}
	if d.DeletedAt != nil {
		entry.DeletedAt = *d.DeletedAt
	}
	return entry
}

func (e trashEntry) write(t *output.Text) { e.writeWith(t, &e.DeletedAt) }

type trashList struct{ documentList[trashEntry] }

func (l trashList) WriteText(t *output.Text) { l.write(t, "in the trash", "deleted") }
