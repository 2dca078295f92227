package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
)

// maxLine is the longest message that is read, in bytes. Outline takes
// requests of up to 5 MiB.
const maxLine = 16 << 20

// read dispatches what the client sends until the input ends or ctx is done.
func (c *connection) read(ctx context.Context, in io.Reader) error {
	type input struct {
		line []byte
		err  error
	}
	inputs := make(chan input)
	go func() { // ends with the input: a read cannot be interrupted
		for lines := text.NewLineReader(in, maxLine); ; {
			line, err := lines.Next()
			select {
			case inputs <- input{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, text.ErrTooLong) {
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
			case errors.Is(next.err, text.ErrTooLong): // its ID is unknown (JSON-RPC 2.0, section 5)
				c.refuse(ctx, message{}, mcp.PARSE_ERROR, fmt.Sprintf("message longer than %d MiB", maxLine>>20))
			case errors.Is(next.err, io.EOF):
				return nil
			case next.err != nil:
				return fmt.Errorf("read a message: %w", next.err)
			default:
				c.dispatchLine(ctx, next.line)
			}
		}
	}
}

// dispatchLine dispatches a message, or the messages of a batch, which are answered one by
// one: each has its ID.
func (c *connection) dispatchLine(ctx context.Context, line []byte) {
	messages, err := messagesOf(line)
	switch {
	case err != nil:
		c.refuse(ctx, message{}, mcp.INVALID_REQUEST, err.Error())
	case messages == nil:
		c.dispatch(ctx, line)
	}
	for _, message := range messages {
		c.dispatch(ctx, message)
	}
}

// dispatch starts to handle a message. It does not wait for calls, nor for a
// client that does not read.
func (c *connection) dispatch(ctx context.Context, line []byte) {
	m := newMessage(line, c.HoldArguments)
	_ = m.decode()
	problem := ""
	if m.isRequest() {
		problem = nameProblem(m.Method, m.params.Name)
		if !isID(m.ID) {
			problem, m.ID = "id must be a string or a number, in UTF-8", nil
		}
	}
	switch {
	case problem != "":
		c.refuse(ctx, m, mcp.INVALID_REQUEST, problem)
	case c.answers(m):
	case m.Method == string(mcp.MethodNotificationCancelled) && !m.isRequest():
		c.cancel(m.params.RequestID)
	case !m.isRequest(), m.Method == string(mcp.MethodInitialize):
		// Later messages rely on it, so it is handled before they are read.
		queue := &notifyQueue{Send: c.notify}
		response := c.handle(ctx, m, queue)
		c.later(ctx, m, func() { c.respond(response, queue) })
	default:
		ctx, release := c.cancellable(ctx, m.ID)
		c.later(ctx, m, func() {
			defer release()
			c.answer(ctx, m)
		})
	}
}

// refuse answers a message with an error.
func (c *connection) refuse(ctx context.Context, m message, code int, problem string) {
	c.later(ctx, m, func() { c.write(mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), code, problem, nil)) })
}

// later handles the rest of a message concurrently with all others, as soon as
// there is memory for it.
func (c *connection) later(ctx context.Context, m message, do func()) {
	size := int64(len(m.content) + len(m.arguments) + overhead)
	if err := c.memory.Acquire(ctx, size); err != nil {
		size = 0 // ctx is done, and do ends soon
	}
	c.pending.Add(1)
	c.running.Go(func() {
		do()
		c.memory.Release(size)
		c.pending.Add(-1)
		select {
		case c.answered <- struct{}{}:
		default: // drain has not received the previous one yet
		}
	})
}

// errCancelled is the cause of a context that the client cancelled.
var errCancelled = errors.New("cancelled by the client")

// cancellable returns a context that the client can cancel by the ID of a
// request, until the returned function is called.
func (c *connection) cancellable(ctx context.Context, id json.RawMessage) (context.Context, func()) {
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

// cancel cancels a request, even one that has not started.
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
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodResourcesList, mcp.MethodPromptsGet, mcp.MethodPromptsList, mcp.MethodCompletionComplete, "skills/list", "skills/get":
		return true
	}
	return false
}

// answer answers a request. A request that was cancelled has no answer (MCP
// specification, basic/utilities/cancellation).
func (c *connection) answer(ctx context.Context, m message) {
	if m.waitsForOutline() {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return
		}
	}
	queue := &notifyQueue{Send: c.notify}
	response := c.handle(ctx, m, queue)
	if errors.Is(context.Cause(ctx), errCancelled) {
		response = nil
	}
	c.respond(response, queue)
}

// respond sends what is left in queue, and then a response if there is one.
func (c *connection) respond(response mcp.JSONRPCMessage, queue *notifyQueue) {
	queue.Close()
	if response != nil {
		c.write(response)
	}
}

func (c *connection) notify(n mcp.JSONRPCNotification) { c.write(n) }

// handle lets the library handle a message, and recovers from its panics.
func (c *connection) handle(ctx context.Context, m message, queue *notifyQueue) (response mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.Log.ErrorContext(ctx, "panic in the MCP library", "panic", text.OfPanic(p), "stack", string(debug.Stack()))
			response = nil
			if m.isRequest() {
				response = mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INTERNAL_ERROR, "this server failed to handle the message; its log has the details", nil)
			}
		}
	}()
	return c.Methods.handle(ctx, c.MCP, stdioSession{c.client, c, queue}, m)
}

// write sends a message. If that fails the client has gone, and Serve ends.
func (c *connection) write(message mcp.JSONRPCMessage) {
	line, err := Encode(message)
	if err != nil {
		c.Log.Error("cannot encode an answer", "error", err)
		if response, ok := message.(mcp.JSONRPCResponse); ok {
			c.write(mcp.NewJSONRPCError(response.ID, mcp.INTERNAL_ERROR, "the answer cannot be encoded", nil))
		}
		return
	}
	if err := c.out.write(line); err != nil {
		c.stop(err)
	}
}
