package wire

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
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
	// Timeout is the time after which no message of a batch begins; 0 means none.
	Timeout       time.Duration
	HoldArguments bool
	// Remember names an extension. What clients of earlier versions declare of it
	// when they initialize is known of their later requests, too; see
	// ClientCapabilities. Without a name, nothing is.
	Remember string

	// Methods are those that the library does not know.
	Methods Methods

	server *server.MCPServer
	log    *slog.Logger
	calls  atomic.Int64
}

// NewHTTP returns a handler that serves s. It logs what clients are not told.
func NewHTTP(s *server.MCPServer, log *slog.Logger) *HTTP {
	return &HTTP{server: s, log: log}
}

// Serve answers a POST with one JSON-RPC message as its body, or a batch of them. When the
// request's context is done, so is the call.
func (h *HTTP) Serve(w http.ResponseWriter, r *http.Request, body []byte) {
	messages, err := messagesOf(body)
	switch {
	case err != nil:
		refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, err.Error()).write(w)
	case messages != nil:
		h.serveBatch(w, r, messages)
	default:
		h.serveOne(w, r, body)
	}
}

func (h *HTTP) serveOne(w http.ResponseWriter, r *http.Request, body []byte) {
	m, problem := read(r.Header, body, h.HoldArguments)
	if problem != nil {
		problem.write(w)
		return
	}
	// Over HTTP a call is cancelled by closing its request. A notification cannot say whose
	// call it means, because different clients use the same IDs. No other notification changes
	// anything, and this server asks clients nothing that they could answer.
	if m.ID == nil || m.isResponse() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if problem = m.checkHeaders(r.Header, h.server); problem != nil {
		problem.write(w)
		return
	}
	ctx, abort := context.WithCancel(r.Context())
	defer abort()
	x := &exchange{w: w, id: m.ID, accept: r.Header.Values("Accept"), modern: isModern(r.Header), abort: abort}
	x.queue.Send = x.event
	defer x.queue.Close() // even if the call panics
	// Handlers get only this part of the header: none of them, and no log, ever sees a key.
	ctx = context.WithValue(ctx, traceKey{}, [2]string{r.Header.Get("Traceparent"), r.Header.Get("Tracestate")})
	switch {
	case h.Remember == "" || x.modern:
	case m.Method == string(mcp.MethodInitialize):
		h.remember(m, w.Header())
	default:
		ctx = h.remembered(ctx, r.Header)
	}
	m.content = m.rewritten()
	session := &callSession{id: "call-" + strconv.FormatInt(h.calls.Add(1), 10), queue: &x.queue}
	answer := h.Methods.handle(ctx, h.server, session, m)
	x.queue.Close()
	if x.isBroken() {
		panic(http.ErrAbortHandler)
	}
	if r.Context().Err() != nil {
		return // the client has gone
	}
	if err := x.reply(answer); err != nil {
		h.log.ErrorContext(ctx, "cannot encode an answer", "error", err)
	}
}

type traceKey struct{}

// Trace returns the trace in the header of the HTTP request of a context (W3C Trace Context),
// as the client or a proxy sent it.
func Trace(ctx context.Context) (parent, state string) {
	trace, _ := ctx.Value(traceKey{}).([2]string)
	return trace[0], trace[1]
}

// maxRemembered is the maximum length of what a client says about an extension, as JSON.
const maxRemembered = 512

// remember gives a client that declares the extension to remember a session ID, which
// contains the declaration. Clients of versions up to 2025-11-25 declare what they can do
// in initialize only, and send the session ID with all later requests (MCP 2025-11-25,
// basic/transports, Session Management). So any server knows it, and none keeps anything.
func (h *HTTP) remember(m message, header http.Header) {
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
	return context.WithValue(ctx, clientKey{}, mcp.ClientCapabilities{Extensions: map[string]any{h.Remember: declared}})
}

// A callSession is the session of one request. Because it has its own ID, whatever the
// library stores by session and request ID cannot be mixed up with that of another request.
// It holds nothing that a client may have said about itself, and asks the client nothing:
// without sessions no answer could come back.
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
// requests; error is what the library's transports begin with.
func (s *callSession) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelError }

// SetLogLevel implements server.SessionWithLogging. A call does not set it.
func (s *callSession) SetLogLevel(mcp.LoggingLevel) {}
