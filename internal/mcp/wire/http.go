package wire

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HTTP serves the Streamable HTTP transport of MCP, in all protocol versions from
// 2024-11-05 to 2026-07-28, without keeping sessions: each POST is independent, and any
// number of servers can share one address.
//
// The MCP library dispatches requests and checks their version. HTTP adds what the library
// lacks: it isolates calls from each other, writes all progress of a call to its own
// stream, and rejects invalid messages with a reason.
type HTTP struct {
	// HoldArguments keeps the arguments of tools from the library, which would
	// decode them into maps and lists. All tools of the server must get theirs
	// from Arguments.
	HoldArguments bool
	// Remember names an extension. What clients of earlier versions declare of it
	// when they initialize is known of their later requests, too; see
	// ClientCapabilities. Without a name, nothing is.
	Remember string

	// Methods are those that the library does not know.
	Methods Methods

	server *server.MCPServer
	http   *server.StreamableHTTPServer
	calls  atomic.Int64
	// keepAlive is how often a comment is sent on a stream of subscriptions.
	keepAlive time.Duration
}

// NewHTTP returns a handler that serves s. The library writes to log what it cannot
// tell the client.
func NewHTTP(s *server.MCPServer, log *slog.Logger) *HTTP {
	h := &HTTP{server: s, keepAlive: keepAlive}
	h.http = server.NewStreamableHTTPServer(s,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
		server.WithStreamableHTTPLogger(log),
		server.WithStreamableHTTPProtocolVersions(versions[:]...),
		server.WithHTTPContextFunc(func(ctx context.Context, _ *http.Request) context.Context { return h.withSession(ctx) }),
	)
	s.Use(withHeader)
	return h
}

