package notify

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// Listening is a subscriptions/listen request, as its transport knows it. The library
// answers it when its context is done.
type Listening struct {
	// End ends the request; the client gets its result.
	End context.CancelFunc

	id           json.RawMessage // of the request, which is that of the subscription
	acknowledged chan struct{}
	once         sync.Once
}

type listeningKey struct{}

// Listen returns a context for a subscriptions/listen request with an ID.
func Listen(ctx context.Context, id json.RawMessage) (context.Context, *Listening) {
	ctx, end := context.WithCancel(ctx)
	l := &Listening{End: end, id: id, acknowledged: make(chan struct{})}
	return context.WithValue(ctx, listeningKey{}, l), l
}

// ListeningFrom returns the subscriptions/listen request of a context, or nil if the
// transport cannot keep one open.
func ListeningFrom(ctx context.Context) *Listening {
	l, _ := ctx.Value(listeningKey{}).(*Listening)
	return l
}

// Acknowledged is closed when the client has been sent the acknowledgement. No other
// notification may be sent before it.
func (l *Listening) Acknowledged() <-chan struct{} { return l.acknowledged }

// Sending returns a notification with the ID of the subscription, which the library
// adds only in its own transport, and with rounded numbers. It is called for each
// notification in the order of sending.
func (l *Listening) Sending(n mcp.JSONRPCNotification) mcp.JSONRPCNotification {
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		defer l.once.Do(func() { close(l.acknowledged) })
	}
	meta := make(map[string]any, len(n.Params.Meta)+1)
	maps.Copy(meta, n.Params.Meta)
	meta[mcp.MetaKeySubscriptionID] = l.id
	n.Params.Meta = meta
	return n
}

// Result returns the result that ends the subscription.
func (l *Listening) Result() any {
	return struct {
		ResultType mcp.ResultType             `json:"resultType"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}{mcp.ResultTypeComplete, map[string]json.RawMessage{mcp.MetaKeySubscriptionID: l.id}}
}
