package tools

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"outline-mcp/output"
)

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
	first := map[reason]int{}
	for i, item := range results {
		if item.Status == "success" {
			answer.Succeeded++
			continue
		}
		answer.Failed++
		why := reason{item.Error, item.Code, item.RetryAfterSeconds}
		if before, ok := first[why]; ok {
			results[i].sameAs = &before
		} else {
			first[why] = i
		}
	}
	if answer.Succeeded == 0 {
		first := results[0]
		answer.Code = first.Code
		answer.Sentence = fmt.Sprintf("Nothing was %sd. First error: %s", operation, first.Error) // create, update, move, archive, delete
	}
	return answer
}

// longestError is the maximum length of an item's error in an answer, in
// characters.
const longestError = 500

// Cuts implements output.Cuttable. No item is left out; errors, titles, and IDs
// that are not UUIDs are shortened instead.
func (a *batchAnswer) Cuts() []output.Cut {
	return []output.Cut{{Units: longestError, Keep: func(n int) {
		a.Results = slices.Clone(a.Results)
		for i := range a.Results {
			item := &a.Results[i]
			item.Error, item.ID = output.Excerpt(item.Error, n), output.Excerpt(item.ID, max(n, len(uuid.Nil.String())))
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
	t.If(unguarded).Printf(", all guarded false")
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
			t.If(update.Revision > 0).Printf(", revision %d", update.Revision)
			t.If(update.EarlierRevisionID != "").Printf(", earlier_revision_id %s", update.EarlierRevisionID)
			t.If(update.Unchanged).Printf(", unchanged")
			t.If(!unguarded && update.Guarded != nil && !*update.Guarded).Printf(", guarded false")
			t.If(item.Note != "").Printf(". Note: %s", item.Note)
			t.Blank()
			continue
		}
		t.Printf("- %d FAILED", item.Index)
		if item.Title != nil {
			t.Printf(" %s", titleOf(*item.Title))
		}
		t.If(item.ID != "").Printf(" %s", output.OneLine(item.ID))
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
