package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func batchCreateDocuments() mcptool.Tool {
	return mcptool.Spec[batchCreateIn, batchCreation]{
		Name:        "batch_create_documents",
		Title:       "Create documents",
		Description: "Creates up to 100 Outline documents[ as create_document does], in the order given. Outline allows 25 a minute.",
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
	Title            string `json:"title,omitempty" jsonschema:"Required; at most 100"`
	CollectionID     string `json:"collection_id,omitempty"`
	Text             string `json:"text,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
	Publish          bool   `json:"publish,omitempty" default:"true"`
}

func (c createItem) single() createDocumentIn {
	return createDocumentIn{Title: c.Title, CollectionID: c.CollectionID, Text: c.Text, ParentDocumentID: c.ParentDocumentID, Publish: c.Publish}
}

// confirmCreates asks the user for all documents that can be created.
func confirmCreates(ctx context.Context, b *documentBatch, items []createItem, places []place) error {
	return b.Env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		var lines []string
		for i, item := range items {
			if b.results[i].Status != "" {
				continue // it has failed
			}
			line := "- " + titleOf(item.Title) + places[i].at(ctx, b.Env)
			if !item.Publish {
				line += ", as a draft"
			}
			lines = append(lines, line+quoted(item.Text))
		}
		return elicit.Question{Text: "Create " + output.Count(len(lines), "document", "documents") + "?", Details: strings.Join(lines, "\n")}, nil
	})
}

// findPlaces returns the place of each item and requests each target only once,
// several at a time.
// Items that cannot be created fail here, before any document is created.
func findPlaces(ctx context.Context, b *documentBatch, items []createItem) []place {
	type target struct{ collection, parent string }
	first := map[target]int{} // the first item with a target
	var firsts []int
	for i, item := range items {
		b.results[i].Title = new(output.Label(item.Title))
		if err := mcptool.Validate(item.single()); err != nil {
			b.fail(i, err)
			continue
		}
		to := target{item.CollectionID, item.ParentDocumentID}
		if _, known := first[to]; !known {
			first[to] = i
			firsts = append(firsts, i)
		}
	}
	places, errs := make([]place, len(items)), make([]error, len(items))
	mcptool.Parallel(b.Env.BatchConcurrency, len(firsts), func(n int) {
		i := firsts[n]
		if errs[i] = b.MayNotStart(ctx); errs[i] == nil {
			places[i], errs[i] = findPlace(ctx, b.Env, items[i].CollectionID, items[i].ParentDocumentID)
		}
	})
	for i, item := range items {
		if b.results[i].Status != "" {
			continue
		}
		same := first[target{item.CollectionID, item.ParentDocumentID}]
		if places[i] = places[same]; errs[same] != nil {
			b.fail(i, errs[same])
		}
	}
	return places
}

// siblingsInOrder puts the published items of each place into one queue, in the
// order given. Drafts have no siblings, so each has its own queue.
func siblingsInOrder(items []createItem, places []place) mcptool.Arrangement {
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

// batchAnswer is the result of every batch tool. If all items failed it also
// has an error and a code, and counts as a failure.
type batchAnswer struct {
	Operation string      `json:"operation"`
	Total     int         `json:"total"`
	Succeeded int         `json:"succeeded"`
	Failed    int         `json:"failed"`
	Results   []batchItem `json:"results"`
	Sentence  string      `json:"error,omitempty"`
	Code      output.Code `json:"code,omitempty"`
}

// batchItem is the outcome of one item.
type batchItem struct {
	Index             int         `json:"index"`
	ID                string      `json:"id,omitempty" jsonschema:"UUID, or as given"`
	Status            string      `json:"status" enum:"success,failed"`
	Title             *string     `json:"title,omitempty"`
	URLID             string      `json:"url_id,omitempty"`
	URL               string      `json:"url,omitempty" format:"uri"`
	Note              string      `json:"note,omitempty"`
	Error             string      `json:"error,omitempty"`
	Code              output.Code `json:"code,omitempty"`
	RetryAfterSeconds float64     `json:"retry_after_seconds,omitempty"`

	update itemUpdate
	sameAs *int // index of the first item with the same failure; nil if this is the first
}

// itemUpdate is what only updates say about an item that succeeded.
type itemUpdate struct {
	Revision  int   `json:"revision,omitempty"`
	Unchanged bool  `json:"unchanged,omitempty"`
	Guarded   *bool `json:"guarded,omitempty"`
	earlier
}

// batchUpdate is the result of batch_update_documents.
type batchUpdate struct {
	batchAnswer
	Results []updatedItem `json:"results"` // instead of those of batchAnswer
}

type updatedItem struct {
	batchItem
	itemUpdate
}

func newBatchUpdate(answer batchAnswer) batchUpdate {
	return batchUpdate{answer, entriesOf(answer.Results, func(item batchItem) updatedItem { return updatedItem{item, item.update} })}
}

// Cuts implements output.Cuttable.
func (u *batchUpdate) Cuts() []output.Cut {
	cut := u.batchAnswer.Cuts()[0]
	return []output.Cut{{Units: cut.Units, Keep: func(n int) {
		cut.Keep(n)
		*u = newBatchUpdate(u.batchAnswer)
	}}}
}

// newBatchAnswer returns the result of a batch with these outcomes.
func newBatchAnswer(operation string, results []batchItem) batchAnswer {
	answer := batchAnswer{Operation: operation, Total: len(results), Results: results}
	type reason struct {
		sentence string
		code     output.Code
		wait     float64
	}
	first, outcome := map[reason]int{}, fmt.Sprintf("Nothing was %sd.", operation) // create, update, move, archive, delete
	for i, item := range results {
		if item.Status == "success" {
			answer.Succeeded++
			continue
		}
		answer.Failed++
		if item.Code == output.OutcomeUnknown || item.Code == output.WriteMismatch {
			outcome = "No item is known to have succeeded."
		}
		why := reason{item.Error, item.Code, item.RetryAfterSeconds}
		if before, ok := first[why]; ok {
			results[i].sameAs = &before
		} else {
			first[why] = i
		}
	}
	if answer.Succeeded == 0 {
		answer.Code, answer.Sentence = results[0].Code, outcome+" First error: "+results[0].Error
	}
	return answer
}

// longestError is the maximum length of an item's error in an answer, in
// characters.
const longestError = 500

// Cuts implements output.Cuttable. No item is left out; errors, titles, and IDs
// that are not UUIDs are shortened instead, and URLs left out.
func (a *batchAnswer) Cuts() []output.Cut {
	return []output.Cut{{Units: longestError, Keep: func(n int) {
		a.Results = slices.Clone(a.Results)
		for i := range a.Results {
			item := &a.Results[i]
			item.URL = ""
			item.Error, item.Note, item.ID = output.Excerpt(item.Error, n), output.Excerpt(item.Note, n), output.Excerpt(item.ID, max(n, len(uuid.Nil.String())))
			if item.Title != nil {
				item.Title = new(output.Excerpt(*item.Title, n))
			}
		}
		a.Sentence = output.Excerpt(a.Sentence, max(n, 60))
	}}}
}

// FailureCode returns the code of a batch in which every item failed, otherwise
// "".
func (a batchAnswer) FailureCode() output.Code { return a.Code }

// Items returns how many items succeeded and how many failed.
func (a batchAnswer) Items() (succeeded, failed int) { return a.Succeeded, a.Failed }

// AllFailed reports whether every item failed.
func (a batchAnswer) AllFailed() bool { return a.Succeeded == 0 }

// unguarded reports whether several items succeeded and none of them was guarded,
// which is then said once.
func (a batchAnswer) unguarded() bool {
	guarded := func(item batchItem) bool {
		return item.Status == "success" && (item.update.Guarded == nil || *item.update.Guarded)
	}
	return a.Succeeded > 1 && !slices.ContainsFunc(a.Results, guarded)
}

// WriteText writes a line for each item. A failure shared by several items is
// written once.
func (a batchAnswer) WriteText(t *output.Text) {
	unguarded := a.unguarded()
	t.Printf("# %s: %d of %d succeeded, %d failed", a.Operation, a.Succeeded, a.Total, a.Failed)
	t.If(unguarded).Printf(", all %s", notGuarded)
	t.Blank()
	t.If(a.Sentence != "").Line("%s (code %s)", a.Sentence, a.Code)
	t.Blank()
	undoable := false
	for i, item := range a.Results {
		update := item.update
		undoable = undoable || update.EarlierRevisionID != ""
		if item.Status == "success" {
			t.Printf("- %d ", item.Index)
			documentName{item.ID, *item.Title, item.URLID}.write(t)
			t.If(a.Operation == "create" && item.URL != "").Printf(", %s", item.URL)
			t.If(update.Revision > 0).Printf(", revision %d", update.Revision)
			t.If(update.EarlierRevisionID != "").Printf(", earlier_revision_id %s", update.EarlierRevisionID)
			t.If(update.Unchanged).Printf(", unchanged")
			t.If(!unguarded && update.Guarded != nil && !*update.Guarded).Printf(", %s", notGuarded)
			t.If(item.Note != "").Printf(". Note: %s", item.Note)
			t.Blank()
			continue
		}
		t.Printf("- %d FAILED", item.Index)
		if item.Title != nil {
			t.Printf(" %s", titleOf(*item.Title))
		}
		t.If(item.ID != "").Printf(" %s", output.OneLine(cmp.Or(item.URLID, item.ID)))
		if item.sameAs != nil {
			t.Line(": the same as %d", *item.sameAs)
			continue
		}
		told := i == 0 && a.Sentence != "" // above
		t.If(!told && item.Error != output.Ellipsis).Printf(": %s", item.Error)
		t.Printf(" (code %s", item.Code)
		t.If(item.RetryAfterSeconds > 0).Printf(", retry_after_seconds %g", item.RetryAfterSeconds)
		t.Line(")")
	}
	t.If(undoable).Advice("To undo one: restore_document with its earlier_revision_id as revision_id.")
}
