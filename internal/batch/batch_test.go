package batch_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/batch"
	"outline-mcp/output"
)

// run runs ten items one by one and returns the failures by index.
func run(ctx context.Context, b *batch.Batch, do func(i int) error) map[int]error {
	var mu sync.Mutex
	failures := map[int]error{}
	items := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	b.Run(ctx, items, batch.OneByOne, func(_ context.Context, i int) error { return do(i) }, func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		failures[i] = err
	})
	return failures
}

func TestAFailedItemDoesNotStopTheOthers(t *testing.T) {
	failed := errors.New("failed")
	failures := run(t.Context(), batch.New(t.Context(), batch.Options{Total: 10, Concurrency: 1}), func(i int) error {
		switch i {
		case 3:
			return failed
		case 5:
			panic("broken")
		}
		return nil
	})
	if len(failures) != 2 || !errors.Is(failures[3], failed) || code(failures[5]) != output.Internal {
		t.Errorf("failures %v", failures)
	}
}

func TestTheRestIsNotAttempted(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	cancelled, cancel := context.WithCancel(t.Context())
	for _, test := range []struct {
		name, says string
		ctx        context.Context
		before     int // items that run
		end        func(b *batch.Batch)
	}{
		{"after Stop", "because", t.Context(), 3, func(b *batch.Batch) { b.Stop("because", 0) }},
		{"of two reasons the longer wait counts", "seven", t.Context(), 3, func(b *batch.Batch) { b.Stop("seven", 7); b.Stop("five", 5) }},
		{"when the call is cancelled", "cancelled", cancelled, 3, func(*batch.Batch) { cancel() }},
		{"when the time is used up", "time is used up", late, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			done := 0
			b := batch.New(test.ctx, batch.Options{Total: 10, Concurrency: 1, ItemTime: time.Second, Progress: func(_ context.Context, n, _ int) { done = n }})
			failures := run(test.ctx, b, func(i int) error {
				if i == 2 {
					test.end(b)
				}
				return nil
			})
			if len(failures) != 10-test.before || done != test.before {
				t.Errorf("%d failures, progress %d", len(failures), done)
			}
			if err := failures[9]; code(err) != output.NotAttempted || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func code(err error) output.Code {
	failure, _ := errors.AsType[output.Failure](err)
	return failure.Code
}
