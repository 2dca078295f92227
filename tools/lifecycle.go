package tools

import (
	"context"
	"errors"
	"time"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func archiveDocument() mcptool.Tool {
	return mcptool.Spec[documentIn, archivedDocument]{
		Name:        "archive_document",
		Title:       "Archive document",
		Description: "Archives a document and all below it[; unarchive_document brings it back].",
		Endpoints:   []string{"documents.archive"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in documentIn) (archivedDocument, error) {
			document, err := archive(ctx, env, in.DocumentID)
			return archivedDocument{nameOf(document.DocumentSummary), "archived"}, err
		},
	}
}

type archivedDocument struct {
	documentName
	Status string `json:"status" const:"archived"`
}

func (d archivedDocument) WriteText(t *output.Text) { d.writeStatus(t, d.Status) }

// writeStatus writes the new status of a document.
func (n documentName) writeStatus(t *output.Text, status string) {
	t.Line("%s is %s, document_id %s", titleOf(n.Title), status, n.DocumentID)
}

// archive archives a document by any form of its ID. Outline rejects a document
// that is already archived; archive does not.
func archive(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := env.Outline.ParseDocumentID(given)
	if err != nil {
		return outline.Document{}, err
	}
	document, err := env.Outline.ArchiveDocument(ctx, id)
	if errors.Is(err, outline.ErrForbidden) {
		if now, readErr := env.Outline.Document(ctx, id); readErr == nil && now.ArchivedAt != nil && now.DeletedAt == nil {
			return now, nil
		}
	}
	return document, refused(ctx, env, id, err)
}

func unarchiveDocument() mcptool.Tool {
	return mcptool.Spec[archivedDocumentIn, activeDocument]{
		Name:        "unarchive_document",
		Title:       "Unarchive document",
		Description: "Brings an archived document back to where it was.[ For one in the trash use restore_document.]",
		Endpoints:   []string{"documents.restore", "documents.info"},
		Effect:      mcptool.Moves,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, _ archivedDocumentIn, document outline.Document) (activeDocument, error) {
			restored, err := unarchive(ctx, env, document)
			nowTopLevel := document.ParentDocumentID != "" && restored.ParentDocumentID == ""
			return activeDocument{nameOf(restored.DocumentSummary), "active", nowTopLevel}, err
		}),
	}
}

type archivedDocumentIn struct {
	DocumentID string `json:"document_id" names:"archived document" jsonschema:"UUID, slug or URL"`
}

func (in archivedDocumentIn) document() string { return in.DocumentID }

type activeDocument struct {
	documentName
	Status string `json:"status" const:"active"`

	NowTopLevel bool `json:"now_top_level,omitempty" jsonschema:"Its parent is gone"`
}

func (d activeDocument) WriteText(t *output.Text) {
	d.writeStatus(t, "active again")
	t.If(d.NowTopLevel).Line("It stands on the first level of its collection now, as its parent is not active.")
}

func unarchive(ctx context.Context, env mcptool.Env, document outline.Document) (outline.Document, error) {
	switch {
	case document.DeletedAt != nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is in the trash, not in the archive", Next: ": restore_document brings it back"}
	case document.ArchivedAt == nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is not archived: there is nothing to do"}
	}
	restored, err := env.Outline.RestoreDocument(ctx, document.ID, "")
	if errors.Is(err, outline.ErrNotFound) {
		// The document existed a moment ago, so it is the endpoint that an
		// old server does not have.
		restored, err = env.Outline.UnarchiveDocument(ctx, document.ID)
	}
	if errors.Is(err, outline.ErrInvalid) {
		failure := output.Invalid("its collection is archived or deleted (%s)", says(err))
		failure.Next = ": restore_document with a collection_id brings it back elsewhere"
		return document, failure
	}
	return restored, err
}

// says returns Outline's own message for an error, or what went wrong and what to
// do about it.
func says(err error) string {
	if cause, ok := errors.AsType[*outline.Error](explain.Advised(err)); ok {
		return output.Excerpt(cause.Message, 200)
	}
	return output.Excerpt(err.Error(), 200)
}

func listArchivedDocuments() mcptool.Tool {
	return mcptool.Spec[listArchivedIn, archivedList]{
		Name:        "list_archived_documents",
		Title:       "List archived documents",
		Description: "Returns archived documents, of one collection or all.",
		Endpoints:   []string{"documents.archived"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listArchivedIn) (archivedList, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return archivedList{}, err
			}
			page, err := env.Outline.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: collection, Limit: in.Limit, Offset: in.Offset})
			return archivedList{documentsOf(page.Items, in.paging, archivedEntryOf)}, err
		},
	}
}

type listArchivedIn struct {
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Only of this collection"`
	paging
}

type archivedEntry struct {
	documentName
	UpdatedAt  time.Time  `json:"updated_at"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
}

func archivedEntryOf(d outline.DocumentSummary) archivedEntry {
	return archivedEntry{nameOf(d), d.UpdatedAt, d.ArchivedAt}
}

func (e archivedEntry) write(t *output.Text) { e.writeWith(t, &e.UpdatedAt, e.ArchivedAt) }

type archivedList struct{ documentList[archivedEntry] }

func (l archivedList) WriteText(t *output.Text) { l.write(t, "in the archive", "updated, archived") }
