package pipeline

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"outline-mcp/outline"
	"outline-mcp/output"
)

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
