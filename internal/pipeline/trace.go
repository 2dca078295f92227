package pipeline

import (
	"context"
	"strings"

	"outline-mcp/outline"
)

// traceIDOf returns the trace ID of a traceparent, or "" if it is malformed. Its
// parts are version 00, trace ID, parent ID and flags, in lower-case hexadecimal
// digits (W3C Trace Context, section 3.2.2).
func traceIDOf(parent string) string {
	hexadecimal := func(s string, length int) bool { return len(s) == length && strings.Trim(s, "0123456789abcdef") == "" }
	isID := func(s string, length int) bool { return hexadecimal(s, length) && strings.Trim(s, "0") != "" }
	parts := strings.Split(parent, "-")
	if len(parts) != 4 || parts[0] != "00" || !isID(parts[1], 32) || !isID(parts[2], 16) || !hexadecimal(parts[3], 2) {
		return ""
	}
	return parts[1]
}

// fitForState reports whether a value can be a tracestate that is passed on,
// which is required for up to 512 characters (section 3.3.1).
func fitForState(value string) bool {
	return len(value) <= 512 && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

// traced takes the trace of a request from its _meta (MCP 2026-07-28), or else
// from the header of its HTTP request, so that it is logged and passed on to
// Outline. It returns the trace ID, or "" if there is none or it is malformed.
func traced(ctx context.Context, r Request) (context.Context, string) {
	parent, state := r.Header.Get("Traceparent"), r.Header.Get("Tracestate")
	if r.Meta != nil {
		if given, ok := r.Meta.AdditionalFields["traceparent"].(string); ok {
			parent = given
			state, _ = r.Meta.AdditionalFields["tracestate"].(string)
		}
	}
	id := traceIDOf(parent)
	if id == "" {
		return ctx, ""
	}
	if !fitForState(state) {
		state = ""
	}
	return outline.ContextWithTrace(ctx, outline.Trace{Parent: parent, State: state}), id
}
