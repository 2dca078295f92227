package confirm

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/clientcaps"
)

// canAsk reports whether the client of a request can show a form to the person. The
// library does not check it.
func canAsk(ctx context.Context) bool {
	_, asks := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	return (asks || server.IsModernRequest(ctx)) && showsForms(clientcaps.Of(ctx))
}

// showsForms reports whether a client declares forms. One that names no kind means
// forms (MCP specification, client/elicitation).
func showsForms(c mcp.ClientCapabilities) bool {
	return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// field is the name of the question in the result of a call, and of the answer.
const field = "answer"

// Asked is the question that a call ends with.
type Asked struct {
	params mcp.ElicitationParams
	state  string
}

// Result returns the result of a call that asks a client of protocol version
// 2026-07-28. It returns nil for other clients; see Put.
func (a *Asked) Result(ctx context.Context) *mcp.CallToolResult {
	if !server.IsModernRequest(ctx) {
		return nil
	}
	return server.NewInputRequestBuilder(a.state).Elicit(field, a.params).ToolResult()
}

// Put asks a client of an earlier version with elicitation/create, waits for the
// answer, and returns what to call the tool with again.
func (a *Asked) Put(ctx context.Context) mcp.MultiRoundTripParams {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: notShown}}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation); ok {
		request := mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: a.params}
		if given, err := session.RequestElicitation(ctx, request); err == nil {
			answer = given
		} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			answer.Action = timedOut
		}
	}
	return mcp.MultiRoundTripParams{InputResponses: mcp.InputResponses{field: mcp.NewElicitationInputResponse(*answer)}, RequestState: a.state}
}

// answerOf returns the answer that a client sent, or nil.
func answerOf(given mcp.InputResponses) *mcp.ElicitationResponse {
	result := server.ElicitationResponse(given, field)
	if result == nil {
		return nil
	}
	return &result.ElicitationResponse
}
