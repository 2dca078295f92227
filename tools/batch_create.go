package tools

import (
	"context"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func batchCreateDocuments() mcptool.Tool {
	return mcptool.Spec[batchCreateIn, batchCreation]{
		Name:        "batch_create_documents",
		Title:       "Create documents",
		Description: "Creates documents as create_document does; siblings keep the order given. Outline allows 25 a minute.",
		Group:       Batch,
		Endpoints:   []string{"documents.create"},
		Effect:      mcptool.Adds,
		Run: func(ctx context.Context, env mcptool.Env, in batchCreateIn) (batchCreation, error) {
			b := newBatch(ctx, env, "create", make([]string, len(in.Documents)))
			places := b.findPlaces(ctx, in.Documents)
			next := map[place]int{} // the index of the next sibling; a place is worked on by one lane
			b.run(ctx, b.siblings(in.Documents, places), func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error) {
				request := in.Documents[i].single().request(env.NewID(), places[i])
				if request.Publish {
					b.mu.Lock()
					request.Index = new(next[places[i]])
					b.mu.Unlock()
				}
				document, err := create(ctx, env, request)
				if request.Publish && (err == nil || outline.OutcomeUnknown(err)) {
					b.mu.Lock()
					next[places[i]]++
					b.mu.Unlock()
				}
				return document.DocumentSummary, err
			})
			created := batchCreation{batchAnswer: b.answer(), CreatedIDs: []string{}}
			for _, item := range created.Results {
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

// findPlaces resolves where each item goes, asking once for each target. Items
// that cannot be created fail here, before anything is.
func (b *batch) findPlaces(ctx context.Context, items []createItem) []place {
	places := make([]place, len(items))
	type target struct{ collection, parent string }
	known := map[target]place{}
	failed := map[target]error{}
	for i, item := range items {
		b.results[i].Title = &item.Title
		if reason := b.mayNotStart(ctx); reason != nil {
			b.fail(i, "", *reason)
			continue
		}
		if err := item.single().Validate(); err != nil {
			b.fail(i, "", output.Invalid("%s", err))
			continue
		}
		to := target{item.CollectionID, item.ParentDocumentID}
		if _, ok := known[to]; !ok && failed[to] == nil {
			known[to], failed[to] = findPlace(ctx, b.env, to.collection, to.parent)
		}
		if failed[to] != nil {
			b.fail(i, "", failed[to])
		}
		places[i] = known[to]
	}
	return places
}

// siblings makes a lane of the published items of each place, in order, and
// one of each draft: drafts have no siblings.
func (b *batch) siblings(items []createItem, places []place) [][]int {
	var lanes [][]int
	lane := map[place]int{}
	for _, each := range b.each() {
		i := each[0]
		if !items[i].Publish {
			lanes = append(lanes, each)
			continue
		}
		n, ok := lane[places[i]]
		if !ok {
			n = len(lanes)
			lane[places[i]] = n
			lanes = append(lanes, nil)
		}
		lanes[n] = append(lanes[n], i)
	}
	return lanes
}

type batchCreation struct {
	batchAnswer
	CreatedIDs []string `json:"created_ids"`
}

// WriteText implements output.Result. The IDs stand with their titles.
func (c batchCreation) WriteText(t *output.Text) { c.write(t) }

// Units counts the characters of the longest error.
func (c batchCreation) Units() int { return longestError }

// Cut shortens what is said of each item.
func (c batchCreation) Cut(n int) output.Result {
	c.batchAnswer = c.cut(n)
	return c
}
