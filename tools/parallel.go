package tools

import (
	"cmp"

	"golang.org/x/sync/errgroup"
)

// both runs two requests in parallel. If both fail it returns the error of the
// first, so that the same call always fails in the same way.
func both(first, second func() error) error {
	requests := []func() error{first, second}
	errs := make([]error, len(requests))
	inParallel(len(requests), len(requests), func(i int) { errs[i] = requests[i]() })
	return cmp.Or(errs...)
}

// inParallel calls do for each number from 0 to n-1, at most limit at a time,
// and returns when all calls have.
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
