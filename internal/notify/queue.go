// Package notify sends the notifications of a call, such as its progress, in
// order and before its answer.
package notify

import (
	"cmp"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// queued is how many notifications may wait for a client that is slow to read;
// if a call sends more, some are dropped. A batch sends 100.
const queued = 256

// A Queue holds the notifications of one call until they are sent, one after
// the other. It costs nothing until the first one.
type Queue struct {
	// Send sends one notification to the client. It is called by one goroutine
	// at a time.
	Send func(mcp.JSONRPCNotification)
	// Length is how many notifications may wait for the client; 0 means 256.
	Length int

	mu     sync.Mutex
	queue  chan mcp.JSONRPCNotification
	stop   chan struct{} // closed when the last notification is in queue
	sent   chan struct{} // closed when all are sent
	closed bool
}

// Channel returns the channel for notifications. Those that arrive after Close
// are not sent.
func (q *Queue) Channel() chan<- mcp.JSONRPCNotification {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue == nil {
		q.queue = make(chan mcp.JSONRPCNotification, cmp.Or(q.Length, queued))
		if !q.closed {
			q.stop, q.sent = make(chan struct{}), make(chan struct{})
			go q.forward()
		}
	}
	return q.queue
}

// Close returns when all notifications have been sent.
func (q *Queue) Close() {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	stop, sent := q.stop, q.sent
	q.mu.Unlock()
	if stop == nil {
		return
	}
	if first {
		close(stop)
	}
	<-sent
}

// forward sends notifications as they arrive, until the last of them.
func (q *Queue) forward() {
	defer close(q.sent)
	for {
		select {
		case n := <-q.queue:
			q.Send(n)
		case <-q.stop:
			for {
				select {
				case n := <-q.queue:
					q.Send(n)
				default:
					return
				}
			}
		}
	}
}
