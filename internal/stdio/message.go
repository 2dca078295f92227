package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/notify"
)

// message is what of a message says what to do with it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method mcp.MCPMethod   `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
	} `json:"params"`

	line []byte
}

// isRequest reports whether the message is to be answered.
func (m message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" }

// read takes what the client sends, until the input ends or ctx is done.
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
				c.later(ctx, message{}, func() {
					c.write(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, next.err.Error(), nil))
				})
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

// take begins to answer a message. It waits for no call, and for no client that
// does not read.
func (c *connection) take(ctx context.Context, line []byte) {
	m := message{line: line}
	_ = json.Unmarshal(line, &m) // the library says what is wrong with it
	switch {
	case m.Method == mcp.MethodNotificationCancelled && !m.isRequest():
		c.cancel(m.Params.RequestID)
	case !m.isRequest(), m.Method == mcp.MethodInitialize:
		// What comes after relies on it, so it is handled before that is read.
		queue := &notify.Queue{Send: c.notify}
		response := c.handle(ctx, m, queue)
		c.later(ctx, m, func() { c.give(response, queue) })
	default:
		ctx, forget := c.remember(ctx, m.ID)
		c.later(ctx, m, func() {
			defer forget()
			c.answer(ctx, m)
		})
	}
}

// later does what is left of a message beside all others, when there is room
// for it.
func (c *connection) later(ctx context.Context, m message, do func()) {
	size := int64(len(m.line) + overhead)
	if err := c.room.Acquire(ctx, size); err != nil {
		size = 0 // the end has come: it is told so, and ends
	}
	isOwed := m.Method != mcp.MethodSubscriptionsListen // which ends when the client does
	if isOwed {
		c.owed.Add(1)
	}
	c.running.Go(func() {
		do()
		c.room.Release(size)
		if !isOwed {
			return
		}
		c.owed.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default: // drain has not seen the last one yet
		}
	})
}

// errCancelled is the cause when the client cancelled a request.
var errCancelled = errors.New("cancelled by the client")

// remember returns a context that the client can cancel by the ID of a request.
func (c *connection) remember(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[string(id)] = cancel
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.requests, string(id))
	}
}

// cancel ends a request, begun or not.
func (c *connection) cancel(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.requests[string(id)]; ok {
		cancel(errCancelled)
	}
}

// waitsForOutline reports whether a request may wait for Outline. A ping must not
// wait behind such requests.
func (m message) waitsForOutline() bool {
	switch m.Method {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodResourcesList, mcp.MethodPromptsGet, mcp.MethodPromptsList, mcp.MethodCompletionComplete:
		return true
	}
	return false
}

// answer answers a request. A request that was cancelled has no answer (MCP
// specification, basic/utilities/cancellation).
func (c *connection) answer(ctx context.Context, m message) {
	if m.waitsForOutline() {
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
		case <-ctx.Done():
			return
		}
	}
	queue := &notify.Queue{Send: c.notify}
	response := c.handle(ctx, m, queue)
	if errors.Is(context.Cause(ctx), errCancelled) {
		response = nil
	}
	c.give(response, queue)
}

// give sends what is left in queue, and then a response if there is one.
func (c *connection) give(response mcp.JSONRPCMessage, queue *notify.Queue) {
	queue.Close()
	if response != nil {
		c.write(response)
	}
}

func (c *connection) notify(n mcp.JSONRPCNotification) { c.write(n) }

// handle has the library handle a message, and survives its panics.
func (c *connection) handle(ctx context.Context, m message, queue *notify.Queue) (response mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.Log.ErrorContext(ctx, "a message made the library panic", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			response = nil
			if m.isRequest() {
				response = mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INTERNAL_ERROR, "this server failed to handle the message; its log has the details", nil)
			}
		}
	}()
	return c.MCP.HandleMessage(c.MCP.WithContext(ctx, session{c.client, queue}), m.line)
}

// write sends a message. When that fails the client has gone, and Serve ends.
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
	if err := c.out.write(line); err != nil {
		c.stop()
	}
}
