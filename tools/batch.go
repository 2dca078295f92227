package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func batchUpdateDocuments() mcptool.Tool {
	return mcptool.Spec[batchUpdateIn, batchUpdate]{
		Name:        "batch_update_documents",
		Title:       "Update documents",
		Description: "Changes up to 100 Outline documents[ as update_document does].",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Run: func(ctx context.Context, env mcptool.Env, in batchUpdateIn) (batchUpdate, error) {
			b := newBatch(ctx, env, "update", entriesOf(in.Updates, updateItem.document))
			if err := b.confirm(ctx, "Update", "?", false, func(i int) string { return in.Updates[i].single().changes() + quoted(in.Updates[i].Text) }); err != nil {
				return batchUpdate{}, err
			}
			answer := b.run(ctx, mcptool.SideBySide, func(ctx context.Context, i int) (outline.Document, error) {
				update := in.Updates[i].single()
				if u := in.Updates[i]; u.ID != "" && u.ID != u.document() {
					return outline.Document{}, output.Invalid("document_id and id name different documents; give only document_id")
				}
				if err := mcptool.Validate(update); err != nil {
					return outline.Document{}, err
				}
				if b.shown != nil {
					update.confirmed = b.shown[i]
				}
				updated, note, err := update.apply(ctx, env)
				if err == nil {
					update := itemUpdate{Revision: updated.After.Revision, Unchanged: !changed(updated), Guarded: &updated.Guarded}
					if changed(updated) {
						update.earlier = earlierOf(updated)
					}
					b.results[i].Note, b.results[i].update = note, update
				}
				return updated.After, err
			})
			return newBatchUpdate(answer), nil
		},
	}
}

type batchUpdateIn struct {
	Updates []updateItem `json:"updates" minItems:"1" maxItems:"100"`
}

// Validate refuses items without an ID, by which callers know an item that failed.
func (in batchUpdateIn) Validate() error {
	if i := slices.IndexFunc(in.Updates, func(u updateItem) bool { return u.document() == "" }); i >= 0 {
		return fmt.Errorf("updates[%d].document_id is missing or blank", i)
	}
	return nil
}

type updateItem struct {
	DocumentID       string `json:"document_id,omitempty" jsonschema:"Required"`
	ID               string `json:"id,omitempty" jsonschema:"Same as document_id"`
	Title            string `json:"title,omitempty"`
	Text             string `json:"text,omitempty"`
	Append           bool   `json:"append,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1"`
	AllowShrink      bool   `json:"allow_shrink,omitempty"`
	Icon             string `json:"icon,omitempty" maxLength:"1000"`
	Publish          bool   `json:"publish,omitempty"`
	CollectionID     string `json:"collection_id,omitempty"`
}

func (u updateItem) document() string { return cmp.Or(u.DocumentID, u.ID) }

func (u updateItem) single() updateDocumentIn {
	in := updateDocumentIn{documentIn: documentIn{u.document()}, Title: u.Title, Text: u.Text, Append: u.Append, ExpectedRevision: u.ExpectedRevision,
		AllowShrink: u.AllowShrink, Icon: u.Icon, publishIn: publishIn{CollectionID: u.CollectionID}}
	if u.Publish { // false leaves a document as it is
		in.Publish = &u.Publish
	}
	return in
}

// batchIn holds the argument of tools that take several documents.
type batchIn struct {
	DocumentIDs []string `json:"document_ids" minItems:"1" maxItems:"100"`
}

// resolve puts IDs in place of titles, so that a title names the same document when the
// user is asked and when it is changed. What names no document is reported by its item.
func (in *batchIn) resolve(ctx context.Context, env mcptool.Env) {
	ids := slices.Clone(in.DocumentIDs)
	mcptool.Parallel(env.BatchConcurrency, len(ids), func(i int) {
		if id, err := documentID(ctx, env, ids[i]); err == nil {
			if _, malformed := env.Outline.ParseDocumentID(ids[i]); malformed != nil || looksLikeName(ids[i], ids[i]) {
				ids[i] = id
			}
		}
	})
	in.DocumentIDs = ids
}

func batchMoveDocuments() mcptool.Tool {
	return mcptool.Spec[batchMoveIn, batchMove]{
		Name:        "batch_move_documents",
		Title:       "Move documents",
		Description: "Moves up to 100 Outline documents to a collection or below another document, to the end, in this order.",
		Endpoints:   []string{"documents.move"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchMoveIn) (batchMove, error) {
			in.resolve(ctx, env)
			b := newBatch(ctx, env, "move", in.DocumentIDs)
			names := env.Collections.Begin(ctx)
			to, err := findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
			if err != nil {
				return batchMove{}, err
			}
			if err := b.confirm(ctx, "Move", to.toward(ctx, env)+"?", true, nil); err != nil {
				return batchMove{}, err
			}
			// Outline deadlocks on parallel moves.
			answer := b.run(ctx, mcptool.OneByOne, func(ctx context.Context, i int) (outline.Document, error) {
				document, err := fetchToChange(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document, err
				}
				return document, move(ctx, env, document, to, nil)
			})
			named := in.named(to)
			collection := names()[named.collectionID]
			return batchMove{
				batchAnswer:        answer,
				TargetCollectionID: named.collectionID, TargetCollectionName: collection.Name, TargetCollectionURLID: collection.URLID,
				TargetParentID: named.parentID, TargetParentTitle: named.parent.Title, TargetParentURLID: named.parent.URLID,
			}, nil
		},
	}
}

