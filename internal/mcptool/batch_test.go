package mcptool_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// run runs ten items one by one and returns the failures by index.
func run(ctx context.Context, b *mcptool.Batch, do func(i int) error) map[int]error {
	var mu sync.Mutex
	failures := map[int]error{}
	items := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	b.Run(ctx, items, mcptool.OneByOne, func(_ context.Context, i int) error { return do(i) }, func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		failures[i] = err
	})
	return failures
}

func TestAFailedItemDoesNotStopTheOthers(t *testing.T) {
	failed := errors.New("failed")
	failures := run(t.Context(), mcptool.NewBatch(t.Context(), mcptool.Env{BatchConcurrency: 1}, 10), func(i int) error {
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
		end        func(b *mcptool.Batch)
	}{
		{"after Stop", "because", t.Context(), 3, func(b *mcptool.Batch) { b.Stop("because", 0) }},
		{"of two reasons the longer wait counts", "seven", t.Context(), 3, func(b *mcptool.Batch) { b.Stop("seven", 7); b.Stop("five", 5) }},
		{"when the call is cancelled", "cancelled", cancelled, 3, func(*mcptool.Batch) { cancel() }},
		{"when the time is used up", "time is used up", late, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			done := 0
			b := mcptool.NewBatch(test.ctx, mcptool.Env{BatchConcurrency: 1, RequestTimeout: time.Second, Progress: func(_ context.Context, n, _ int) { done = n }}, 10)
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

func TestNoQueueIsLeftToTheEndWhileOthersCouldRunBesideIt(t *testing.T) {
	for _, test := range []struct {
		name   string
		queues []int // items in each
		want   int   // steps, with four items at a time
	}{
		{"ten queues of ten", []int{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 25},
		{"a long queue behind short ones", append(slices.Repeat([]int{1}, 80), 20), 25},
		{"one queue", []int{7}, 7},
		{"fewer queues than may run", []int{3, 5}, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var queues [][]int
				var items []int
				for _, size := range test.queues {
					first := len(items)
					for range size {
						items = append(items, len(items))
					}
					queues = append(queues, items[first:])
				}
				var mu sync.Mutex
				var order []int
				begin := time.Now()
				b := mcptool.NewBatch(t.Context(), mcptool.Env{BatchConcurrency: 4}, len(items))
				b.Run(t.Context(), items, func([]int) [][]int { return queues }, func(_ context.Context, i int) error {
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					order = append(order, i)
					return nil
				}, func(i int, err error) { t.Error(i, err) })
				if steps := int(time.Since(begin) / time.Second); steps != test.want {
					t.Errorf("%d steps, not %d", steps, test.want)
				}
				for _, queue := range queues {
					if ran := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !slices.Contains(queue, i) }); !slices.Equal(ran, queue) {
						t.Errorf("the queue %v ran as %v", queue, ran)
					}
				}
			})
		})
	}
}

func code(err error) output.Code {
	failure, _ := errors.AsType[output.Failure](err)
	return failure.Code
}
