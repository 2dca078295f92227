package mcptool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// InputRequired is the outcome of a request that ends with a question to the user.
// The client sends it again with the answer.
const InputRequired output.Code = "input_required"

// Outcomes returns how requests can end, as logs and metrics name it: ok, the
// code of the failure, that the user is asked, or that the server has no such item.
func Outcomes() []string {
	outcomes := []string{"ok", string(InputRequired)}
	for method := range unknownErrors() {
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
		ctx, call = p.Audit.Begin(ctx, auditRecord(ctx, i, trace))
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
		// 400, 403 and 404 are answers to a user whom Outline knows.
		if a.Status != 0 && a.Status != http.StatusUnauthorized && a.Status < http.StatusTooManyRequests {
			made.accepted.Store(true)
		}
	}
	p.attemptSpans(ctx, a)
	p.Metrics.OutlineRequest(a.Endpoint, a.Status, a.Duration, a.Retry, a.Waited)
}

// unknownErrors returns the errors by which the library rejects a request, by its
// method, because the server has no such item, or not for this request.
func unknownErrors() map[mcp.MCPMethod]error {
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
		if errors.Is(err, unknownErrors()[method]) {
			// Without the name, which can be anything that the client sent.
			_, end := p.begin(ctx, Item{Method: method, Name: "other"}, "")
			end(output.Code(outcomeOfUnknown(method)), 0)
		}
	})
}

// span begins the span of a request, below that of the client if there is one, and
// makes it the one that Outline is told. The names are those of OpenTelemetry's
// semantic conventions for MCP. It returns the ID of the trace and a function that
// ends the span with the outcome, as that of begin does. Spans contain no IDs,
// titles, arguments or people.
func (p Pipeline) span(ctx context.Context, i Item, traceID string) (context.Context, string, func(output.Code)) {
	if p.Tracer == nil {
		return ctx, traceID, func(output.Code) {}
	}
	format := propagation.TraceContext{}
	if given := outline.TraceOf(ctx); given.Parent != "" {
		ctx = format.Extract(ctx, propagation.MapCarrier{"traceparent": given.Parent, "tracestate": given.State})
	}
	attributes := []attribute.KeyValue{attribute.String("mcp.method.name", string(i.Method))}
	switch i.Method {
	case mcp.MethodToolsCall:
		attributes = append(attributes, attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", i.Name))
	case mcp.MethodPromptsGet:
		attributes = append(attributes, attribute.String("gen_ai.prompt.name", i.Name))
	}
	ctx, span := p.Tracer.Start(ctx, string(i.Method)+" "+i.Name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	told := propagation.MapCarrier{}
	format.Inject(ctx, told)
	ctx = outline.ContextWithTrace(ctx, outline.Trace{Parent: told["traceparent"], State: told["tracestate"]})
	return ctx, span.SpanContext().TraceID().String(), func(code output.Code) {
		if code != "" && code != InputRequired {
			fail(span, string(code))
		}
		span.End()
	}
}

// attemptSpans makes the spans of one attempt of one request to Outline, and of the
// wait before it.
func (p Pipeline) attemptSpans(ctx context.Context, a outline.Attempt) {
	if p.Tracer == nil {
		return
	}
	ended := time.Now()
	started := ended.Add(-a.Duration)
	if a.Waited > 0 {
		_, span := p.Tracer.Start(ctx, "wait for a rate limit", trace.WithTimestamp(started.Add(-a.Waited)))
		span.End(trace.WithTimestamp(started))
	}
	_, span := p.Tracer.Start(ctx, "POST "+a.Endpoint, trace.WithTimestamp(started), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", http.MethodPost), attribute.String("url.template", "/api/"+a.Endpoint),
		attribute.Bool("outline.retry", a.Retry)))
	if a.Status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", a.Status))
	}
	switch {
	case a.Status == 0:
		fail(span, "no_answer")
	case a.Status >= http.StatusBadRequest:
		fail(span, strconv.Itoa(a.Status))
	}
	span.End(trace.WithTimestamp(ended))
}

func fail(span trace.Span, kind string) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(attribute.String("error.type", kind))
}

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

// withTrace takes the trace of a request from its _meta (MCP 2026-07-28), or else
// from the header of its HTTP request, so that it is logged and passed on to
// Outline. It returns the trace ID, or "" if there is none or it is malformed.
func withTrace(ctx context.Context, r Request) (context.Context, string) {
	parent, state := wire.Trace(ctx)
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
