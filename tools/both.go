package tools

import "sync"

// both runs two requests side by side. If both fail, the first one's error is
// returned, so that the same call always fails in the same way.
func both(first, second func() error) error {
	var secondErr error
	var wait sync.WaitGroup
	wait.Go(func() { secondErr = second() })
	firstErr := first()
	wait.Wait()
	if firstErr != nil {
		return firstErr
	}
	return secondErr
}
