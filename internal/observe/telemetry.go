package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	common "go.opentelemetry.io/proto/otlp/common/v1"
)

// scope is the instrumentation scope of all spans.
const scope = "outline-mcp"

// ExportOptions configure [Start].
type ExportOptions struct {
	TracesURL  string            // to which traces are sent, with the path; "" for none
	MetricsURL string            // to which metrics are sent, with the path; "" for none
	Headers    map[string]string // of each request, such as an API key
	Timeout    time.Duration     // of one request with its repetitions; 0 means 10 s
	CAFile     string            // PEM file with certificates to trust instead of the system's; "" for none
	Version    string            // of this program
	Log        *slog.Logger
}

// Telemetry sends spans and metrics until it is shut down. The methods of a nil
// Telemetry do nothing.
type Telemetry struct {
	options  ExportOptions
	sender   *sender
	resource *resource.Resource
	traces   *sdktrace.TracerProvider
	metrics  *sdkmetric.MeterProvider
}

// Start begins to send spans. The SDK reads the sampler, the limits of spans, the
// size of the queue and the attributes of the resource from OTEL_TRACES_SAMPLER,
// OTEL_SPAN_*, OTEL_BSP_* and OTEL_RESOURCE_ATTRIBUTES. Start uses no network. It
// returns nil if nothing is to be sent.
func Start(o ExportOptions) (*Telemetry, error) {
	if o.TracesURL == "" && o.MetricsURL == "" {
		return nil, nil
	}
	sender, err := newSender(o)
	if err != nil {
		return nil, err
	}
	own := resource.NewSchemaless(attribute.String("service.name", scope), attribute.String("service.version", o.Version))
	described, err := resource.Merge(own, resource.Environment()) // the environment wins
	if err != nil {
		return nil, fmt.Errorf("describe this service by OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Telemetry{options: o, sender: sender, resource: described}
	if o.TracesURL != "" {
		t.traces = sdktrace.NewTracerProvider(sdktrace.WithResource(described), sdktrace.WithBatcher(otlptrace.NewUnstarted(spanClient{sender, o.TracesURL})))
	}
	return t, nil
}

// Tracer returns what makes spans, or nil if none are sent.
func (t *Telemetry) Tracer() trace.Tracer {
	if t == nil || t.traces == nil {
		return nil
	}
	return t.traces.Tracer(scope, trace.WithInstrumentationVersion(t.options.Version))
}

// Export begins to send the metrics of a registry, at the interval of
// OTEL_METRIC_EXPORT_INTERVAL.
func (t *Telemetry) Export(registry prometheus.Gatherer) {
	if t == nil || t.options.MetricsURL == "" {
		return
	}
	producer := bridge.NewMetricProducer(bridge.WithGatherer(registry))
	reader := sdkmetric.NewPeriodicReader(metricExporter{t.sender, t.options.MetricsURL}, sdkmetric.WithProducer(producer))
	t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithResource(t.resource), sdkmetric.WithReader(reader))
}

// shutdownTimeout limits how long the end of the program waits for the collector.
const shutdownTimeout = 5 * time.Second

// Shutdown sends what has not been sent yet, for at most five seconds.
func (t *Telemetry) Shutdown() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	var failed error
	if t.traces != nil {
		failed = t.traces.Shutdown(ctx)
	}
	if t.metrics != nil {
		failed = errors.Join(failed, t.metrics.Shutdown(ctx))
	}
	if failed != nil {
		t.options.Log.Warn("the last traces and metrics may be lost", "error", failed)
	}
	t.sender.close()
}

// attributesOf returns the attributes of a metric or the resource as OTLP has them. All of
// ours are texts.
func attributesOf(all attribute.Set) []*common.KeyValue {
	var encoded []*common.KeyValue
	for _, one := range all.ToSlice() {
		text := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: one.Value.AsString()}}
		encoded = append(encoded, &common.KeyValue{Key: string(one.Key), Value: text})
	}
	return encoded
}

// nanoseconds returns a time as OTLP has it: in nanoseconds since 1970, 0 if it is
// unknown, which is long before.
func nanoseconds(t time.Time) uint64 {
	return uint64(max(0, t.UnixNano()))
}
