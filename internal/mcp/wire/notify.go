package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// queued is how many notifications may wait for a client that is slow to read;
// if a call sends more, some are dropped. A batch sends 100.
const queued = 256

// A notifyQueue holds the notifications of one call until they are sent, one after
// the other. It costs nothing until the first one.
type notifyQueue struct {
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
func (q *notifyQueue) Channel() chan<- mcp.JSONRPCNotification {
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

// Listening is a subscriptions/listen request. The library only answers it with the
// acknowledgement; the transport then keeps it open, which takes a fraction of the
// memory.
type Listening struct {
	send func(mcp.JSONRPCNotification)
	id   json.RawMessage // of the request, which is that of the subscription

	request      context.Context // of the request
	end          context.CancelFunc
	acknowledged context.Context // of the library, which ends the request when it is done
	acknowledge  context.CancelFunc
	kept         atomic.Bool
	refused      atomic.Bool
}

type listeningKey struct{}

// listen returns a subscriptions/listen request with an ID, and the context with which
// the library handles it. Send sends a notification of the request to the client, and is
// not called after the request has ended. The caller calls End.
func listen(ctx context.Context, id json.RawMessage, send func(mcp.JSONRPCNotification)) (context.Context, *Listening) {
	l := &Listening{send: send, id: id}
	l.request, l.end = context.WithCancel(ctx)
	l.acknowledged, l.acknowledge = context.WithCancel(context.WithValue(l.request, listeningKey{}, l))
	return l.acknowledged, l
}

// ListeningFrom returns the subscriptions/listen request of a context, or nil if the
// transport cannot keep one open.
func ListeningFrom(ctx context.Context) *Listening {
	l, _ := ctx.Value(listeningKey{}).(*Listening)
	return l
}

// Keep keeps the request open after its acknowledgement. Ended is called when it ends,
// in its own goroutine.
func (l *Listening) Keep(ended func()) {
	l.kept.Store(true)
	context.AfterFunc(l.request, ended)
}

// Refuse keeps back the acknowledgement of a request that fails: clients would take it
// for a subscription that has ended.
func (l *Listening) Refuse() { l.refused.Store(true) }

// Notify sends a notification after the acknowledgement, unless the request has ended.
func (l *Listening) Notify(n mcp.JSONRPCNotification) {
	<-l.acknowledged.Done()
	if l.request.Err() == nil {
		l.Send(n)
	}
}

// Send sends a notification with the ID of the subscription, which the library adds only
// in its own transport, and with rounded numbers. Transports call it for what comes from
// the library: the acknowledgement.
func (l *Listening) Send(n mcp.JSONRPCNotification) {
	if l.refused.Load() {
		return
	}
	meta := make(map[string]any, len(n.Params.Meta)+1)
	maps.Copy(meta, n.Params.Meta)
	meta[mcp.MetaKeySubscriptionID] = l.id
	n.Params.Meta = meta
	l.send(n)
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged && l.kept.Load() {
		l.acknowledge()
	}
}

// End ends the request; the client gets its result.
func (l *Listening) End() { l.end() }

// answer returns the answer to the request, for which it waits until the end of one that is
// kept open: the library's has a rounded ID. A nil Listening is another request.
func (l *Listening) answer(response mcp.JSONRPCMessage) mcp.JSONRPCMessage {
	result, ok := response.(mcp.JSONRPCResponse)
	if l == nil || !ok {
		return response
	}
	if l.kept.Load() {
		<-l.request.Done()
	}
	result.Result = struct {
		ResultType mcp.ResultType             `json:"resultType"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}{mcp.ResultTypeComplete, map[string]json.RawMessage{mcp.MetaKeySubscriptionID: l.id}}
	return result
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
