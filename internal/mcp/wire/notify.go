package wire

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// maxQueued is how many notifications may wait for a client that is slow to read;
// if a call sends more, some are dropped. A batch sends 100.
const maxQueued = 256

// A notifyQueue holds the notifications of one call until they are sent, one after
// the other. It costs nothing until the first one.
type notifyQueue struct {
	// Send sends one notification to the client. It is called by one goroutine
	// at a time.
	Send func(mcp.JSONRPCNotification)

	mu     sync.Mutex
	queue  chan mcp.JSONRPCNotification
	stop   chan struct{} // closed when the last notification is in queue
	sent   chan struct{} // closed when all are sent
	closed bool
}

// Channel returns the channel for notifications. Those that arrive after Close
// are not sent.
func (q *notifyQueue) Channel() chan<- mcp.JSONRPCNotification {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue == nil {
		q.queue = make(chan mcp.JSONRPCNotification, maxQueued)
		if !q.closed {
			q.stop, q.sent = make(chan struct{}), make(chan struct{})
			go q.forward()
		}
	}
	return q.queue
}

// Close returns when all notifications have been sent.
func (q *notifyQueue) Close() {
	q.mu.Lock()
	if q.stop != nil && !q.closed {
		close(q.stop)
	}
	q.closed = true
	sent := q.sent
	q.mu.Unlock()
	if sent != nil {
		<-sent
	}
}

// forward sends notifications as they arrive, until the last of them.
func (q *notifyQueue) forward() {
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

type clientKey struct{}

// ClientCapabilities returns the capabilities of the client of a request. They are
// empty if the client has not declared any, or if they are not known: before protocol version 2026-07-28,
// clients declare them only when they initialize, and over HTTP each request is a
// session of its own, of which only [HTTP].Remember knows something.
func ClientCapabilities(ctx context.Context) mcp.ClientCapabilities {
	if server.IsModernRequest(ctx) {
		if declared := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities; declared != nil {
			return *declared
		}
		return mcp.ClientCapabilities{}
	}
	if declared, ok := ctx.Value(clientKey{}).(mcp.ClientCapabilities); ok {
		return declared
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return session.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}
