package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/jsonrpc"
)

// client is what the library keeps about the one client: what it said about
// itself with initialize. It leaves out what would ask the client something; see
// RequestElicitation.
type client interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	SetProtocolVersion(string)
}

// session is the client as seen by one of its requests. The notifications of
// the request have their own queue, so that the answer can wait for them.
type session struct {
	client
	connection *connection
	queue      *jsonrpc.Queue
}

// NotificationChannel implements server.ClientSession.
func (s session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }

// A Subscriber holds the subscriptions of the client (resources/subscribe, up to
// protocol version 2025-11-25).
type Subscriber interface {
	Add(ctx context.Context, uri string) error
	Remove(uri string)
	Close()
}

// subscribing is a session whose client can subscribe to resources.
type subscribing struct {
	session
	ctx context.Context // of the request: the library passes none on
	to  Subscriber
}

// session returns the session of one request.
func (c *connection) session(ctx context.Context, queue *jsonrpc.Queue) server.ClientSession {
	s := session{c.client, c, queue}
	if c.subscriptions == nil || jsonrpc.ListeningFrom(ctx) != nil { // a hook serves subscriptions/listen
		return s
	}
	return subscribing{s, ctx, c.subscriptions}
}

// SubscribeToResourceErr implements server.SessionWithResourceSubscriptionsErr.
func (s subscribing) SubscribeToResourceErr(uri string) error { return s.to.Add(s.ctx, uri) }

// UnsubscribeFromResource implements server.SessionWithResourceSubscriptions.
func (s subscribing) UnsubscribeFromResource(uri string) { s.to.Remove(uri) }

// SubscribeToResource implements server.SessionWithResourceSubscriptions. The library
// calls SubscribeToResourceErr.
func (s subscribing) SubscribeToResource(uri string) { _ = s.SubscribeToResourceErr(uri) }

// SubscribedResources implements server.SessionWithResourceSubscriptions, for what the
// library broadcasts: nothing.
func (subscribing) SubscribedResources() []string { return nil }

// IsSubscribedToResource implements server.SessionWithResourceSubscriptions.
func (subscribing) IsSubscribedToResource(string) bool { return false }

var (
	errInputEnded = errors.New("the client sends nothing any more")
	errNoAnswer   = errors.New("the client answered with an error")
)

// RequestElicitation implements server.SessionWithElicitation: it asks the client
// something, and waits for the answer until ctx is done or the input ends. Meanwhile,
// the request that it asks for does not count as one that waits for Outline.
func (s session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	raw, err := s.connection.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	answer := new(mcp.ElicitationResult)
	if err := json.Unmarshal(raw, answer); err != nil {
		return nil, fmt.Errorf("read the answer of the client: %w", err)
	}
	return answer, nil
}

// ask sends a request to the client and returns the result.
func (c *connection) ask(ctx context.Context, request mcp.ElicitationRequest) (json.RawMessage, error) {
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
	c.write(mcp.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Request: request.Request, Params: request.Params})
	select {
	case answer := <-answers:
		if answer.Result == nil {
			return nil, errNoAnswer
		}
		return answer.Result, nil
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
