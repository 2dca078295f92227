package pipeline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/audit"
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

// attempts counts the requests to Outline that a request has made.
type attempts struct {
	sent     atomic.Int64
	accepted atomic.Bool // Outline has accepted the credential
}

type attemptsKey struct{}

// begin starts to record a request. The function that it returns writes the log
// line, counts the request by its outcome and adds it to the audit trail: "" for a
// success, or the code of the failure, and the length of the result in JSON, in bytes,
// which only the audit trail needs.
func (p Pipeline) begin(ctx context.Context, i Item, trace string) (context.Context, func(code output.Code, bytes int)) {
	start := time.Now()
	made := new(attempts)
	kind := i.kind()
	p.Metrics.RequestStarted(kind)
	ctx = context.WithValue(ctx, attemptsKey{}, made)
	var call *audit.Call
	if p.Audit != nil {
		ctx, call = p.Audit.Begin(ctx, audited(ctx, i, trace))
	}
	return ctx, func(code output.Code, bytes int) {
		took := time.Since(start)
		outcome := cmp.Or(string(code), "ok")
		p.Metrics.RequestEnded(kind, i.Name, outcome, took)
		if call != nil {
			call.End(ctx, audit.End{Outcome: outcome, Bytes: bytes, Took: took, Accepted: made.accepted.Load(), Requests: made.sent.Load})
		}
		log := p.log().Handler()
		if !log.Enabled(ctx, slog.LevelInfo) {
			return
		}
		// Without the place in the source, which Logger looks up for every line.
		line := slog.NewRecord(time.Now(), slog.LevelInfo, kind+" call", 0)
		line.AddAttrs(slog.String(kind, i.Name), slog.String("outcome", outcome), slog.Duration("duration", took.Round(time.Microsecond)),
			slog.Int64("outline_requests", made.sent.Load()))
		if principal, ok := auth.FromContext(ctx); ok && principal.Subject != "" {
			line.AddAttrs(slog.String("key", principal.ID()))
		}
		if trace != "" {
			line.AddAttrs(slog.String("trace_id", trace))
		}
		_ = log.Handle(ctx, line) // as Logger does
	}
}

// OutlineAttempt records one attempt of one request to Outline, for
// outline.Options.Observe.
func (p Pipeline) OutlineAttempt(ctx context.Context, a outline.Attempt) {
	if made, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		made.sent.Add(1)
		// 400, 403 and 404 are answers to somebody whom Outline knows.
		if a.Status != 0 && a.Status != http.StatusUnauthorized && a.Status < http.StatusTooManyRequests {
			made.accepted.Store(true)
		}
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
			end(output.Code(outcomeOfUnknown(method)), 0)
		}
	})
}
