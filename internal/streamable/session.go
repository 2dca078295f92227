package streamable

import (
	"context"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/notify"
)

// librarySession is what of the library's session a call needs. It leaves out
// what asks the client something: without sessions no answer could come back.
type librarySession interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
}

// A session belongs to one call. Under its own ID nothing that the library
// keeps by session and request ID can be met by another call's.
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

// withSession puts the session of the call into its context, in place of the
// library's.
func (h *Handler) withSession(ctx context.Context) context.Context {
	x, called := ctx.Value(exchangeKey{}).(*exchange)
	inner, whole := server.ClientSessionFromContext(ctx).(librarySession)
	if !called || !whole {
		return ctx
	}
	return h.server.WithContext(ctx, &session{
		librarySession: inner,
		id:             "call-" + strconv.FormatInt(h.calls.Add(1), 10),
		queue:          &x.queue,
	})
}
