package stdio

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/notify"
)

// client is what the library keeps about the one client: what it said about
// itself with initialize. It leaves out what would ask the client something; see
// RequestElicitation.
type client interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	SetProtocolVersion(string)
}

// session is the client as seen by one of its requests. The notifications of
// the request have their own queue, so that the answer can wait for them.
type session struct {
	client
	connection *connection
	queue      *notify.Queue
}

// NotificationChannel implements server.ClientSession.
func (s session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

// A Subscriber holds the subscriptions of the client (resources/subscribe, up to
// protocol version 2025-11-25).
type Subscriber interface {
	Add(ctx context.Context, uri string) error
	Remove(uri string)
	Close()
}

// subscribing is a session whose client can subscribe to resources.
type subscribing struct {
	session
	ctx context.Context // of the request: the library passes none on
	to  Subscriber
}

// session returns the session of one request.
func (c *connection) session(ctx context.Context, queue *notify.Queue) server.ClientSession {
	s := session{c.client, c, queue}
	if c.subscriptions == nil || notify.ListeningFrom(ctx) != nil { // a hook serves subscriptions/listen
		return s
	}
	return subscribing{s, ctx, c.subscriptions}
}

// SubscribeToResourceErr implements server.SessionWithResourceSubscriptionsErr.
func (s subscribing) SubscribeToResourceErr(uri string) error { return s.to.Add(s.ctx, uri) }

// UnsubscribeFromResource implements server.SessionWithResourceSubscriptions.
func (s subscribing) UnsubscribeFromResource(uri string) { s.to.Remove(uri) }

// SubscribeToResource implements server.SessionWithResourceSubscriptions. The library
// calls SubscribeToResourceErr.
func (s subscribing) SubscribeToResource(uri string) { _ = s.SubscribeToResourceErr(uri) }

// SubscribedResources implements server.SessionWithResourceSubscriptions, for what the
// library broadcasts: nothing.
func (subscribing) SubscribedResources() []string { return nil }

// IsSubscribedToResource implements server.SessionWithResourceSubscriptions.
func (subscribing) IsSubscribedToResource(string) bool { return false }
