package transport

import (
	"context"
	"slices"
	"sync"
)

// A FairQueue limits the requests that run at a time, and divides them among the
// subjects that make them. With Reserve, no subject has more requests running than
// could still start: one that sends many requests gets half of the places, two get a
// third each, and so on. Another subject finds a place without waiting.
//
// Where requests have to wait, subjects take turns, and the requests of a subject run
// in their order.
type FairQueue struct {
	size    int
	reserve bool

	mu      sync.Mutex
	total   int
	running map[string]int
	waiting []*line // subjects with requests that wait; the first has had its turn longest ago
}

// A line holds the requests of a subject that wait.
type line struct {
	subject  string
	requests []chan struct{} // closed when the request may run
}

// NewFairQueue returns a queue for size requests at a time, at least one. reserve
// keeps places free for other subjects.
func NewFairQueue(size int, reserve bool) *FairQueue {
	return &FairQueue{size: max(size, 1), reserve: reserve, running: map[string]int{}}
}

// Acquire waits until a request of a subject may run, and reports whether it had to
// wait. release ends the request; only its first call counts. If ctx ends first,
// Acquire returns its error.
func (q *FairQueue) Acquire(ctx context.Context, subject string) (release func(), waited bool, err error) {
	q.mu.Lock()
	if !q.waits(subject) && q.mayRun(subject) {
		q.start(subject)
		q.mu.Unlock()
		return q.releaser(subject), false, nil
	}
	may := make(chan struct{})
	q.add(subject, may)
	q.mu.Unlock()

	select {
	case <-may:
		return q.releaser(subject), true, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-may: // at the same time
		q.end(subject)
	default:
		q.remove(subject, may)
	}
	return nil, true, ctx.Err()
}

func (q *FairQueue) waits(subject string) bool {
	return slices.ContainsFunc(q.waiting, func(l *line) bool { return l.subject == subject })
}

func (q *FairQueue) mayRun(subject string) bool {
	free := q.size - q.total
	return free > 0 && (!q.reserve || q.running[subject] < free)
}

func (q *FairQueue) add(subject string, may chan struct{}) {
	for _, l := range q.waiting {
		if l.subject == subject {
			l.requests = append(l.requests, may)
			return
		}
	}
	q.waiting = append(q.waiting, &line{subject, []chan struct{}{may}})
}

func (q *FairQueue) remove(subject string, may chan struct{}) {
	for i, l := range q.waiting {
		if l.subject != subject {
			continue
		}
		l.requests = slices.DeleteFunc(l.requests, func(c chan struct{}) bool { return c == may })
		if len(l.requests) == 0 {
			q.waiting = slices.Delete(q.waiting, i, i+1)
		}
		return
	}
}

func (q *FairQueue) start(subject string) {
	q.total++
	q.running[subject]++
}

// end frees a place, and starts what may run now.
func (q *FairQueue) end(subject string) {
	q.total--
	if q.running[subject]--; q.running[subject] == 0 {
		delete(q.running, subject)
	}
	for {
		i := slices.IndexFunc(q.waiting, func(l *line) bool { return q.mayRun(l.subject) })
		if i < 0 {
			return
		}
		next := q.waiting[i]
		q.start(next.subject)
		close(next.requests[0])
		next.requests = next.requests[1:]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(next.requests) > 0 {
			q.waiting = append(q.waiting, next)
		}
	}
}

func (q *FairQueue) releaser(subject string) func() {
	released := false
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !released {
			released = true
			q.end(subject)
		}
	}
}
