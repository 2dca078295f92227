package app

import (
	"context"
	"regexp"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/outline"
)

// traceparent is the header's only version so far, and state a sober reading
// of what tracestate may hold (W3C Trace Context, sections 3.2.2 and 3.3.1).
var (
	traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)
	tracestate  = regexp.MustCompile(`^[\x20-\x7e]{1,512}$`)
)

type traceIDKey struct{}

// traced takes the trace that a request belongs to from its _meta (MCP
// 2026-07-28) or else from the header of its HTTP request, so that it is
// logged and passed on to Outline. One that is malformed is left out.
func traced(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		parent, state := request.Header.Get("Traceparent"), request.Header.Get("Tracestate")
		if meta := request.Params.Meta; meta != nil {
			if given, ok := meta.AdditionalFields["traceparent"].(string); ok {
				parent = given
				state, _ = meta.AdditionalFields["tracestate"].(string)
			}
		}
		if id := traceparent.FindStringSubmatch(parent); id != nil {
			if !tracestate.MatchString(state) {
				state = ""
			}
			ctx = outline.ContextWithTrace(ctx, outline.Trace{Parent: parent, State: state})
			ctx = context.WithValue(ctx, traceIDKey{}, id[1])
		}
		return next(ctx, request)
	}
}

// traceID returns the ID of the trace that a call belongs to, "" if none.
func traceID(ctx context.Context) string {
	id, _ := ctx.Value(traceIDKey{}).(string)
	return id
}
