package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// work processes item i. It returns as much of the document as is known, even
// with an error.
type work func(ctx context.Context, env mcptool.Env, i int) (outline.Document, error)

// arrangement distributes pending items to queues. Queues run in parallel; the
// items of a queue run in order.
type arrangement func(pending []int) (queues [][]int)

func sideBySide(pending []int) [][]int { return slices.Collect(slices.Chunk(pending, 1)) }

func oneByOne(pending []int) [][]int { return [][]int{pending} }

// batch processes a list of items. A failed item does not stop the others. No
// item starts when the call is cancelled or has too little time left, or while
// Outline's rate limit is exhausted; such items fail with NotAttempted.
type batch struct {
	env       mcptool.Env
	operation string
	given     []string // the ID of each item as given; "" for none

	margin time.Duration // minimum time left for an item to start

	mu      sync.Mutex
	results []batchItem
	done    int
	pause   float64 // seconds that Outline asked to wait, or 0
	stop    string  // why no further item may start, or ""
}

// newBatch returns a batch for the given IDs. Call it before any request,
// because it divides the time that is left until the deadline of ctx.
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

// failRepeated fails every item whose document occurs earlier in the batch, in
// any form of its ID. If only some IDs are UUIDs it asks Outline for the
// others.
func (b *batch) failRepeated(ctx context.Context) {
	uuids := 0
	ids := entriesOf(b.given, func(id string) string {
		if parsed, err := outline.ParseDocumentID(id); err == nil {
			id = parsed
		}
		if outline.IsUUID(id) {
			uuids++
		}
		return id
	})
	if uuids > 0 && uuids < len(ids) {
		inParallel(b.env.BatchConcurrency, len(ids), func(i int) {
			if outline.IsUUID(ids[i]) || b.mayNotStart(ctx) != nil {
				return
			}
			// An ID that cannot be read is reported when its item runs.
			if document, err := b.env.Outline.Document(ctx, ids[i]); err == nil {
				ids[i] = document.ID
			}
		})
	}
	first := map[string]int{}
	for i, id := range ids {
		before, repeated := first[id]
		switch {
		case id == "":
		case repeated:
			b.fail(i, "", output.Invalid("listed twice: this is the document of index %d", before))
		default:
			first[id] = i
		}
	}
}

// run processes all items that have not failed yet and returns the result of
// the batch.
func (b *batch) run(ctx context.Context, arrange arrangement, do work) batchAnswer {
	b.failRepeated(ctx)
	var pending []int
	for i, item := range b.results {
		if item.Status == "" {
			pending = append(pending, i)
		}
	}
	b.done = len(b.results) - len(pending)
	queues := arrange(pending)
	inParallel(b.env.BatchConcurrency, len(queues), func(n int) {
		for _, i := range queues[n] {
			b.item(ctx, i, do)
		}
	})
	return b.answer()
}

func (b *batch) item(ctx context.Context, i int, do work) {
	if reason := b.mayNotStart(ctx); reason != nil {
		b.fail(i, "", reason)
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

// itemContext returns the context for one item. It limits the wait for a rate
// limit to the time in which an item may still start.
func (b *batch) itemContext(ctx context.Context) context.Context {
	if deadline, limited := ctx.Deadline(); limited {
		return outline.WithCallOptions(ctx, outline.MaxRetryWait(time.Until(deadline)-b.margin))
	}
	return ctx
}

// guarded calls do and turns a panic into an error. On a goroutine of the batch
// a panic would end the program.
func guarded(ctx context.Context, env mcptool.Env, i int, do work) (document outline.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = explain.Other(nil)
		}
	}()
	return do(ctx, env, i)
}

// note records the new revision of an item's document, and whether it changed.
func (b *batch) note(i, revision int, changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[i].Revision, b.results[i].Unchanged = revision, !changed
}

// stopFor keeps further items from starting. reason is part of their errors.
func (b *batch) stopFor(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = reason
}

// mayNotStart returns the reason why no further item may start, or nil if one
// may.
func (b *batch) mayNotStart(ctx context.Context) error {
	b.mu.Lock()
	pause, stop := b.pause, b.stop
	b.mu.Unlock()
	deadline, limited := ctx.Deadline()
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return output.Failure{Code: output.NotAttempted, Sentence: "not attempted: the call was cancelled"}
	case stop != "":
		return output.Failure{Code: output.NotAttempted, Sentence: "not attempted: " + stop}
	case pause > 0:
		return output.Failure{Code: output.NotAttempted, RetryAfterSeconds: pause,
			Sentence: fmt.Sprintf("not attempted: Outline's rate limit is used up. Send this item again in %g seconds", pause)}
	case limited && time.Until(deadline) < b.margin:
		return output.Failure{Code: output.NotAttempted, Sentence: "not attempted: the call's time is used up. Send this item again"}
	}
	return nil
}

// fail records the failure of an item. id is the UUID of its document, or "" if
// unknown.
func (b *batch) fail(i int, id string, err error) {
	failure, ok := errors.AsType[output.Failure](err)
	if !ok {
		failure = explain.Error(err)
	}
	failure = failure.Advised(b.env.Offers)
	b.mu.Lock()
	defer b.mu.Unlock()
	failure.Sentence = outline.Redact(failure.Sentence)
	if cause, ok := errors.AsType[*outline.Error](err); ok && errors.Is(err, outline.ErrRateLimited) && cause.Endpoint == "documents."+b.operation {
		b.pause = max(b.pause, failure.RetryAfterSeconds, 1)
	}
	if id == "" {
		id = b.given[i]
		if parsed, err := outline.ParseDocumentID(id); err == nil && outline.IsUUID(parsed) {
			id = parsed
		}
		id = output.Excerpt(outline.Redact(id), 60)
	}
	b.results[i] = batchItem{
		Index: i, ID: id, Status: "failed", Title: b.results[i].Title,
		Error: output.Excerpt(failure.Sentence, longestError), Code: failure.Code, RetryAfterSeconds: failure.RetryAfterSeconds,
	}
}

// progress reports the number of finished items to a client that asked for
// progress. The lock keeps the numbers increasing, as the protocol requires.
func (b *batch) progress(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	if b.env.Progress != nil {
		b.env.Progress(ctx, b.done, len(b.results))
	}
}

// answer returns the result of the batch.
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
