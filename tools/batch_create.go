package tools

import (
	"context"
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
			// Items run side by side: each has its ID before, so that a call that is repeated
			// gives it the same.
			ids := make([]string, len(in.Documents))
			for i := range ids {
				ids[i] = env.NewID()
			}
			siblings := map[place]*int{} // number of documents created at each place; only the queue of the place uses it
			for _, p := range places {
				siblings[p] = new(int)
			}
			answer := b.run(ctx, siblingsInOrder(in.Documents, places), func(ctx context.Context, i int) (outline.Document, error) {
				request, created := in.Documents[i].single().request(ids[i], places[i]), siblings[places[i]]
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
	Title            string `json:"title,omitempty" jsonschema:"Required; up to 100 characters"`
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

// findPlaces returns the place of each item and requests each target only once,
// several at a time.
// Items that cannot be created fail here, before any document is created.
func findPlaces(ctx context.Context, b *documentBatch, items []createItem) []place {
	type target struct{ collection, parent string }
	type found struct {
		place
		err error
	}
	known := map[target]*found{}
	var targets []target
	of := make([]target, len(items))
	for i, item := range items {
		b.results[i].Title = new(output.Label(item.Title))
		if err := mcptool.Validate(item.single()); err != nil {
			b.fail(i, err)
			continue
		}
		of[i] = target{item.CollectionID, item.ParentDocumentID}
		if known[of[i]] == nil {
			known[of[i]] = &found{}
			targets = append(targets, of[i])
		}
	}
	batch.Parallel(b.env.BatchConcurrency, len(targets), func(n int) {
		to, at := targets[n], known[targets[n]]
		if at.err = b.MayNotStart(ctx); at.err == nil {
			at.place, at.err = findPlace(ctx, b.env, to.collection, to.parent)
		}
	})
	places := make([]place, len(items))
	for i := range items {
		if b.results[i].Status != "" {
			continue
		}
		at := known[of[i]]
		if places[i] = at.place; at.err != nil {
			b.fail(i, at.err)
		}
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