type batchMoveIn struct {
	batchIn
	targetIn
}

// Validate requires a target.
func (in batchMoveIn) Validate() error {
	if in.nowhere() {
		return errors.New("give collection_id or parent_document_id: there is nowhere to move to")
	}
	return nil
}

type batchMove struct {
	batchAnswer
	TargetCollectionID    string `json:"target_collection_id,omitempty" format:"uuid"`
	TargetCollectionName  string `json:"target_collection_name,omitempty"`
	TargetCollectionURLID string `json:"target_collection_url_id,omitempty"`
	TargetParentID        string `json:"target_parent_id,omitempty" format:"uuid"`
	TargetParentTitle     string `json:"target_parent_title,omitempty"`
	TargetParentURLID     string `json:"target_parent_url_id,omitempty"`
}

func (m batchMove) WriteText(t *output.Text) {
	m.batchAnswer.WriteText(t)
	to := home{CollectionID: m.TargetCollectionID, CollectionName: m.TargetCollectionName, CollectionURLID: m.TargetCollectionURLID}
	t.Line("Target%s%s", to.in(), parentName{m.TargetParentID, m.TargetParentTitle, m.TargetParentURLID}.after(" below "))
}

func batchArchiveDocuments() mcptool.Tool {
	return mcptool.Spec[batchIn, batchAnswer]{
		Name:        "batch_archive_documents",
		Title:       "Archive documents",
		Description: "Archives up to 100 Outline documents with their subpages.",
		Endpoints:   []string{"documents.archive"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchIn) (batchAnswer, error) {
			in.resolve(ctx, env)
			b := newBatch(ctx, env, "archive", in.DocumentIDs)
			if err := b.confirm(ctx, "Archive", "?", true, nil); err != nil {
				return batchAnswer{}, err
			}
			archived := make([]outline.DocumentSummary, len(in.DocumentIDs))
			answer := b.run(ctx, mcptool.SideBySide, func(ctx context.Context, i int) (outline.Document, error) {
				document, err := archive(ctx, env, in.DocumentIDs[i])
				archived[i] = document.DocumentSummary
				return document, err
			})
			answer.noteArchivedBelow(ctx, env, archived)
			return answer, nil
		},
	}
}

func batchDeleteDocuments() mcptool.Tool {
	return mcptool.Spec[batchDeleteIn, batchDeletion]{
		Name:        "batch_delete_documents",
		Title:       "Delete documents",
		Description: "Moves up to 100 Outline documents to the trash, with their subpages.",
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, in batchDeleteIn) (batchDeletion, error) {
			given := slices.Clone(in.DocumentIDs)
			in.resolve(ctx, env)
			b := newBatch(ctx, env, "delete", in.DocumentIDs)
			do, rest := "Move", " to the trash?"
			if in.Permanent {
				if err := checkMayErase(ctx, env); err != nil {
					return batchDeletion{}, err
				}
				do, rest = "Permanently delete", "? This cannot be undone. What is below them goes to the trash."
			}
			if err := b.confirm(ctx, do, rest, true, nil); err != nil {
				return batchDeletion{}, err
			}
			arrange := mcptool.SideBySide
			if in.Permanent {
				arrange = mcptool.OneByOne // Outline deadlocks on parallel ones
			}
			trees := collectionTrees{env: env, trees: map[string]func() []outline.Node{}}
			below := make([][]outline.Node, len(in.DocumentIDs))
			answer := b.run(ctx, arrange, func(ctx context.Context, i int) (outline.Document, error) {
				document, err := fetchToChange(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document, err
				}
				if in.Permanent {
					if err := checkExactTitle(env, given[i], document); err != nil {
						return document, err
					}
				}
				below[i] = trees.below(ctx, document)
				if err = trash(ctx, env, document); err == nil && in.Permanent {
					err = erase(ctx, env, document.ID)
				}
				if errors.Is(err, errOnlyAdmins) {
					b.Stop("only an admin's key may delete permanently", 0)
				}
				if errors.Is(err, outline.ErrForbidden) && !in.Permanent {
					// It may have moved to the trash with its parent in
					// the meantime.
					if now, readErr := env.Outline.Document(ctx, document.ID); readErr == nil && now.DeletedAt != nil {
						err = nil
					}
				}
				return document, err
			})
			answer.noteDeletedBelow(below, in.Permanent)
			return batchDeletion{answer, in.Permanent}, nil
		},
	}
}

type batchDeleteIn struct {
	batchIn
	Permanent bool `json:"permanent,omitempty" jsonschema:"Cannot be undone; admins only; exact titles"`
}

type batchDeletion struct {
	batchAnswer
	Permanent bool `json:"permanent"`
}

func (d batchDeletion) WriteText(t *output.Text) {
	d.batchAnswer.WriteText(t)
	switch {
	case d.Succeeded == 0:
	case d.Permanent:
		t.Line("Permanently deleted.")
	default:
		t.Advice("Now in the trash[; restore_document brings them back, one by one].")
	}
}
