// Package stdio serves the stdio transport of MCP: one client, whose messages
// are lines (specification, basic/transports, stdio).
//
// What a message means is the library's. This package reads and writes the
// lines, and closes what the library's own transport leaves open: at the end of
// input it answers what was asked before, the last line counts without its
// newline, and no answer overtakes the progress of its call.
package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/notify"
)

const (
	// atATime is how many requests of the client run at a time. Assistants call
	// tools in parallel, and each call mostly waits for Outline.
	atATime = 32
	// ahead is how many requests are read before they can run.
	ahead = 128
	// stopWithin is how long requests that are running may take to notice that
	// the program was told to end.
	stopWithin = 500 * time.Millisecond
)

// Server serves one client.
type Server struct {
	MCP *server.MCPServer
	Log *slog.Logger
	// CallTimeout is how long a request may take. When none was answered for
	// so long after the end of input, the rest of them is given up.
	CallTimeout time.Duration
}

// Serve answers the messages of in on out until the input ends and all requests
// are answered, or ctx is done. Nothing else may write to out. It fails when
// requests are left without an answer at the end of input, and when in or out
// fails.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &connection{
		Server: s,
		client: newClient(),
		out:    out,
		stop:   stop,
		turns:  make(chan struct{}, atATime),
		room:   make(chan struct{}, ahead),
		ended:  make(chan struct{}, 1),
	}
	err := c.read(ctx, in)
	if err == nil {
		err = c.drain(ctx)
	}
	stop()
	c.wait(stopWithin)
	return cmp.Or(err, c.close())
}

// connection is what Serve keeps while it runs.
type connection struct {
	Server
	client client
	stop   context.CancelFunc

	writing sync.Mutex
	out     io.Writer
	broken  error // of out

	running sync.WaitGroup
	turns   chan struct{} // held by requests that run
	room    chan struct{} // held by requests that are not answered
	ended   chan struct{} // tells drain that an answer was given
}

// read starts what the client asks, until the input ends or ctx is done.
func (c *connection) read(ctx context.Context, in io.Reader) error {
	type input struct {
		line []byte
		err  error
	}
	inputs := make(chan input)
	go func() { // which ends with the input: a read cannot be interrupted
		for lines := newLines(in); ; {
			line, err := lines.next()
			select {
			case inputs <- input{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLineTooLong) {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case next := <-inputs:
			switch {
			case errors.Is(next.err, errLineTooLong): // its ID is not known (JSON-RPC 2.0, section 5)
				c.write(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, next.err.Error(), nil))
			case errors.Is(next.err, io.EOF):
				return nil
			case next.err != nil:
				return fmt.Errorf("read a message: %w", next.err)
			default:
				c.take(ctx, next.line)
			}
		}
	}
}

// take begins to answer a message.
func (c *connection) take(ctx context.Context, line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method mcp.MCPMethod   `json:"method"`
	}
	_ = json.Unmarshal(line, &m) // the library says what is wrong with it
	isRequest := m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case !isRequest, m.Method == mcp.MethodInitialize:
		// What comes after a notification or initialize relies on it.
		c.answer(ctx, m.ID, line)
	case m.Method == mcp.MethodSubscriptionsListen: // ends when the client does
		c.running.Go(func() { c.answer(ctx, m.ID, line) })
	default:
		select {
		case c.room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		c.running.Go(func() {
			select {
			case c.turns <- struct{}{}:
				c.answer(ctx, m.ID, line)
				<-c.turns
			case <-ctx.Done():
			}
			<-c.room
			select {
			case c.ended <- struct{}{}:
			default: // drain has not seen the last one yet
			}
		})
	}
}

// answer answers a message, if it is a request.
func (c *connection) answer(ctx context.Context, id json.RawMessage, line []byte) {
	queue := &notify.Queue{Send: func(n mcp.JSONRPCNotification) { c.write(n) }}
	response := c.handle(c.MCP.WithContext(ctx, session{c.client, queue}), id, line)
	queue.Close()
	if response != nil {
		c.write(response)
	}
}

// handle has the library answer a message, and survives its panics.
func (c *connection) handle(ctx context.Context, id json.RawMessage, line []byte) (response mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.Log.ErrorContext(ctx, "a message made the library panic", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			response = mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "this server failed to handle the message; its log has the details", nil)
		}
	}()
	return c.MCP.HandleMessage(ctx, line)
}

// write sends a message. When that fails the client has gone: nothing more is
// sent, and Serve ends.
func (c *connection) write(message mcp.JSONRPCMessage) {
	line, err := encode(message)
	if err != nil {
		c.Log.Error("an answer cannot be given", "error", err)
		response, ok := message.(mcp.JSONRPCResponse)
		if !ok {
			return
		}
		line, err = encode(mcp.NewJSONRPCError(response.ID, mcp.INTERNAL_ERROR, "the answer cannot be encoded", nil))
		if err != nil {
			return
		}
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.broken != nil {
		return
	}
	if _, err := c.out.Write(line); err != nil {
		c.broken = fmt.Errorf("write a message: %w", err)
		c.stop()
	}
}

// drain returns when all requests are answered. When none is for longer than a
// call may take, it gives the rest up. That time counts from the last answer,
// not from the end of input: requests wait for one another.
func (c *connection) drain(ctx context.Context) error {
	grace := c.CallTimeout + stopWithin
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for len(c.room) > 0 {
		select {
		case <-c.ended:
			timer.Reset(grace)
		case <-timer.C:
			return fmt.Errorf("%d requests have no answer %s after the last one", len(c.room), grace)
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// wait returns when nothing runs any more, or after limit.
func (c *connection) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// close keeps what still runs from writing, and returns why out was given up.
func (c *connection) close() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	broken := c.broken
	c.broken = io.ErrClosedPipe
	return broken
}
