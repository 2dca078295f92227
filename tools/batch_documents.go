package tools

import (
	"context"
	"errors"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func batchTools() []mcptool.Tool {
	return []mcptool.Tool{batchCreateDocuments(), batchUpdateDocuments(), batchMoveDocuments(), batchArchiveDocuments(), batchDeleteDocuments()}
}

func batchUpdateDocuments() mcptool.Tool {
	return mcptool.Spec[batchUpdateIn, batchResult]{
		Name:        "batch_update_documents",
		Title:       "Update documents",
		Description: "Changes documents as update_document does.",
		Group:       Batch,
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Run: func(ctx context.Context, env mcptool.Env, in batchUpdateIn) (batchResult, error) {
			given := make([]string, len(in.Updates))
			for i, update := range in.Updates {
				given[i] = update.ID
			}
			b := newBatch(ctx, env, "update", given)
			b.failRepeated(ctx)
			b.run(ctx, b.each(), func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error) {
				update := in.Updates[i].single()
				if err := update.Validate(); err != nil {
					return outline.DocumentSummary{}, output.Invalid("%s", err)
				}
				updated, err := update.apply(ctx, env)
				if err == nil {
					b.note(i, updated.After.Revision, changed(updated))
				}
				return updated.After.DocumentSummary, err
			})
			return batchResult{b.answer()}, nil
		},
	}
}

type batchUpdateIn struct {
	Updates []updateItem `json:"updates" minItems:"1" maxItems:"100"`
}

type updateItem struct {
	ID               string `json:"id" jsonschema:"UUID, slug or URL"`
	Title            string `json:"title,omitempty"`
	Text             string `json:"text,omitempty"`
	Append           bool   `json:"append,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1"`
	AllowShrink      bool   `json:"allow_shrink,omitempty"`
}

func (u updateItem) single() updateDocumentIn {
	return updateDocumentIn{DocumentID: u.ID, Title: u.Title, Text: u.Text, Append: u.Append, ExpectedRevision: u.ExpectedRevision, AllowShrink: u.AllowShrink}
}

// batchResult is the answer of a batch that has nothing more to say.
type batchResult struct {
	batchAnswer
}

// WriteText implements output.Result.
func (r batchResult) WriteText(t *output.Text) { r.write(t) }

func batchArchiveDocuments() mcptool.Tool {
	return mcptool.Spec[batchIn, batchResult]{
		Name:        "batch_archive_documents",
		Title:       "Archive documents",
		Description: "Archives documents as archive_document does.",
		Group:       Batch,
		Endpoints:   []string{"documents.archive"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchIn) (batchResult, error) {
			b := newBatch(ctx, env, "archive", in.DocumentIDs)
			b.failRepeated(ctx)
			b.run(ctx, b.each(), func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error) {
				document, err := archive(ctx, env, in.DocumentIDs[i])
				return document.DocumentSummary, err
			})
			return batchResult{b.answer()}, nil
		},
	}
}

type batchIn struct {
	DocumentIDs []string `json:"document_ids" minItems:"1" maxItems:"100" jsonschema:"UUID, slug or URL of each"`
}

func batchDeleteDocuments() mcptool.Tool {
	return mcptool.Spec[batchDeleteIn, batchDeletion]{
		Name:        "batch_delete_documents",
		Title:       "Delete documents",
		Description: "Deletes documents as delete_document does.",
		Group:       Batch,
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, in batchDeleteIn) (batchDeletion, error) {
			b := newBatch(ctx, env, "delete", in.DocumentIDs)
			b.failRepeated(ctx)
			lanes := b.each()
			if in.Permanent {
				lanes = b.sequence() // side by side they deadlock Outline
			}
			b.run(ctx, lanes, func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error) {
				document, err := fetchDocument(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document.DocumentSummary, err
				}
				err = remove(ctx, env, document, in.Permanent)
				if errors.Is(err, errOnlyAdmins) {
					b.stopFor("only an admin's key may delete for good")
				}
				if errors.Is(err, outline.ErrForbidden) && !in.Permanent {
					// It may have gone to the trash with its parent meanwhile.
					if now, readErr := env.Outline.Document(ctx, document.ID); readErr == nil && now.DeletedAt != nil {
						err = nil
					}
				}
				return document.DocumentSummary, err
			})
			return batchDeletion{b.answer(), in.Permanent}, nil
		},
	}
}

