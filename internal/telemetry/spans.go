package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	traces "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	pb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A spanExporter sends spans. It implements sdktrace.SpanExporter.
type spanExporter struct {
	*sender
	url string
}

// ExportSpans implements sdktrace.SpanExporter.
func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	byScope := map[instrumentation.Scope]*pb.ScopeSpans{}
	all := &pb.ResourceSpans{Resource: resourceOf(spans[0].Resource())} // one provider has one resource
	for _, span := range spans {
		scope := span.InstrumentationScope()
		group := byScope[scope]
		if group == nil {
			group = &pb.ScopeSpans{Scope: &common.InstrumentationScope{Name: scope.Name, Version: scope.Version}}
			byScope[scope] = group
			all.ScopeSpans = append(all.ScopeSpans, group)
		}
		group.Spans = append(group.Spans, spanOf(span))
	}
	e.send(ctx, e.url, &traces.ExportTraceServiceRequest{ResourceSpans: []*pb.ResourceSpans{all}})
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e spanExporter) Shutdown(context.Context) error { return nil }

// spanOf returns a span as OTLP has it. Ours have neither events nor links.
func spanOf(span sdktrace.ReadOnlySpan) *pb.Span {
	own, parent := span.SpanContext(), span.Parent()
	traceID, spanID := own.TraceID(), own.SpanID()
	encoded := &pb.Span{
		TraceId: traceID[:], SpanId: spanID[:], TraceState: own.TraceState().String(),
		Name: span.Name(), Kind: kindOf(span.SpanKind()),
		StartTimeUnixNano: nanoseconds(span.StartTime()), EndTimeUnixNano: nanoseconds(span.EndTime()),
		Attributes: attributesOf(span.Attributes()), DroppedAttributesCount: uint32(span.DroppedAttributes()),
		Status: statusOf(span.Status()),
		Flags:  uint32(own.TraceFlags()) | uint32(pb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK),
	}
	if id := parent.SpanID(); id.IsValid() {
		encoded.ParentSpanId = id[:]
	}
	if parent.IsRemote() {
		encoded.Flags |= uint32(pb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	return encoded
}

func kindOf(kind trace.SpanKind) pb.Span_SpanKind {
	switch kind {
	case trace.SpanKindServer:
		return pb.Span_SPAN_KIND_SERVER
	case trace.SpanKindClient:
		return pb.Span_SPAN_KIND_CLIENT
	}
	return pb.Span_SPAN_KIND_INTERNAL
}

func statusOf(status sdktrace.Status) *pb.Status {
	encoded := &pb.Status{Message: status.Description}
	switch status.Code {
	case codes.Error:
		encoded.Code = pb.Status_STATUS_CODE_ERROR
	case codes.Ok:
		encoded.Code = pb.Status_STATUS_CODE_OK
	}
	return encoded
}
