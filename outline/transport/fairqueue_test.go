package transport_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"outline-mcp/outline/transport"
)

// fair drives a queue request by request, and keeps the order in which they start.
type fair struct {
	t       *testing.T
	queue   *transport.FairQueue
	mu      sync.Mutex
	started []string
	release map[string][]func()
}

// ask makes n requests of a subject, one after the other, and waits until those that
// may run do.
func (f *fair) ask(subject string, n int) {
	for range n {
		go func() {
			release, _, err := f.queue.Acquire(f.t.Context(), subject)
			if err != nil {
				return // the test is over
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.started = append(f.started, subject)
			f.release[subject] = append(f.release[subject], release)
		}()
		synctest.Wait()
	}
}

// end ends a request of a subject.
func (f *fair) end(subject string) {
	f.mu.Lock()
	release := f.release[subject][0]
	f.release[subject] = f.release[subject][1:]
	f.mu.Unlock()
	release()
	synctest.Wait()
}

func (f *fair) order() string { return strings.Join(f.started, "") }

func TestAFairQueue(t *testing.T) {
	for _, test := range []struct {
		name    string
		size    int
		reserve bool
		run     func(f *fair)
		started string // in this order
	}{
		{"lets one subject have half of the places", 8, true, func(f *fair) { f.ask("a", 20) }, "aaaa"},
		{"lets one subject have all places if none are reserved", 8, false, func(f *fair) { f.ask("a", 20) }, "aaaaaaaa"},
		{"has a place for the first request of another subject", 8, true, func(f *fair) { f.ask("a", 20); f.ask("b", 1) }, "aaaab"},
		{"has a place for each of several", 8, true, func(f *fair) { f.ask("a", 20); f.ask("b", 1); f.ask("c", 1); f.ask("d", 1) }, "aaaabcd"},
		{"of one place gives each subject a turn", 1, false, func(f *fair) {
			f.ask("a", 4)
			f.ask("b", 2)
			f.ask("c", 1)
			for _, subject := range []string{"a", "a", "b", "c", "a", "b"} {
				f.end(subject)
			}
		}, "aabcaba"},
		{"passes over a subject that has its share", 3, true, func(f *fair) {
			f.ask("a", 10)
			f.ask("b", 1)
			f.ask("c", 1)
			f.ask("d", 1)
			f.end("b")
			f.end("c")
		}, "aabcd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fair{t: t, queue: transport.NewFairQueue(test.size, test.reserve), release: map[string][]func(){}}
				test.run(f)
				if got := f.order(); got != test.started {
					t.Errorf("started %q, want %q", got, test.started)
				}
			})
		})
	}
}

func TestARequestThatGivesUpLeavesTheFairQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := transport.NewFairQueue(1, false)
		release, waited, err := queue.Acquire(t.Context(), "a")
		if err != nil || waited {
			t.Fatal(waited, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, _, err := queue.Acquire(ctx, "a"); err != context.Canceled {
			t.Errorf("error %v", err)
		}
		release()
		release() // counts once
		if _, waited, err := queue.Acquire(t.Context(), "b"); err != nil || waited {
			t.Error(waited, err)
		}
		late, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		if _, _, err := queue.Acquire(late, "c"); err != context.DeadlineExceeded {
			t.Errorf("a second release made a place: %v", err)
		}
	})
}

// BenchmarkFairQueue takes places from all processors, for 64 subjects.
func BenchmarkFairQueue(b *testing.B) {
	queue := transport.NewFairQueue(32, true)
	subjects := strings.Split(strings.Repeat("abcdefgh", 8), "")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			release, _, err := queue.Acquire(b.Context(), subjects[n%len(subjects)])
			if err != nil {
				b.Fatal(err)
			}
			release()
		}
	})
}
