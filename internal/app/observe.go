package app

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/metrics"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// observer writes one line for each tool call, and counts. It is told by the
// tools and by the Outline client.
type observer struct {
	log     *slog.Logger
	metrics *metrics.Metrics // nil on stdio: nobody could read them
}

// requestsKey finds how many requests to Outline the call of a context made.
type requestsKey struct{}

// begin is told of a call that begins, and what it returns of its end.
func (o *observer) begin(ctx context.Context, tool string) (context.Context, func(output.Code)) {
	start := time.Now()
	requests := new(atomic.Int64)
	o.metrics.CallStarted()
	return context.WithValue(ctx, requestsKey{}, requests), func(code output.Code) {
		took := time.Since(start)
		outcome := string(code)
		if code == "" {
			outcome = "ok"
		}
		o.metrics.CallEnded(tool, outcome, took)
		attrs := []slog.Attr{
			slog.String("tool", tool), slog.String("outcome", outcome), slog.Duration("duration", took.Round(time.Microsecond)),
			slog.Int64("outline_requests", requests.Load()),
		}
		if principal, ok := auth.FromContext(ctx); ok && principal.Subject != "" {
			attrs = append(attrs, slog.String("key", principal.ID()))
		}
		if id := traceID(ctx); id != "" {
			attrs = append(attrs, slog.String("trace_id", id))
		}
		o.log.LogAttrs(ctx, slog.LevelInfo, "tool call", attrs...)
	}
}

// attempt is told of each request to Outline.
func (o *observer) attempt(ctx context.Context, a outline.Attempt) {
	if requests, ok := ctx.Value(requestsKey{}).(*atomic.Int64); ok {
		requests.Add(1)
	}
	o.metrics.OutlineRequest(a.Endpoint, a.Status, a.Duration, a.Retry, a.Waited)
}

// unknownTool counts and logs calls of tools that the server does not have, or
// not for this request: the library refuses them before a tool is told.
func (o *observer) unknownTool(hooks *server.Hooks) {
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		if method != mcp.MethodToolsCall || !errors.Is(err, server.ErrToolNotFound) {
			return
		}
		// Not by its name, which is anything that a client sends.
		_, end := o.begin(ctx, "other")
		end("unknown_tool")
	})
}
