package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"outline-mcp/internal/batch"
	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// documentBatch is one call of a batch tool, with the outcome of each item.
type documentBatch struct {
	*batch.Batch
	env       mcptool.Env
	operation string
	results   []batchItem
	shown     []int // revisions of the documents that the person has confirmed; nil if nobody was asked
}

// newBatch returns a batch for documents by any form of their IDs, or "" for
// those that do not exist yet.
func newBatch(ctx context.Context, env mcptool.Env, operation string, given []string) *documentBatch {
	b := &documentBatch{env: env, operation: operation, results: make([]batchItem, len(given)), Batch: batch.New(ctx, batch.Options{
		Total: len(given), Concurrency: env.BatchConcurrency, ItemTime: env.RequestTimeout, Progress: env.Progress,
	})}
	for i, id := range given {
		b.results[i] = batchItem{Index: i, ID: id}
	}
	return b
}

// failRepeated fails every item whose document occurs earlier in the batch, in
// any form of its ID. If only some IDs are UUIDs it asks Outline for the
// others.
func (b *documentBatch) failRepeated(ctx context.Context) {
	uuids := 0
	ids := entriesOf(b.results, func(item batchItem) string {
		id := item.ID
		if parsed, err := b.env.Outline.ParseDocumentID(id); err == nil {
			id = parsed
		}
		if outline.IsUUID(id) {
			uuids++
		}
		return id
	})
	if uuids > 0 && uuids < len(ids) {
		batch.Parallel(b.env.BatchConcurrency, len(ids), func(i int) {
			if outline.IsUUID(ids[i]) || b.MayNotStart(ctx) != nil {
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
			b.fail(i, output.Invalid("listed twice: this is the document of index %d", before))
		default:
			first[id] = i
		}
	}
}

// run calls do with all items that have not failed yet and returns the result of
// the batch. do returns as much of the document as is known, even with an error.
func (b *documentBatch) run(ctx context.Context, arrange batch.Arrangement, do func(ctx context.Context, i int) (outline.Document, error)) batchAnswer {
	b.failRepeated(ctx)
	var pending []int
	for i, item := range b.results {
		if item.Status == "" {
			pending = append(pending, i)
		}
	}
	b.Run(ctx, pending, arrange, func(ctx context.Context, i int) error {
		document, err := do(ctx, i)
		item := &b.results[i]
		item.ID = cmp.Or(document.ID, item.ID)
		if err == nil {
			item.Status, item.Title, item.URLID = "success", new(output.Label(document.Title)), document.URLID
		}
		return err
	}, b.fail)
	return newBatchAnswer(b.operation, b.results)
}

// itemFailure returns the failure of one of several items, with a sentence for its line.
func itemFailure(env mcptool.Env, err error) output.Failure {
	failure, ok := errors.AsType[output.Failure](err)
	if !ok {
		failure = explain.Error(err)
	}
	failure = failure.Advised(env.Offers)
	failure.Sentence = output.Excerpt(outline.Redact(failure.Sentence), longestError)
	return failure
}

// fail records the failure of an item.
func (b *documentBatch) fail(i int, err error) {
	failure := itemFailure(b.env, err)
	if cause, ok := errors.AsType[*outline.Error](err); ok && errors.Is(err, outline.ErrRateLimited) && cause.Endpoint == "documents."+b.operation {
		wait := max(failure.RetryAfterSeconds, 1)
		b.Stop(fmt.Sprintf("Outline's rate limit is used up. Send this item again in %g seconds", wait), wait)
	}
	id := b.results[i].ID
	if parsed, err := b.env.Outline.ParseDocumentID(id); err == nil && outline.IsUUID(parsed) {
		id = parsed
	}
	b.results[i] = batchItem{
		Index: i, ID: output.Excerpt(outline.Redact(id), 60), Status: "failed", Title: b.results[i].Title,
		Error: failure.Sentence, Code: failure.Code, RetryAfterSeconds: failure.RetryAfterSeconds,
	}
}
