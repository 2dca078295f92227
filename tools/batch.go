package tools

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"outline-mcp/internal/batch"
	"outline-mcp/internal/confirm"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func batchCreateDocuments() mcptool.Tool {
	return mcptool.Spec[batchCreateIn, batchCreation]{
		Name:        "batch_create_documents",
		Title:       "Create documents",
		Description: "Creates up to 100 Outline documents[ as create_document does]; siblings keep the order given. Outline allows 25 a minute.",
		Endpoints:   []string{"documents.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in batchCreateIn) (batchCreation, error) {
			b := newBatch(ctx, env, "create", make([]string, len(in.Documents)))
			places := findPlaces(ctx, b, in.Documents)
			if err := confirmCreates(ctx, b, in.Documents, places); err != nil {
				return batchCreation{}, err
			}
			siblings := map[place]*int{} // number of documents created at each place; only the queue of the place uses it
			for _, p := range places {
				siblings[p] = new(int)
			}
			answer := b.run(ctx, siblingsInOrder(in.Documents, places), func(ctx context.Context, i int) (outline.Document, error) {
				request, created := in.Documents[i].single().request(env.NewID(), places[i]), siblings[places[i]]
				if request.Publish {
					request.Index = new(*created)
				}
				document, note, err := create(ctx, env, request)
				b.results[i].Note = note
				if request.Publish && document.ID != "" { // even if it differs, or may not exist
					*created++
				}
				return document, err
			})
			created := batchCreation{answer, []string{}}
			for _, item := range answer.Results {
				if item.Status == "success" {
					created.CreatedIDs = append(created.CreatedIDs, item.ID)
				}
			}
			return created, nil
		},
	}
}

type batchCreateIn struct {
	Documents []createItem `json:"documents" minItems:"1" maxItems:"100"`
}

