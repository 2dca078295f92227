package tools

import (
	"cmp"
	"context"
	"sync"
)

// begin calls a function side by side with what follows, and returns a function that
// waits for its value.
func begin[T any](call func() T) (wait func() T) {
	wait = sync.OnceValue(call)
	go wait()
	return wait
}

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
