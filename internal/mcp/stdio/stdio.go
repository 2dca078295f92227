// Package stdio serves the stdio transport of MCP: one client, whose messages
// are lines (specification, basic/transports, stdio).
//
// The MCP library handles the messages. This package reads and writes the lines,
// and does what the library's own transport does not: it answers all requests
// before it ends with its input, accepts a last line without a newline, sends the
// progress of a call before its answer, cancels calls that have not started, and
// does not let a client that stops reading block anything else. It writes the encoded
// result of a tool as it is, where encoding/json would check it and copy it twice more.
package stdio

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"

	"outline-mcp/internal/mcp/jsonrpc"
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

// Server serves one client.
type Server struct {
	MCP *server.MCPServer
	Log *slog.Logger
	// CallTimeout is how long a request may take. If none is answered for that
	// long after the end of input, the remaining ones are abandoned.
	CallTimeout time.Duration
	// HoldArguments keeps the arguments of tools from the library, which would
	// decode them into maps and lists. All tools of the server must get theirs
	// from jsonrpc.Arguments.
	HoldArguments bool
	// Methods are those that the library does not know.
	Methods jsonrpc.Methods
	// Subscribe returns what holds the subscriptions of the client. Send sends a
	// notification to it, at any time. nil means that there are no subscriptions.
	Subscribe func(send func(mcp.JSONRPCNotification)) Subscriber
}

// Serve answers the messages of in on out until the input ends and all requests
// are answered, or ctx is done. Requests are handled with a context derived from
// ctx. Nothing else may write to out. Serve fails if requests remain without an
// answer at the end of input, and if in or out fails. It does not wait for a Read
// or a Write that does not return.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &connection{
		Server:   s,
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
	if s.Subscribe != nil {
		c.subscriptions = s.Subscribe(c.notify)
		defer c.subscriptions.Close()
	}
	err := c.read(ctx, in)
	close(c.inputEnded)
	if err == nil {
		err = c.drain(ctx)
	}
	stop()
	c.wait(stopWithin)
	return cmp.Or(err, c.out.failure())
}

// connection is the state of a running Serve.
type connection struct {
	Server
	client client
	stop   context.CancelFunc
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

	subscriptions Subscriber // nil if there are none
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
	broken  atomic.Pointer[error] // the first error of out
}

// write writes a line. Only the first write that fails returns an error; later
// ones write nothing.
func (o *output) write(line []byte) error {
	select {
	case <-o.closed:
		return nil
	case o.writing <- struct{}{}:
	}
	defer func() { <-o.writing }()
	if o.broken.Load() != nil {
		return nil
	}
	if _, err := o.out.Write(line); err != nil {
		err = fmt.Errorf("write a message: %w", err)
		o.broken.Store(&err)
		return err
	}
	return nil
}

// failure returns the error that out failed with, or nil.
func (o *output) failure() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return nil
}