type createItem struct {
	Title            string `json:"title,omitempty" jsonschema:"Required, at most 100 characters"`
	CollectionID     string `json:"collection_id,omitempty"`
	Text             string `json:"text,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
	Publish          bool   `json:"publish,omitempty" default:"true"`
}

func (c createItem) single() createDocumentIn {
	return createDocumentIn{Title: c.Title, CollectionID: c.CollectionID, Text: c.Text, ParentDocumentID: c.ParentDocumentID, Publish: c.Publish}
}

// confirmCreates asks the person for all documents that can be created.
func confirmCreates(ctx context.Context, b *documentBatch, items []createItem, places []place) error {
	return b.env.Person.Confirm(ctx, func(ctx context.Context) (confirm.Question, error) {
		var lines []string
		for i, item := range items {
			if b.results[i].Status != "" {
				continue // it has failed
			}
			line := "- " + titleOf(item.Title) + places[i].at(ctx, b.env)
			if !item.Publish {
				line += ", as a draft"
			}
			lines = append(lines, line)
		}
		return confirm.Question{Text: "Create " + output.Count(len(lines), "document", "documents") + "?", Details: strings.Join(lines, "\n")}, nil
	})
}

// findPlaces returns the place of each item and requests each target only once.
// Items that cannot be created fail here, before any document is created.
func findPlaces(ctx context.Context, b *documentBatch, items []createItem) []place {
	places := make([]place, len(items))
	type target struct{ collection, parent string }
	type found struct {
		place
		err error
	}
	known := map[target]found{}
	for i, item := range items {
		b.results[i].Title = new(output.Label(item.Title))
		if reason := b.MayNotStart(ctx); reason != nil {
			b.fail(i, reason)
			continue
		}
		if err := mcptool.Validate(item.single()); err != nil {
			b.fail(i, err)
			continue
		}
		to := target{item.CollectionID, item.ParentDocumentID}
		at, ok := known[to]
		if !ok {
			at.place, at.err = findPlace(ctx, b.env, to.collection, to.parent)
			known[to] = at
		}
		if at.err != nil {
			b.fail(i, at.err)
		}
		places[i] = at.place
	}
	return places
}

// siblingsInOrder puts the published items of each place into one queue, in the
// order given. Drafts have no siblings, so each has its own queue.
func siblingsInOrder(items []createItem, places []place) batch.Arrangement {
	return func(pending []int) (queues [][]int) {
		queueOf := map[place]int{}
		for _, i := range pending {
			n, ok := queueOf[places[i]]
			switch {
			case !items[i].Publish:
				queues = append(queues, []int{i})
			case ok:
				queues[n] = append(queues[n], i)
			default:
				queueOf[places[i]] = len(queues)
				queues = append(queues, []int{i})
			}
		}
		return queues
	}
}

type batchCreation struct {
	batchAnswer
	CreatedIDs []string `json:"created_ids"` // in text, next to the titles
}

func batchUpdateDocuments() mcptool.Tool {
	return mcptool.Spec[batchUpdateIn, batchUpdate]{
		Name:        "batch_update_documents",
		Title:       "Update documents",
		Description: "Changes up to 100 Outline documents[ as update_document does].",
		Endpoints:   []string{"documents.update", "documents.info"},
		Effect:      mcptool.Changes,
		Run: func(ctx context.Context, env mcptool.Env, in batchUpdateIn) (batchUpdate, error) {
			b := newBatch(ctx, env, "update", entriesOf(in.Updates, updateItem.document))
			if err := b.confirm(ctx, "Update", "?", false, func(i int) string { return in.Updates[i].single().changes() }); err != nil {
				return batchUpdate{}, err
			}
			answer := b.run(ctx, batch.SideBySide, func(ctx context.Context, i int) (outline.Document, error) {
				update := in.Updates[i].single()
				if u := in.Updates[i]; u.ID != "" && u.ID != u.document() {
					return outline.Document{}, output.Invalid("document_id and id name different documents; give only document_id")
				}
				if err := mcptool.Validate(update); err != nil {
					return outline.Document{}, err
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

type updateItem struct {
	DocumentID       string `json:"document_id,omitempty" jsonschema:"Required: ID or URL"`
	ID               string `json:"id,omitempty" jsonschema:"Same as document_id"`
	Title            string `json:"title,omitempty"`
	Text             string `json:"text,omitempty"`
	Append           bool   `json:"append,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1"`
	AllowShrink      bool   `json:"allow_shrink,omitempty"`
	Icon             string `json:"icon,omitempty"`
	Publish          bool   `json:"publish,omitempty"`
	CollectionID     string `json:"collection_id,omitempty"`
}

func (u updateItem) document() string { return cmp.Or(u.DocumentID, u.ID) }

func (u updateItem) single() updateDocumentIn {
	return updateDocumentIn{documentIn: documentIn{u.document()}, Title: u.Title, Text: u.Text, Append: u.Append, ExpectedRevision: u.ExpectedRevision, AllowShrink: u.AllowShrink,
		Icon: u.Icon, publishIn: publishing(u.Publish, u.CollectionID)}
}

// batchIn holds the argument of tools that take several documents.
type batchIn struct {
	DocumentIDs []string `json:"document_ids" minItems:"1" maxItems:"100" jsonschema:"IDs or URLs"`
}

func batchMoveDocuments() mcptool.Tool {
	return mcptool.Spec[batchMoveIn, batchMove]{
		Name:        "batch_move_documents",
		Title:       "Move documents",
		Description: "Moves up to 100 Outline documents to a collection or below another document. They become the last ones there, in the order given.",
		Endpoints:   []string{"documents.move"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchMoveIn) (batchMove, error) {
			b := newBatch(ctx, env, "move", in.DocumentIDs)
			names := env.Collections.Begin(ctx)
			to, err := findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
			if err != nil {
				return batchMove{}, err
			}
			if err := b.confirm(ctx, "Move", " to a place"+to.at(ctx, env)+"?", true, nil); err != nil {
				return batchMove{}, err
			}
			// Outline deadlocks on parallel moves.
			answer := b.run(ctx, batch.OneByOne, func(ctx context.Context, i int) (outline.Document, error) {
				document, err := fetchDocument(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document, err
				}
				return document, move(ctx, env, document, to, nil)
			})
			named := in.named(to)
			collection := names()[named.collectionID]
			return batchMove{answer, named.collectionID, collection.Name, collection.URLID, named.parentID, named.parent.Title, named.parent.URLID}, nil
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
	t.Printf("Target")
	home{CollectionID: m.TargetCollectionID, CollectionName: m.TargetCollectionName, CollectionURLID: m.TargetCollectionURLID}.write(t)
	if m.TargetParentID != "" {
		t.Printf(" below ")
		documentName{m.TargetParentID, m.TargetParentTitle, m.TargetParentURLID}.write(t)
	}
	t.Blank()
}

func batchArchiveDocuments() mcptool.Tool {
	return mcptool.Spec[batchIn, batchAnswer]{
		Name:        "batch_archive_documents",
		Title:       "Archive documents",
		Description: "Archives up to 100 Outline documents[ as archive_document does].",
		Endpoints:   []string{"documents.archive"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in batchIn) (batchAnswer, error) {
			b := newBatch(ctx, env, "archive", in.DocumentIDs)
			if err := b.confirm(ctx, "Archive", "?", true, nil); err != nil {
				return batchAnswer{}, err
			}
			return b.run(ctx, batch.SideBySide, func(ctx context.Context, i int) (outline.Document, error) {
				return archive(ctx, env, in.DocumentIDs[i])
			}), nil
		},
	}
}

func batchDeleteDocuments() mcptool.Tool {
	return mcptool.Spec[batchDeleteIn, batchDeletion]{
		Name:        "batch_delete_documents",
		Title:       "Delete documents",
		Description: "Moves up to 100 Outline documents to the trash[ as delete_document does].",
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, in batchDeleteIn) (batchDeletion, error) {
			b := newBatch(ctx, env, "delete", in.DocumentIDs)
			do, rest := "Move", " to the trash?"
			if in.Permanent {
				do, rest = "Permanently delete", "? This cannot be undone. What is below them goes to the trash."
			}
			if err := b.confirm(ctx, do, rest, true, nil); err != nil {
				return batchDeletion{}, err
			}
			arrange := batch.SideBySide
			if in.Permanent {
				arrange = batch.OneByOne // Outline deadlocks on parallel ones
			}
			answer := b.run(ctx, arrange, func(ctx context.Context, i int) (outline.Document, error) {
				document, err := fetchDocument(ctx, env, in.DocumentIDs[i])
				if err != nil {
					return document, err
				}
				err = remove(ctx, env, document, in.Permanent)
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
			return batchDeletion{answer, in.Permanent}, nil
		},
	}
}

type batchDeleteIn struct {
	batchIn
	Permanent bool `json:"permanent,omitempty" jsonschema:"Cannot be undone; admins only"`
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