// Serve answers a POST with one JSON-RPC message as its body. When the request's
// context is done, so is the call.
func (h *HTTP) Serve(w http.ResponseWriter, r *http.Request, body []byte) {
	var arguments []byte
	if h.HoldArguments {
		body, arguments = WithoutArguments(body)
	}
	m, problem := read(r.Header, body)
	if problem == nil {
		problem = m.checkVersion(r.Header)
	}
	if problem != nil {
		problem.write(w)
		return
	}
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	if problem := m.checkSubscription(r.Header, modern); problem != nil {
		problem.write(w)
		return
	}
	// Over HTTP a call is cancelled by closing its request. A notification cannot
	// say whose call it means: different clients use the same IDs.
	if m.ID == nil && m.Method == string(mcp.MethodNotificationCancelled) || m.isResponse() && !modern {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	x := newExchange(w, m.ID, r.Header.Values("Accept"))
	defer x.queue.Close() // even if the call panics
	ctx, failure := Failing(context.WithValue(r.Context(), exchangeKey{}, x), m.ID)
	x.failure, x.modern = failure, modern
	switch {
	case h.Remember == "" || modern:
	case m.Method == string(mcp.MethodInitialize):
		h.remember(m, x.header)
	default:
		ctx = h.remembered(ctx, r.Header)
	}
	if m.Method == string(mcp.MethodSubscriptionsListen) && m.ID != nil {
		var end func()
		ctx, end = x.listen(ctx, h.keepAlive)
		defer end()
	}
	if arguments != nil {
		ctx = withArguments(ctx, arguments)
	}
	if h.Methods[m.Method] != nil && m.ID != nil {
		if mcp.IsModernProtocol(m.params.Meta.ProtocolVersion()) != modern || modern && r.Header.Get(mcp.HeaderMethod) != m.Method {
			refuse(m.ID, http.StatusBadRequest, mcp.INVALID_REQUEST, "the headers Mcp-Protocol-Version and Mcp-Method must say what the message says").write(w)
			return
		}
		answer, _ := h.Methods.Answer(ctx, m.Method, body)
		x.reply(answer)
		return
	}
	if m.isCall() && !modern {
		h.call(ctx, x, m, r.Header)
		return
	}
	body, x.placeholder = withSafeID(m.negotiated(body), m.ID)
	h.http.Handle(x, &server.HTTPRequest{
		Method:  http.MethodPost,
		URL:     r.URL,
		Header:  protocolHeader(r.Header),
		Body:    body,
		Context: ctx,
	})
	x.end()
}

// lastEventID is mcp.HeaderLastEventID as net/http writes it. The library
// refuses to resume a stream by it.
const lastEventID = "Last-Event-Id"

// protocolHeader returns the part of a request's header that belongs to MCP, so
// that handlers and logs never see a key. It leaves out the session ID.
func protocolHeader(h http.Header) http.Header {
	kept := http.Header{}
	for name, values := range h {
		switch {
		case name == server.HeaderKeySessionID:
		case strings.HasPrefix(name, "Mcp-"), name == "Content-Type", name == lastEventID, name == "Traceparent", name == "Tracestate":
			kept[name] = values
		}
	}
	return kept
}

// maxRemembered is the maximum length of what a client says about an extension, as JSON.
const maxRemembered = 512

// remember gives a client that declares the extension to remember a session ID, which
// contains the declaration. Clients of versions up to 2025-11-25 declare what they can do
// in initialize only, and send the session ID with all later requests (MCP 2025-11-25,
// basic/transports, Session Management). So any server knows it, and none keeps anything.
func (h *HTTP) remember(m httpMessage, header http.Header) {
	var asked mcp.InitializeParams
	if json.Unmarshal(m.Params, &asked) != nil {
		return
	}
	declared, ok := asked.Capabilities.Extensions[h.Remember]
	if !ok {
		return
	}
	if encoded, err := json.Marshal(declared); err == nil && len(encoded) <= maxRemembered {
		header.Set(server.HeaderKeySessionID, rand.Text()+"."+base64.RawURLEncoding.EncodeToString(encoded))
	}
}

// remembered returns a context with what the session ID of a request says about the
// client. The client could say anything about itself: it gets nothing else by it.
func (h *HTTP) remembered(ctx context.Context, header http.Header) context.Context {
	_, encoded, _ := strings.Cut(header.Get(server.HeaderKeySessionID), ".")
	content, err := base64.RawURLEncoding.DecodeString(encoded)
	var declared any
	if err != nil || len(content) > maxRemembered || json.Unmarshal(content, &declared) != nil {
		return ctx
	}
	return withClientCapabilities(ctx, mcp.ClientCapabilities{Extensions: map[string]any{h.Remember: declared}})
}

// isCall reports whether the message is a call of a tool in protocol version
// 2025-11-25 or earlier, as far as the message says. The header may say otherwise.
func (m httpMessage) isCall() bool {
	return m.Method == string(mcp.MethodToolsCall) && m.ID != nil && m.Result == nil && m.Error == nil &&
		m.known && !mcp.IsModernProtocol(m.params.Meta.ProtocolVersion())
}

// call answers a call of a tool without the library's HTTP transport. What that adds to
// HandleMessage, for versions without headers to validate, is a session with buffers of
// several kilobytes, a goroutine, and four more times that the message is decoded.
//
// The library gets only what was read of the message.
func (h *HTTP) call(ctx context.Context, x *exchange, m httpMessage, header http.Header) {
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
	encoded, err := Encode(x.failure.Instead(answer, x.id))
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
	queue *notifyQueue
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
func (h *HTTP) nextSession() string { return "call-" + strconv.FormatInt(h.calls.Add(1), 10) }

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

// An httpSession belongs to one call. Because it has its own ID, whatever the
// library stores by session and request ID cannot be mixed up with that of
// another call.
type httpSession struct {
	librarySession
	id    string
	queue *notifyQueue
}

// SessionID implements server.ClientSession.
func (s *httpSession) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *httpSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

type exchangeKey struct{}

// withSession puts the session of the call into its context, in place of the
// library's. It panics if that is not as expected, so that the request fails: its context
// would hold a session that is shared with other requests.
func (h *HTTP) withSession(ctx context.Context) context.Context {
	x := ctx.Value(exchangeKey{}).(*exchange)
	return h.server.WithContext(ctx, &httpSession{
		librarySession: server.ClientSessionFromContext(ctx).(librarySession),
		id:             h.nextSession(),
		queue:          &x.queue,
	})
}
