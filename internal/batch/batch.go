// Package batch works on lists of items, several at a time, as far as the time
// of the call and the rate limit of Outline reach.
package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Batch works on items that are known by their index. A failed item does not
// stop the others. No item starts when the call is cancelled or has too little
// time left, after Pause, or after Stop; such items fail with
// [output.NotAttempted].
type Batch struct {
	options Options
	margin  time.Duration // minimum time left for an item to start

	mu    sync.Mutex
	done  int
	pause float64 // seconds that Outline asked to wait, or 0
	stop  string  // why no further item may start, or ""
}

// Options configure a Batch.
type Options struct {
	Total       int           // number of items
	Concurrency int           // items at a time
	ItemTime    time.Duration // that an item may need
	// Progress reports the number of finished items; nil disables reports.
	Progress func(ctx context.Context, done, total int)
}

// New returns a batch. Call it before any request, because it divides the time
// that is left until the deadline of ctx.
func New(ctx context.Context, o Options) *Batch {
	b := &Batch{options: o, margin: o.ItemTime}
	if deadline, limited := ctx.Deadline(); limited {
		b.margin = min(b.margin, time.Until(deadline)/2)
	}
	return b
}

// Arrangement distributes items to queues. Queues run in parallel; the items of
// a queue run in order.
type Arrangement func(items []int) (queues [][]int)

// SideBySide runs all items in parallel.
func SideBySide(items []int) [][]int { return slices.Collect(slices.Chunk(items, 1)) }

// OneByOne runs one item after the other.
func OneByOne(items []int) [][]int { return [][]int{items} }

// Run calls do with each of the items, and failed with those that may not start
// or for which do fails. All other items of the batch count as finished.
func (b *Batch) Run(ctx context.Context, items []int, arrange Arrangement, do func(ctx context.Context, i int) error, failed func(i int, err error)) {
	b.done = b.options.Total - len(items)
	queues := arrange(items)
	Parallel(b.options.Concurrency, len(queues), func(n int) {
		for _, i := range queues[n] {
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

// guarded calls do and turns a panic into an error. On a goroutine of the batch
// a panic would end the program. do waits for a rate limit only as long as an
// item may still start.
func (b *Batch) guarded(ctx context.Context, i int, do func(ctx context.Context, i int) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = explain.Other(nil)
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
	if b.options.Progress != nil {
		b.options.Progress(ctx, b.done, b.options.Total)
	}
}

// Stop keeps further items from starting. reason is part of their errors.
func (b *Batch) Stop(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = reason
}

// Pause keeps further items from starting because Outline's rate limit is used
// up for a number of seconds.
func (b *Batch) Pause(seconds float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pause = max(b.pause, seconds)
}

// MayNotStart returns the reason why no further item may start, or nil if one
// may.
func (b *Batch) MayNotStart(ctx context.Context) error {
	b.mu.Lock()
	pause, stop := b.pause, b.stop
	b.mu.Unlock()
	refuse := func(retryAfter float64, sentence string) error {
		return output.Failure{Code: output.NotAttempted, Sentence: "not attempted: " + sentence, RetryAfterSeconds: retryAfter}
	}
	deadline, limited := ctx.Deadline()
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return refuse(0, "the call was cancelled")
	case stop != "":
		return refuse(0, stop)
	case pause > 0:
		return refuse(pause, fmt.Sprintf("Outline's rate limit is used up. Send this item again in %g seconds", pause))
	case limited && time.Until(deadline) < b.margin:
		return refuse(0, "the call's time is used up. Send this item again")
	}
	return nil
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
