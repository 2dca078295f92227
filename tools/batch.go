package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// work is what a batch does to one item. It returns the document as far as it
// is known, also with an error.
type work func(ctx context.Context, env mcptool.Env, i int) (outline.DocumentSummary, error)

// batch carries out work on items, lanes side by side and the items of a lane
// one after the other. A failed item does not stop the rest. No item is
// started that may not end in time, after the call was cancelled, or while
// Outline asks for a pause: those are reported as not attempted.
type batch struct {
	env       mcptool.Env
	operation string
	given     []string // for each item, the ID as it was given; "" for none

	margin time.Duration // what the last item that is started must have left

	mu      sync.Mutex
	results []batchItem
	done    int
	pause   float64 // seconds that Outline asked to wait; 0 if it did not
	stop    string  // why no further item is started; "" if there is no reason
}

// newBatch begins a batch. It comes before any request, as the time for
// starting items is a part of the time that ctx leaves.
func newBatch(ctx context.Context, env mcptool.Env, operation string, given []string) *batch {
	b := &batch{env: env, operation: operation, given: given, results: make([]batchItem, len(given)), margin: env.RequestTimeout}
	if deadline, limited := ctx.Deadline(); limited {
		b.margin = min(b.margin, time.Until(deadline)/2)
	}
	for i := range b.results {
		b.results[i] = batchItem{Index: i, ID: given[i]}
	}
	return b
}

// each makes a lane of each item that is not failed yet.
func (b *batch) each() [][]int {
	var lanes [][]int
	for i := range b.results {
		if b.results[i].Status == "" {
			lanes = append(lanes, []int{i})
		}
	}
	return lanes
}

// sequence makes one lane of all items that are not failed yet.
func (b *batch) sequence() [][]int {
	var lane []int
	for _, item := range b.each() {
		lane = append(lane, item...)
	}
	return [][]int{lane}
}

// failRepeated fails each item whose document was named before, in whatever
// form. Where the forms are mixed, Outline is asked what they stand for.
func (b *batch) failRepeated(ctx context.Context) {
	ids := make([]string, len(b.given))
	uuids := 0
	for i, id := range b.given {
		ids[i] = id
		if parsed, err := outline.ParseDocumentID(id); err == nil {
			ids[i] = parsed
		}
		if outline.IsUUID(ids[i]) {
			uuids++
		}
	}
	if uuids > 0 && uuids < len(ids) {
		var group errgroup.Group
		group.SetLimit(b.env.BatchConcurrency)
		for i := range ids {
			group.Go(func() error {
				if outline.IsUUID(ids[i]) || b.mayNotStart(ctx) != nil {
					return nil
				}
				// What cannot be read fails, or not, when its turn comes.
				if document, err := b.env.Outline.Document(ctx, ids[i]); err == nil {
					ids[i] = document.ID
				}
				return nil
			})
		}
		_ = group.Wait() // no function returns an error
	}
	first := map[string]int{}
	for i, id := range ids {
		if before, ok := first[id]; ok {
			b.fail(i, "", output.Invalid("listed twice: this is the document of index %d", before))
			continue
		}
		first[id] = i
	}
}

