package streamable

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/jsonrpc"
)

// isCall reports whether the message is a call of a tool in protocol version
// 2025-11-25 or earlier, as far as the message says. The header may say otherwise.
func (m message) isCall() bool {
	return m.Method == string(mcp.MethodToolsCall) && m.ID != nil && m.Result == nil && m.Error == nil &&
		m.known && !mcp.IsModernProtocol(m.params.Meta.ProtocolVersion())
}

// call answers a call of a tool without the library's HTTP transport. What that adds to
// HandleMessage, for versions without headers to validate, is a session with buffers of
// several kilobytes, a goroutine, and four more times that the message is decoded.
//
// The library gets only what was read of the message.
func (h *Handler) call(ctx context.Context, x *exchange, m message, header http.Header) {
	ctx = context.WithValue(ctx, headerKey{}, protocolHeader(header))
	ctx = h.server.WithContext(ctx, &callSession{id: h.nextSession(), queue: &x.queue})
	answer := h.server.HandleMessage(ctx, slices.Concat([]byte(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":`), m.Params, []byte("}")))
	if ctx.Err() != nil {
		x.queue.Close()
		return // the client has gone
	}
	x.reply(answer)
}

// reply sends an answer that the library's HTTP transport has not seen.
func (x *exchange) reply(answer mcp.JSONRPCMessage) {
	x.queue.Close()
	encoded, err := jsonrpc.Encode(x.failure.Instead(answer, x.id))
	if err != nil {
		x.refuse("the answer cannot be encoded")
		return
	}
	x.status = http.StatusOK
	if x.failure.Code != 0 && x.modern {
		encoded = x.failed()
	}
	x.header.Set("Content-Type", "application/json")
	x.send(encoded)
}

// A callSession is the session of one call. It holds nothing that a client may have
// said about itself, which over HTTP is known of no version that call answers.
type callSession struct {
	id    string
	queue *jsonrpc.Queue
}

// SessionID implements server.ClientSession.
func (s *callSession) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *callSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

// Initialize implements server.ClientSession.
func (s *callSession) Initialize() {}

// Initialized implements server.ClientSession.
func (s *callSession) Initialized() bool { return true }

// GetLogLevel implements server.SessionWithLogging. A client cannot set the level for later
// requests; error is what the library's transport begins with.
func (s *callSession) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelError }

// SetLogLevel implements server.SessionWithLogging. A call does not set it.
func (s *callSession) SetLogLevel(mcp.LoggingLevel) {}

// nextSession returns an ID that no other call has.
func (h *Handler) nextSession() string { return "call-" + strconv.FormatInt(h.calls.Add(1), 10) }

type headerKey struct{}

// withHeader gives tools the header of a request that the library's HTTP transport has
// not seen.
func withHeader(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if header, ok := ctx.Value(headerKey{}).(http.Header); ok {
			request.Header = header
		}
		return next(ctx, request)
	}
}

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
	queue *jsonrpc.Queue
}

// SessionID implements server.ClientSession.
func (s *session) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

type exchangeKey struct{}

// withSession puts the session of the call into its context, in place of the
// library's. It panics if that is not as expected, so that the request fails: its context
// would hold a session that is shared with other requests.
func (h *Handler) withSession(ctx context.Context) context.Context {
	x := ctx.Value(exchangeKey{}).(*exchange)
	return h.server.WithContext(ctx, &session{
		librarySession: server.ClientSessionFromContext(ctx).(librarySession),
		id:             h.nextSession(),
		queue:          &x.queue,
	})
}
