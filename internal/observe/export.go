package observe

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	traces "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	pb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
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

// maxRetries is how often a request is repeated that the collector has refused for
// the moment or not answered.
const maxRetries = 3

// A sender sends messages to a collector (OTLP 1.7, OTLP/HTTP). A failure is logged
// when it begins and when it ends, and not returned: the SDK would print it.
type sender struct {
	http    *resty.Client
	timeout time.Duration // of a request with its repetitions
	log     *slog.Logger
	failing atomic.Bool
}

func newSender(o ExportOptions) (*sender, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() // with the proxy of the environment
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(pem) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE contains no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = 10 * time.Second
	}
	client := resty.NewWithClient(&http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the headers may hold a key
	}})
	client.SetHeaders(o.Headers).SetHeader("User-Agent", "outline-mcp/"+o.Version).
		SetRetryCount(maxRetries).SetRetryWaitTime(time.Second).SetRetryMaxWaitTime(10 * time.Second).SetLogger(silent{}).
		AddRetryCondition(func(answer *resty.Response, err error) bool {
			switch answer.StatusCode() { // OTLP, Failures: Retryable Response Codes
			case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
				return true
			}
			return err != nil
		}).SetResponseBodyLimit(64 << 10)
	return &sender{http: client, timeout: timeout, log: o.Log}, nil
}

// send sends a message to an address, repeatedly if that may help.
func (s *sender) send(ctx context.Context, url string, message proto.Message) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.post(ctx, url, message)
	switch failed := err != nil; {
	case s.failing.Swap(failed) == failed:
	case failed:
		s.log.Warn("cannot send traces or metrics; they are dropped until sending works again", "error", err)
	default:
		s.log.Info("traces and metrics are sent again")
	}
}

func (s *sender) post(ctx context.Context, url string, message proto.Message) error {
	body, err := compressed(message)
	if err != nil {
		return err
	}
	answer, err := s.http.R().SetContext(ctx).SetHeader("Content-Type", "application/x-protobuf").
		SetHeader("Content-Encoding", "gzip").SetBody(body).Post(url)
	switch {
	case err != nil:
		return err
	case !answer.IsSuccess():
		return fmt.Errorf("the collector answers %s", answer.Status())
	}
	return nil
}

func compressed(message proto.Message) ([]byte, error) {
	plain, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(plain); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

func (s *sender) close() { s.http.GetClient().CloseIdleConnections() }

// silent drops what resty would print about attempts.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