// run carries the lanes out.
func (b *batch) run(ctx context.Context, lanes [][]int, do work) {
	for _, item := range b.results {
		if item.Status != "" {
			b.done++ // refused before anything was started
		}
	}
	var group errgroup.Group
	group.SetLimit(b.env.BatchConcurrency)
	for _, lane := range lanes {
		group.Go(func() error {
			for _, i := range lane {
				b.item(ctx, i, do)
			}
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
}

func (b *batch) item(ctx context.Context, i int, do work) {
	if reason := b.mayNotStart(ctx); reason != nil {
		b.fail(i, "", *reason)
		return
	}
	document, err := guarded(b.itemContext(ctx), b.env, i, do)
	if err != nil {
		b.fail(i, document.ID, err)
	} else {
		b.mu.Lock()
		item := &b.results[i]
		item.ID, item.Status, item.Title = document.ID, "success", &document.Title
		b.mu.Unlock()
	}
	b.progress(ctx)
}

// itemContext lets an item wait for a rate limit only as long as it could still
// be started afterwards.
func (b *batch) itemContext(ctx context.Context) context.Context {
	if deadline, limited := ctx.Deadline(); limited {
		return outline.WithCallOptions(ctx, outline.MaxRetryWait(time.Until(deadline)-b.margin))
	}
	return ctx
}

// guarded turns a panic, which would end the program on a goroutine of the
// batch, into the item's failure.
func guarded(ctx context.Context, env mcptool.Env, i int, do work) (document outline.DocumentSummary, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = explain.Other(nil)
		}
	}()
	return do(ctx, env, i)
}

// note says of an item that succeeds what became of its document.
func (b *batch) note(i, revision int, changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[i].Revision, b.results[i].Unchanged = revision, !changed
}

// stopFor lets no further item start.
func (b *batch) stopFor(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = reason
}

// mayNotStart returns why no further item may be started, and nil if one may.
func (b *batch) mayNotStart(ctx context.Context) *output.Failure {
	b.mu.Lock()
	pause, stop := b.pause, b.stop
	b.mu.Unlock()
	deadline, limited := ctx.Deadline()
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &output.Failure{Code: output.NotAttempted, Sentence: "not attempted: the call was cancelled"}
	case stop != "":
		return &output.Failure{Code: output.NotAttempted, Sentence: "not attempted: " + stop}
	case pause > 0:
		return &output.Failure{Code: output.NotAttempted, RetryAfterSeconds: pause,
			Sentence: fmt.Sprintf("not attempted: Outline's rate limit is used up. Send this item again in %g seconds", pause)}
	case limited && time.Until(deadline) < b.margin:
		return &output.Failure{Code: output.NotAttempted, Sentence: "not attempted: the call's time is used up. Send this item again"}
	}
	return nil
}

// fail records an item's failure. id is the document's UUID, "" if unknown.
func (b *batch) fail(i int, id string, err error) {
	var failure output.Failure
	if !errors.As(err, &failure) {
		failure = explain.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	failure.Sentence = outline.Redact(failure.Sentence)
	var cause *outline.Error
	if errors.As(err, &cause) && errors.Is(err, outline.ErrRateLimited) && cause.Endpoint == "documents."+b.operation {
		b.pause = max(b.pause, failure.RetryAfterSeconds, 1)
	}
	if id == "" {
		id = b.given[i]
		if parsed, err := outline.ParseDocumentID(id); err == nil && outline.IsUUID(parsed) {
			id = parsed
		}
		id = output.Excerpt(outline.Redact(id), 60)
	}
	b.results[i] = batchItem{Index: i, ID: id, Status: "failed", Title: b.results[i].Title, Error: output.Excerpt(failure.Sentence, longestError), Code: failure.Code, RetryAfterSeconds: failure.RetryAfterSeconds}
}

// progress tells the client how many items are done, if it asked to know. The
// lock keeps the numbers rising, as the protocol demands.
func (b *batch) progress(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	if b.env.Progress != nil {
		b.env.Progress(ctx, b.done, len(b.results))
	}
}

// answer sums the results up.
func (b *batch) answer() batchAnswer {
	answer := batchAnswer{Operation: b.operation, Total: len(b.results), Results: b.results}
	type reason struct {
		sentence string
		code     output.Code
		wait     float64
	}
	first := map[reason]int{}
	for i, item := range b.results {
		if item.Status == "success" {
			answer.Succeeded++
			continue
		}
		answer.Failed++
		why := reason{item.Error, item.Code, item.RetryAfterSeconds}
		if before, ok := first[why]; ok {
			b.results[i].sameAs = &before
		} else {
			first[why] = i
		}
	}
	if answer.Succeeded == 0 {
		first := b.results[0]
		answer.Code = first.Code
		answer.Sentence = fmt.Sprintf("no item of the batch succeeded; the first failed so: %s", first.Error)
	}
	return answer
}
