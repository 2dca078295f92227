package notify

import (
	"context"
	"encoding/json"
	"maps"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

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

// Listen returns a subscriptions/listen request with an ID, and the context with which
// the library handles it. Send sends a notification of the request to the client, and is
// not called after the request has ended. The caller calls End.
func Listen(ctx context.Context, id json.RawMessage, send func(mcp.JSONRPCNotification)) (context.Context, *Listening) {
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
// in a goroutine of its own.
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

// Wait waits for the end of a request that is kept open, when the library is done with
// it. It reports whether it was one: then the transport sends Result.
func (l *Listening) Wait() bool {
	if !l.kept.Load() {
		return false
	}
	<-l.request.Done()
	return true
}

// End ends the request; the client gets its result.
func (l *Listening) End() { l.end() }

// Result returns the result that ends the subscription.
func (l *Listening) Result() any {
	return struct {
		ResultType mcp.ResultType             `json:"resultType"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}{mcp.ResultTypeComplete, map[string]json.RawMessage{mcp.MetaKeySubscriptionID: l.id}}
}
