package streamable

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/notify"
)

// keepAlive is less than the time after which proxies close a stream on which nothing
// is sent, 30 to 60 seconds.
const keepAlive = 15 * time.Second

// checkSubscription rejects subscriptions that could not get their notifications: the
// older form, which needs a session, and a stream that the client does not accept.
func (m message) checkSubscription(header http.Header, modern bool) *refusal {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		if !modern {
			return refuse(m.ID, http.StatusOK, mcp.METHOD_NOT_FOUND, fmt.Sprintf("this server has no sessions over HTTP, which %s needs; use %s of protocol version %s",
				m.Method, mcp.MethodSubscriptionsListen, mcp.ProtocolVersion20260728))
		}
	case mcp.MethodSubscriptionsListen:
		if !acceptsEvents(header.Values("Accept")) {
			return refuse(m.ID, http.StatusNotAcceptable, mcp.INVALID_REQUEST, "subscriptions are a stream of events: the Accept header must contain text/event-stream")
		}
	}
	return nil
}

// listen makes the exchange that of a subscriptions/listen request, until the returned
// function is called, and returns the context for the library.
func (x *exchange) listen(ctx context.Context, every time.Duration) (context.Context, func()) {
	ctx, x.listening = notify.Listen(ctx, x.id, x.event)
	x.queue.Send, x.queue.Length = x.listening.Send, 1
	stop := x.keepAlive(every)
	return ctx, func() {
		x.listening.End()
		stop()
	}
}

// keepAlive sends a comment on the stream now and then, so that proxies keep it open,
// until the returned function is called. Then nothing is written any more.
func (x *exchange) keepAlive(every time.Duration) (stop func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var timer *time.Timer
	timer = time.AfterFunc(every, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.ended {
			return
		}
		if x.events {
			_, _ = fmt.Fprint(x.w, ": keep-alive\n\n") // a client that has gone is noticed by the request's context
			_ = http.NewResponseController(x.w).Flush()
		}
		timer.Reset(every)
	})
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended = true
		timer.Stop()
	}
}
