package streamable

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/notify"
)

// librarySession is the part of the library's session that a call needs. It
// leaves out what asks the client something: without sessions no answer could
// come back.
type librarySession interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
}

// A session belongs to one call. Because it has its own ID, whatever the
// library stores by session and request ID cannot be mixed up with that of
// another call.
type session struct {
	librarySession
	id    string
	queue *notify.Queue
}

// SessionID implements server.ClientSession.
func (s *session) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

type exchangeKey struct{}

// errSharedSession ends a request before the library handles it, because its
// context would hold a session that is shared with other requests.
var errSharedSession = errors.New("the MCP library's session is not as expected")

// withSession puts the session of the call into its context, in place of the
// library's. It panics with errSharedSession if it cannot: handle turns that into
// a refusal, and the library has no other way to stop a request here.
func (h *Handler) withSession(ctx context.Context) context.Context {
	x, called := ctx.Value(exchangeKey{}).(*exchange)
	inner, whole := h.sessionOf(ctx).(librarySession)
	if !called || !whole {
		panic(errSharedSession)
	}
	return h.server.WithContext(ctx, &session{
		librarySession: inner,
		id:             h.nextSession(),
		queue:          &x.queue,
	})
}

// handle lets the library answer a request. A request that cannot have its own
// session is refused.
func (h *Handler) handle(x *exchange, r *server.HTTPRequest) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case errSharedSession:
			h.unshared.Do(func() {
				h.log.Error("all requests are refused because they cannot be isolated from each other", "error", errSharedSession)
			})
			x.refuse("this server cannot isolate requests from each other; its log has the details")
		default:
			panic(v)
		}
	}()
	h.http.Handle(x, r)
	x.end()
}
