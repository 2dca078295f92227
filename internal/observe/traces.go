package observe

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// scope is the instrumentation scope of all spans.
const scope = "outline-mcp"

// TraceOptions configure [StartTraces].
type TraceOptions struct {
	URL     string            // to which traces are sent, with the path; "" for none
	Headers map[string]string // of each request, such as an API key
	Timeout time.Duration     // of one request with its repetitions; 0 means 10 s
	CAFile  string            // PEM file with certificates to trust instead of the system's; "" for none
	Version string            // of this program
	Log     *slog.Logger
}

// Traces sends spans until it is shut down. The methods of a nil Traces do nothing.
type Traces struct {
	options  TraceOptions
	http     *resty.Client
	provider *sdktrace.TracerProvider
}

// StartTraces begins to send spans. The SDK reads the sampler, the limits of spans, the
// size of the queue and the attributes of the resource from OTEL_TRACES_SAMPLER,
// OTEL_SPAN_*, OTEL_BSP_* and OTEL_RESOURCE_ATTRIBUTES. StartTraces uses no network. It
// returns nil if nothing is to be sent.
func StartTraces(o TraceOptions) (*Traces, error) {
	if o.URL == "" {
		return nil, nil
	}
	own := resource.NewSchemaless(attribute.String("service.name", scope), attribute.String("service.version", o.Version))
	described, err := resource.Merge(own, resource.Environment()) // the environment wins
	if err != nil {
		return nil, fmt.Errorf("describe this service by OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	client := &spanClient{TraceOptions: o, http: resty.New()}
	client.http.SetHeaders(o.Headers).SetHeader("User-Agent", "outline-mcp/"+o.Version).
		SetRetryCount(3).SetRetryWaitTime(time.Second).SetRetryMaxWaitTime(10 * time.Second).SetLogger(silent{}).SetResponseBodyLimit(64 << 10).
		SetRedirectPolicy(resty.NoRedirectPolicy()). // the headers may hold a key
		AddRetryCondition(func(answer *resty.Response, _ error) bool {
			return slices.Contains([]int{429, 502, 503, 504}, answer.StatusCode()) // as OTLP says
		})
	if o.CAFile != "" {
		trusted, err := os.ReadFile(o.CAFile) // not by resty, which would trust the system's without it
		if err != nil {
			return nil, fmt.Errorf("trust the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		client.http.SetTLSClientConfig(&tls.Config{MinVersion: tls.VersionTLS12}).SetRootCertificateFromString(string(trusted))
	}
	batches := sdktrace.WithBatcher(otlptrace.NewUnstarted(client))
	return &Traces{o, client.http, sdktrace.NewTracerProvider(sdktrace.WithResource(described), batches)}, nil
}

// Tracer returns what makes spans, or nil if none are sent.
func (t *Traces) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(scope, trace.WithInstrumentationVersion(t.options.Version))
}

// Shutdown sends what has not been sent yet, for at most five seconds.
func (t *Traces) Shutdown() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	defer t.http.GetClient().CloseIdleConnections()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.options.Log.Warn("the last traces may be lost", "error", err)
	}
}

// A spanClient sends spans to a collector by OTLP over HTTP. It implements
// otlptrace.Client: that of the SDK brings gRPC along, 100 packages and 6 MB.
type spanClient struct {
	TraceOptions
	http    *resty.Client
	failing atomic.Bool
}

// Start implements otlptrace.Client.
func (*spanClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (*spanClient) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. A failure is logged when it begins and when it
// ends, and not returned: the SDK would print it.
func (c *spanClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	err := c.post(ctx, &tracepb.TracesData{ResourceSpans: spans})
	switch failed := err != nil; {
	case c.failing.Swap(failed) == failed:
	case failed:
		c.Log.Warn("cannot send traces; they are dropped until sending works again", "error", err)
	default:
		c.Log.Info("traces are sent again")
	}
	return nil
}

func (c *spanClient) post(ctx context.Context, message proto.Message) error {
	encoded, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(c.Timeout, 0), 10*time.Second))
	defer cancel()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(encoded) // a buffer takes all
	_ = zip.Close()
	answer, err := c.http.R().SetContext(ctx).SetBody(packed.Bytes()).
		SetHeaders(map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}).Post(c.URL)
	if err == nil && !answer.IsSuccess() {
		err = fmt.Errorf("the collector answers %s", answer.Status())
	}
	return err
}

// silent drops what resty would print about attempts.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
