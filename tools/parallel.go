package tools

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// both sends two requests about the same ID in parallel. If both fail it
// returns the first error, so the same call always fails the same way.
func both[A, B any](
	ctx context.Context, id string, first func(context.Context, string) (A, error), second func(context.Context, string) (B, error),
) (a A, b B, err error) {
	var firstErr, secondErr error
	var wait sync.WaitGroup
	wait.Go(func() { b, secondErr = second(ctx, id) })
	a, firstErr = first(ctx, id)
	wait.Wait()
	return a, b, cmp.Or(firstErr, secondErr)
}

// inParallel calls do with each number from 0 to n-1, at most limit at a time,
// and waits for all calls.
func inParallel(limit, n int, do func(i int)) {
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
