package pipeline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// InputRequired is the outcome of a request that ends with a question to the person.
// The client sends it again with the answer.
const InputRequired output.Code = "input_required"

// Outcomes returns how requests can end, as logs and metrics name it: ok, the
// code of the failure, that the person is asked, or that the server has no such item.
func Outcomes() []string {
	outcomes := []string{"ok", string(InputRequired)}
	for method := range unknown() {
		outcomes = append(outcomes, outcomeOfUnknown(method))
	}
	for _, code := range output.Codes() {
		outcomes = append(outcomes, string(code))
	}
	return outcomes
}

// attemptsKey is the context key of the number of requests to Outline that a
// request has made.
type attemptsKey struct{}

// begin starts to record a request. The function that it returns writes the log
// line and counts the request by its outcome: "" for a success, or the code of
// the failure.
func (p Pipeline) begin(ctx context.Context, i Item, trace string) (context.Context, func(output.Code)) {
	start := time.Now()
	attempts := new(atomic.Int64)
	kind := i.kind()
	p.Metrics.RequestStarted(kind)
	return context.WithValue(ctx, attemptsKey{}, attempts), func(code output.Code) {
		took := time.Since(start)
		outcome := cmp.Or(string(code), "ok")
		p.Metrics.RequestEnded(kind, i.Name, outcome, took)
		attrs := []slog.Attr{
			slog.String(kind, i.Name), slog.String("outcome", outcome), slog.Duration("duration", took.Round(time.Microsecond)),
			slog.Int64("outline_requests", attempts.Load()),
		}
		if principal, ok := auth.FromContext(ctx); ok && principal.Subject != "" {
			attrs = append(attrs, slog.String("key", principal.ID()))
		}
		if trace != "" {
			attrs = append(attrs, slog.String("trace_id", trace))
		}
		p.log().LogAttrs(ctx, slog.LevelInfo, kind+" call", attrs...)
	}
}

// OutlineAttempt records one attempt of one request to Outline, for
// outline.Options.Observe.
func (p Pipeline) OutlineAttempt(ctx context.Context, a outline.Attempt) {
	if attempts, ok := ctx.Value(attemptsKey{}).(*atomic.Int64); ok {
		attempts.Add(1)
	}
	p.attemptSpans(ctx, a)
	p.Metrics.OutlineRequest(a.Endpoint, a.Status, a.Duration, a.Retry, a.Waited)
}

// unknown returns the errors by which the library rejects a request, by its
// method, because the server has no such item, or not for this request.
func unknown() map[mcp.MCPMethod]error {
	return map[mcp.MCPMethod]error{
		mcp.MethodToolsCall:     server.ErrToolNotFound,
		mcp.MethodResourcesRead: server.ErrResourceNotFound,
		mcp.MethodPromptsGet:    server.ErrPromptNotFound,
	}
}

func outcomeOfUnknown(method mcp.MCPMethod) string { return "unknown_" + Item{Method: method}.kind() }

// RecordUnknown records requests for items that the server does not have: the
// library rejects them before they reach the pipeline.
func (p Pipeline) RecordUnknown(hooks *server.Hooks) {
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		if errors.Is(err, unknown()[method]) {
			// Without the name, which can be anything that the client sent.
			_, end := p.begin(ctx, Item{Method: method, Name: "other"}, "")
			end(output.Code(outcomeOfUnknown(method)))
		}
	})
}
