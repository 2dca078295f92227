package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"
)

const (
	// atATime is how many requests that may wait for Outline run at a time.
	// Assistants call tools in parallel, and each call mostly waits for Outline.
	atATime = 32
	// maxPending is the memory for messages that are not answered yet, in bytes;
	// no more are read while it is full. Each message counts for overhead more
	// than its length.
	maxPending, overhead = 32 << 20, 4 << 10
	// stopWithin is how long running calls may take to notice that the program
	// is about to end.
	stopWithin = 500 * time.Millisecond
)

// Stdio serves the stdio transport of MCP: one client, whose messages are lines
// (specification, basic/transports, stdio).
//
// It does what the library's own transport does not: it answers all requests before it
// ends with its input, accepts a last line without a newline, sends the progress of a call
// before its answer, cancels calls that have not started, and does not let a client that
// stops reading block anything else. It writes the encoded result of a tool as it is, where
// encoding/json would check it and copy it twice more.
type Stdio struct {
	MCP *server.MCPServer
	Log *slog.Logger
	// CallTimeout is how long a request may take. If none is answered for that
	// long after the end of input, the remaining ones are abandoned.
	CallTimeout time.Duration
	// HoldArguments keeps the arguments of tools from the library, which would
	// decode them into maps and lists. All tools of the server must get theirs
	// from Arguments.
	HoldArguments bool
	// Methods are those that the library does not know.
	Methods Methods
}

// Serve answers the messages of in on out until the input ends and all requests
// are answered, or ctx is done. Requests are handled with a context derived from
// ctx. Nothing else may write to out. Serve fails if requests remain without an
// answer at the end of input, and if in or out fails. It does not wait for a Read
// or a Write that does not return.
func (s Stdio) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &connection{
		Stdio:    s,
		client:   server.NewInProcessSession("stdio", nil),
		stop:     stop,
		out:      output{out: out, writing: make(chan struct{}, 1), closed: make(chan struct{})},
		slots:    make(chan struct{}, atATime),
		memory:   semaphore.NewWeighted(maxPending),
		answered: make(chan struct{}, 1),
		requests: map[string]context.CancelCauseFunc{},

		questions:  map[string]chan<- message{},
		inputEnded: make(chan struct{}),
	}
	defer close(c.out.closed)
	err := c.read(ctx, in)
	close(c.inputEnded)
	if err == nil {
		err = c.drain(ctx)
	}
	if failure := context.Cause(ctx); errors.Is(failure, errWrite) {
		err = cmp.Or(err, failure)
	}
	stop(nil)
	c.wait(stopWithin)
	return err
}

// connection is the state of a running Serve.
type connection struct {
	Stdio
	client client
	stop   context.CancelCauseFunc
	out    output

	running  sync.WaitGroup
	slots    chan struct{}       // held by requests that may wait for Outline
	memory   *semaphore.Weighted // held by messages that are not answered
	pending  atomic.Int64        // messages that are not answered
	answered chan struct{}       // signals drain that one was

	inputEnded chan struct{} // closed when nothing more is read

	mu        sync.Mutex
	requests  map[string]context.CancelCauseFunc // by ID
	questions map[string]chan<- message          // to the client, by ID
	asked     int                                // how many there have been
}

// drain returns when all requests are answered. If none is for longer than a
// call may take, it abandons the rest. That time counts from the last answer,
// not from the end of input, because requests wait for one another.
func (c *connection) drain(ctx context.Context) error {
	grace := c.CallTimeout + stopWithin
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for c.pending.Load() > 0 {
		select {
		case <-c.answered:
			timer.Reset(grace)
		case <-timer.C:
			return fmt.Errorf("%d requests have no answer %s after the last one", c.pending.Load(), grace)
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// wait returns when nothing is running, or after limit.
func (c *connection) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// output writes one line at a time. A client that does not read can block a
// Write forever; other writers stop waiting for it when closed is closed.
type output struct {
	out     io.Writer
	writing chan struct{} // held while writing
	closed  chan struct{}
	broken  bool // out has failed; guarded by writing
}

// errWrite is the cause of a context that ends because the client cannot be written to.
var errWrite = errors.New("write a message")

// write writes a line. Only the first write that fails returns an error; later
// ones write nothing.
func (o *output) write(line []byte) error {
	select {
	case <-o.closed:
		return nil
	case o.writing <- struct{}{}:
	}
	defer func() { <-o.writing }()
	if o.broken {
		return nil
	}
	if _, err := o.out.Write(line); err != nil {
		o.broken = true
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}

// client is what the library keeps about the one client: what it said about
// itself with initialize. It omits what would ask the client something; see
// RequestElicitation.
type client interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	SetProtocolVersion(string)
}

// stdioSession is the client as seen by one of its requests. The notifications of
// the request have their own queue, so that the answer can wait for them.
type stdioSession struct {
	client
	connection *connection
	queue      *notifyQueue
}

// NotificationChannel implements server.ClientSession.
func (s stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

var (
	errInputEnded = errors.New("the client no longer sends anything")
	errNoAnswer   = errors.New("the client answered with an error")
)

// RequestElicitation implements server.SessionWithElicitation: it asks the client
// something, and waits for the answer until ctx is done or the input ends. Meanwhile,
// the request that it asks for does not count as one that waits for Outline.
func (s stdioSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return ask[mcp.ElicitationResult](ctx, s.connection, request.Request, request.Params)
}

// ListRoots implements server.SessionWithRoots, in the same way.
func (s stdioSession) ListRoots(ctx context.Context, request mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return ask[mcp.ListRootsResult](ctx, s.connection, request.Request, nil)
}

// ask sends a request to the client and returns the result.
func ask[Result any](ctx context.Context, c *connection, request mcp.Request, params any) (*Result, error) {
	answers := make(chan message, 1)
	c.mu.Lock()
	c.asked++
	id := json.RawMessage(strconv.Quote("ask-" + strconv.Itoa(c.asked)))
	c.questions[string(id)] = answers
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.questions, string(id))
	}()
	<-c.slots
	defer func() { c.slots <- struct{}{} }()
	c.write(mcp.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Request: request, Params: params})
	select {
	case answer := <-answers:
		if answer.Result == nil {
			return nil, errNoAnswer
		}
		result := new(Result)
		if err := json.Unmarshal(answer.Result, result); err != nil {
			return nil, fmt.Errorf("read the answer of the client: %w", err)
		}
		return result, nil
	case <-c.inputEnded:
		return nil, errInputEnded
	case <-ctx.Done():
		// The client may still show the question.
		c.write(mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id}},
		}})
		return nil, ctx.Err()
	}
}

// answers reports whether a message answers a question, and hands it over.
func (c *connection) answers(m message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.questions[string(m.ID)]
	if ok = ok && m.Method == ""; ok {
		delete(c.questions, string(m.ID)) // a second answer would find nobody
		waiting <- m
	}
	return ok
}
