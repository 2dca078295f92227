package mcptool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Batch works on items that are known by their index, several at a time, within the
// deadline of the call and the rate limit of Outline. A failed item does not stop the
// others. No item starts when the call is cancelled or has too little
// time left, or after Stop; such items fail with [output.NotAttempted].
type Batch struct {
	Env    Env
	Total  int           // number of items
	margin time.Duration // minimum time left for an item to start

	mu   sync.Mutex
	done int
	stop *output.Failure // why no further item may start, or nil
}

// NewBatch returns a batch of a number of items. Call it before any request, because it
// divides the time that is left until the deadline of ctx.
func NewBatch(ctx context.Context, env Env, total int) *Batch {
	b := &Batch{Env: env, Total: total, margin: env.RequestTimeout}
	if deadline, limited := ctx.Deadline(); limited {
		b.margin = min(b.margin, time.Until(deadline)/2)
	}
	return b
}

// Arrangement distributes items to queues. Queues run in parallel; the items of
// a queue run in order, one at a time.
type Arrangement func(items []int) (queues [][]int)

// SideBySide runs all items in parallel.
func SideBySide(items []int) [][]int { return slices.Collect(slices.Chunk(items, 1)) }

// OneByOne runs one item after the other.
func OneByOne(items []int) [][]int { return [][]int{items} }

// Run calls do with each of the items, and failed with those that may not start
// or for which do fails. All other items of the batch count as finished.
func (b *Batch) Run(ctx context.Context, items []int, arrange Arrangement, do func(ctx context.Context, i int) error, failed func(i int, err error)) {
	b.done = b.Total - len(items)
	waiting := queues{all: arrange(items)}
	Parallel(b.Env.BatchConcurrency, min(b.Env.BatchConcurrency, len(waiting.all)), func(int) {
		for queue := waiting.next(nil); len(queue) > 0; queue = waiting.next(queue[1:]) {
			i := queue[0]
			if reason := b.MayNotStart(ctx); reason != nil {
				failed(i, reason)
				continue
			}
			if err := b.guarded(ctx, i, do); err != nil {
				failed(i, err)
			}
			b.finished(ctx)
		}
	})
}

// queues are those of which no item is running.
type queues struct {
	mu  sync.Mutex
	all [][]int
}

// next puts the rest of a queue back and takes the longest queue, so that no
// long one is left to the end, when nothing else runs beside it. It returns an
// empty queue if there is none: the others each have a goroutine that runs them.
func (q *queues) next(rest []int) []int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(rest) > 0 {
		q.all = append(q.all, rest)
	}
	longest := 0
	for n, queue := range q.all {
		if len(queue) > len(q.all[longest]) {
			longest = n
		}
	}
	if len(q.all) == 0 {
		return nil
	}
	queue := q.all[longest]
	q.all = slices.Delete(q.all, longest, longest+1)
	return queue
}

// guarded calls do and turns a panic into an error. On a goroutine of the batch
// a panic would end the program. do waits for a rate limit only as long as an
// item may still start.
func (b *Batch) guarded(ctx context.Context, i int, do func(ctx context.Context, i int) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = output.Other(nil)
		}
	}()
	if deadline, limited := ctx.Deadline(); limited {
		ctx = outline.WithCallOptions(ctx, outline.MaxRetryWait(time.Until(deadline)-b.margin))
	}
	return do(ctx, i)
}

// finished reports progress. The lock keeps the numbers increasing, as the
// protocol requires.
func (b *Batch) finished(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	if b.Env.Progress != nil {
		b.Env.Progress(ctx, b.done, b.Total)
	}
}

// Stop keeps further items from starting. The reason is part of their errors;
// retryAfter is the time in seconds after which they may be sent again, or 0. If
// Stop is called again the longer time counts.
func (b *Batch) Stop(reason string, retryAfter float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil || retryAfter > b.stop.RetryAfterSeconds {
		b.stop = notAttempted(reason, retryAfter)
	}
}

// MayNotStart returns the reason why no further item may start, or nil if one
// may.
func (b *Batch) MayNotStart(ctx context.Context) error {
	b.mu.Lock()
	stop := b.stop
	b.mu.Unlock()
	deadline, limited := ctx.Deadline()
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return *notAttempted("the call was cancelled", 0)
	case stop != nil:
		return *stop
	case limited && time.Until(deadline) < b.margin:
		return *notAttempted("the call's time is used up. Send this item again", 0)
	}
	return nil
}

func notAttempted(reason string, retryAfter float64) *output.Failure {
	return &output.Failure{Code: output.NotAttempted, Sentence: "not attempted: " + reason, RetryAfterSeconds: retryAfter}
}

// Parallel calls do with each number from 0 to n-1, at most limit at a time,
// and waits for all calls.
func Parallel(limit, n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(limit)
	for i := range n {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
}
