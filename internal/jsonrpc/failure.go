package jsonrpc

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Failure is the error with which a request ends, whatever the MCP library
// answers: its handlers cannot choose the code of an error, and its hooks cannot
// return one. Failing gives each request one, which Fail fills.
type Failure struct {
	Code    int // of JSON-RPC; 0 means that the library's answer stands
	Message string
	Data    any // may be nil
}

type failureKey struct{}

// failing is what the context of a request holds.
type failing struct {
	Failure
	id json.RawMessage
}

// Failing returns a context for one request, whose handlers may call Fail. id is that
// of the request; nil stands for the one of ctx.
func Failing(ctx context.Context, id json.RawMessage) (context.Context, *Failure) {
	if id == nil {
		id = RequestID(ctx)
	}
	f := &failing{id: id}
	return context.WithValue(ctx, failureKey{}, f), &f.Failure
}

// RequestID returns the ID of the request of the context, a string or a number in JSON,
// or nil if it is not known.
func RequestID(ctx context.Context) json.RawMessage {
	if f, ok := ctx.Value(failureKey{}).(*failing); ok {
		return f.id
	}
	return nil
}

// Fail ends the request of the context with an error. It must be called before the
// library has answered. Without Failing it does nothing.
func Fail(ctx context.Context, failure Failure) {
	if f, ok := ctx.Value(failureKey{}).(*failing); ok {
		f.Failure = failure
	}
}

// Instead returns what to answer a request with: the failure, or else the answer of
// the library.
func (f *Failure) Instead(answer mcp.JSONRPCMessage) mcp.JSONRPCMessage {
	if f.Code == 0 {
		return answer
	}
	switch answer := answer.(type) {
	case mcp.JSONRPCResponse:
		return mcp.NewJSONRPCError(answer.ID, f.Code, f.Message, f.Data)
	case mcp.JSONRPCError:
		return mcp.NewJSONRPCError(answer.ID, f.Code, f.Message, f.Data)
	}
	return answer
}