type batchDeleteIn struct {
	DocumentIDs []string `json:"document_ids" minItems:"1" maxItems:"100" jsonschema:"UUID, slug or URL of each"`
	Permanent   bool     `json:"permanent,omitempty"`
}

type batchDeletion struct {
	batchAnswer
	Permanent bool `json:"permanent"`
}

// WriteText implements output.Result.
func (d batchDeletion) WriteText(t *output.Text) {
	d.write(t)
	if d.Permanent {
		t.Line("permanent true")
	} else if d.Succeeded > 0 {
		t.Line("Deleted documents are in the trash (permanent false).")
	}
}

func batchMoveDocuments() mcptool.Tool {
	return mcptool.Spec[batchMoveIn, batchMove]{
		Name:        "batch_move_documents",
		Title:       "Move documents",
		Description: "Moves documents into a collection or under a parent, last and in the order given.",
		Group:       Batch,
		Endpoints:   []string{"documents.move"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchMoveIn) (batchMove, error) {
			b := newBatch(ctx, env, "move", in.DocumentIDs)
			to, err := findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
			if err != nil {
				return batchMove{}, err
			}
			b.failRepeated(ctx)
			// One at a time: side by side, moves deadlock Outline.
			b.run(ctx, b.sequence(), func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error) {
				document, err := fetchDocument(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document.DocumentSummary, err
				}
				return document.DocumentSummary, move(ctx, env, document, to, nil)
			})
			moved := batchMove{batchAnswer: b.answer()}
			if in.CollectionID != "" {
				moved.TargetCollectionID = to.collectionID
			}
			if in.ParentDocumentID != "" {
				moved.TargetParentID = to.parentID
			}
			return moved, nil
		},
	}
}

type batchMoveIn struct {
	DocumentIDs      []string `json:"document_ids" minItems:"1" maxItems:"100" jsonschema:"UUID, slug or URL of each"`
	CollectionID     string   `json:"collection_id,omitempty" jsonschema:"Collection to move to"`
	ParentDocumentID string   `json:"parent_document_id,omitempty" jsonschema:"To nest under"`
}

// Validate refuses a move to nowhere.
func (in batchMoveIn) Validate() error {
	if in.CollectionID == "" && in.ParentDocumentID == "" {
		return errors.New("give collection_id or parent_document_id: there is nowhere to move to")
	}
	return nil
}

type batchMove struct {
	batchAnswer
	TargetCollectionID string `json:"target_collection_id,omitempty" format:"uuid"`
	TargetParentID     string `json:"target_parent_id,omitempty" format:"uuid"`
}

// WriteText implements output.Result.
func (m batchMove) WriteText(t *output.Text) {
	m.write(t)
	if m.TargetCollectionID != "" {
		t.Line("Target collection_id %s", m.TargetCollectionID)
	}
	if m.TargetParentID != "" {
		t.Line("Target parent_document_id %s", m.TargetParentID)
	}
}

// Units counts the characters of the longest error.
func (r batchResult) Units() int { return longestError }

// Cut shortens what is said of each item.
func (r batchResult) Cut(n int) output.Result {
	r.batchAnswer = r.cut(n)
	return r
}

// Units counts the characters of the longest error.
func (d batchDeletion) Units() int { return longestError }

// Cut shortens what is said of each item.
func (d batchDeletion) Cut(n int) output.Result {
	d.batchAnswer = d.cut(n)
	return d
}

// Units counts the characters of the longest error.
func (m batchMove) Units() int { return longestError }

// Cut shortens what is said of each item.
func (m batchMove) Cut(n int) output.Result {
	m.batchAnswer = m.cut(n)
	return m
}
