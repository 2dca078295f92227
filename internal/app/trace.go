package app

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/outline"
)

// traceIDOf returns the trace ID of a traceparent, "" of what is none: version
// 00, trace ID, parent ID and flags, in lower-case hexadecimal digits (W3C Trace
// Context, section 3.2.2).
func traceIDOf(parent string) string {
	const example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if len(parent) != len(example) || !strings.HasPrefix(parent, "00-") {
		return ""
	}
	for i := range len(parent) {
		if dash := example[i] == '-'; dash != (parent[i] == '-') || !dash && !strings.Contains("0123456789abcdef", parent[i:i+1]) {
			return ""
		}
	}
	if strings.Trim(parent[3:35], "0") == "" || strings.Trim(parent[36:52], "0") == "" {
		return "" // not a valid ID
	}
	return parent[3:35]
}

// fitForState reports whether a value may stand in tracestate, of which at
// least 512 characters are to be passed on (section 3.3.1).
func fitForState(value string) bool {
	return len(value) <= 512 && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

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
		if id := traceIDOf(parent); id != "" {
			if !fitForState(state) {
				state = ""
			}
			ctx = outline.ContextWithTrace(ctx, outline.Trace{Parent: parent, State: state})
			ctx = context.WithValue(ctx, traceIDKey{}, id)
		}
		return next(ctx, request)
	}
}

// traceID returns the ID of the trace that a call belongs to, "" if none.
func traceID(ctx context.Context) string {
	id, _ := ctx.Value(traceIDKey{}).(string)
	return id
}
