package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// An exchange is the answer to one request. The library writes it as one JSON
// message. If notifications went before it, the answer is a stream of events
// (SSE), and that message is the last of them.
//
// The library's own stream loses the last notification of a call that ends before
// it is written. Here the last message waits for all notifications.
type exchange struct {
	w      http.ResponseWriter
	id     json.RawMessage // of the request
	accept []string        // the Accept headers of the request
	modern bool            // the request is of 2026-07-28 or later

	placeholder bool       // the library knows the request by placeholderID
	listening   *Listening // nil unless the request is subscriptions/listen

	failure *Failure // to answer with instead of what the library says

	// What the library answers with; header and status are not used for a stream.
	header   http.Header
	status   int // 0 if it does not answer
	answered bool

	queue  notifyQueue
	mu     sync.Mutex // held to start the stream and to write to it
	events bool       // the stream has started
	ended  bool       // nothing may be written any more
}

func newExchange(w http.ResponseWriter, id json.RawMessage, accept []string) *exchange {
	x := &exchange{w: w, id: id, header: http.Header{}, accept: accept}
	x.queue.Send = x.event
	return x
}

// acceptsEvents reports whether an Accept header covers text/event-stream.
func acceptsEvents(accept []string) bool {
	for _, list := range accept {
		for one := range strings.SplitSeq(list, ",") {
			media, parameters, err := mime.ParseMediaType(one)
			if err == nil && (media == "text/event-stream" || media == "text/*" || media == "*/*") && parameters["q"] != "0" {
				return true
			}
		}
	}
	return len(accept) == 0
}

// event writes one notification, if the client accepts a stream.
func (x *exchange) event(n mcp.JSONRPCNotification) {
	if !acceptsEvents(x.accept) {
		return
	}
	data, err := json.Marshal(n)
	if err != nil {
		return // tools send nothing that does not encode
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	if !x.events {
		x.events = true
		h := x.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // nginx would hold the events back
		x.w.WriteHeader(http.StatusOK)
	}
	x.write(data)
}

// last sends data as the last event.
func (x *exchange) last(data []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.write(data)
}

// write sends data as an event, without delay. The caller holds mu.
func (x *exchange) write(data []byte) {
	// A client that has gone is noticed by the request's context.
	_, _ = io.WriteString(x.w, "event: message\ndata: ")
	_, _ = x.w.Write(data) // in one, so that it is counted once, and not copied
	_, _ = io.WriteString(x.w, "\n\n")
	_ = http.NewResponseController(x.w).Flush()
}

// Header implements server.HTTPResponseWriter.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements server.HTTPResponseWriter. The status is sent with the
// message; the status of a stream was sent with its first event.
func (x *exchange) WriteHeader(status int) { x.status = status }

// Write implements server.HTTPResponseWriter. The library writes a message with a
// single call. A client that has gone is no error, which the library would log.
func (x *exchange) Write(message []byte) (int, error) {
	x.queue.Close()
	x.answered = true
	length := len(message)
	const begin = `{"jsonrpc":"2.0","id":`
	if rest, ok := bytes.CutPrefix(message, []byte(begin+placeholderID+",")); ok && x.placeholder {
		message = slices.Concat([]byte(begin), x.id, []byte(","), rest)
		if x.listening != nil { // its result repeats the ID
			const key = `"` + mcp.MetaKeySubscriptionID + `":`
			message = bytes.Replace(message, []byte(key+placeholderID), slices.Concat([]byte(key), x.id), 1)
		}
	}
	if x.failure != nil && x.failure.Code != 0 {
		message = x.failed()
	}
	x.send(message)
	return length, nil
}

// send writes the message that answers the request.
func (x *exchange) send(message []byte) {
	if x.events {
		x.last(bytes.TrimRight(message, "\n"))
		return
	}
	for name, values := range x.header {
		x.w.Header()[name] = values
	}
	x.w.WriteHeader(x.status)
	_, _ = x.w.Write(message)
}

// failed returns the failure as a message, and sets the status as the library does
// (MCP 2026-07-28, basic/transports).
func (x *exchange) failed() []byte {
	x.status = http.StatusOK
	if x.modern && x.failure.Code == mcp.INVALID_PARAMS {
		x.status = http.StatusBadRequest
	}
	problem := refuse(x.id, x.status, x.failure.Code, x.failure.Message)
	problem.Error.Data = x.failure.Data
	return problem.json()
}

// end completes the answer when the library is done with it.
func (x *exchange) end() {
	x.queue.Close()
	switch {
	case x.answered:
	case x.listening != nil && x.listening.Wait(): // the library has sent no result
		if data, err := json.Marshal(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(x.id), x.listening.Result())); err == nil {
			x.last(data)
		}
	case x.status == 0:
	case x.status == http.StatusAccepted:
		x.w.WriteHeader(x.status)
	default: // the library could not encode its message, and sent none
		x.refuse("the answer cannot be encoded")
	}
}

// refuse answers that this server failed, as the last event if the stream has
// begun.
func (x *exchange) refuse(message string) {
	problem := refuse(x.id, http.StatusInternalServerError, mcp.INTERNAL_ERROR, message)
	if x.events {
		x.last(problem.json())
		return
	}
	problem.write(x.w)
}

// Flush implements server.HTTPResponseWriter. Events are flushed when they are
// written, any other answer when it ends.
func (x *exchange) Flush() {}

// CanStream implements server.HTTPResponseWriter: the library's own stream is
// not used.
func (x *exchange) CanStream() bool { return false }

// keepAlive is less than the time after which proxies close a stream on which nothing
// is sent, 30 to 60 seconds.
const keepAlive = 15 * time.Second

// checkSubscription rejects subscriptions that could not get their notifications: the
// older form, which needs a session, and a stream that the client does not accept.
func (m httpMessage) checkSubscription(header http.Header, modern bool) *refusal {
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
	ctx, x.listening = listen(ctx, x.id, x.event)
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
