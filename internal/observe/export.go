package observe

import (
	"bytes"
	"cmp"
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
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A spanClient sends spans. It implements otlptrace.Client.
type spanClient struct {
	*sender
	url string
}

// Start implements otlptrace.Client.
func (spanClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (spanClient) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. TracesData is written as the request of a
// collector is, whose type would bring gRPC with it.
func (c spanClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	c.send(ctx, c.url, &tracepb.TracesData{ResourceSpans: spans})
	return nil
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
	return &sender{http: client, timeout: cmp.Or(max(o.Timeout, 0), 10*time.Second), log: o.Log}, nil
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
	plain, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(plain) // a buffer takes all
	_ = zip.Close()
	answer, err := s.http.R().SetContext(ctx).SetHeader("Content-Type", "application/x-protobuf").
		SetHeader("Content-Encoding", "gzip").SetBody(packed.Bytes()).Post(url)
	switch {
	case err != nil:
		return err
	case !answer.IsSuccess():
		return fmt.Errorf("the collector answers %s", answer.Status())
	}
	return nil
}

func (s *sender) close() { s.http.GetClient().CloseIdleConnections() }

// silent drops what resty would print about attempts.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// A metricExporter sends metrics. It implements metric.Exporter.
type metricExporter struct {
	*sender
	url string
}

// Temporality implements metric.Exporter: counters run from the start of the
// program, as those of Prometheus do.
func (metricExporter) Temporality(metric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

// Aggregation implements metric.Exporter.
func (metricExporter) Aggregation(kind metric.InstrumentKind) metric.Aggregation {
	return metric.DefaultAggregationSelector(kind)
}

// Export implements metric.Exporter.
func (e metricExporter) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	encoded := &metricpb.ResourceMetrics{Resource: &resource.Resource{Attributes: attributesOf(*all.Resource.Set())}}
	for _, scope := range all.ScopeMetrics {
		group := &metricpb.ScopeMetrics{Scope: &common.InstrumentationScope{Name: scope.Scope.Name, Version: scope.Scope.Version}}
		for _, one := range scope.Metrics {
			group.Metrics = append(group.Metrics, metricOf(one))
		}
		encoded.ScopeMetrics = append(encoded.ScopeMetrics, group)
	}
	e.send(ctx, e.url, &metricpb.MetricsData{ResourceMetrics: []*metricpb.ResourceMetrics{encoded}})
	return nil
}

// ForceFlush implements metric.Exporter.
func (metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements metric.Exporter.
func (metricExporter) Shutdown(context.Context) error { return nil }

// metricOf returns a metric as OTLP has it. All of ours come from Prometheus: they
// are counters, gauges, histograms or summaries, and their numbers are floats.
func metricOf(m metricdata.Metrics) *metricpb.Metric {
	encoded := &metricpb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[float64]:
		encoded.Data = &metricpb.Metric_Sum{Sum: &metricpb.Sum{
			DataPoints: numbers(data.DataPoints), IsMonotonic: data.IsMonotonic,
			AggregationTemporality: metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
		}}
	case metricdata.Gauge[float64]:
		encoded.Data = &metricpb.Metric_Gauge{Gauge: &metricpb.Gauge{DataPoints: numbers(data.DataPoints)}}
	case metricdata.Histogram[float64]:
		histogram := &metricpb.Histogram{AggregationTemporality: metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for _, point := range data.DataPoints {
			histogram.DataPoints = append(histogram.DataPoints, &metricpb.HistogramDataPoint{
				Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
				Count: point.Count, Sum: &point.Sum, BucketCounts: point.BucketCounts, ExplicitBounds: point.Bounds,
			})
		}
		encoded.Data = &metricpb.Metric_Histogram{Histogram: histogram}
	case metricdata.Summary:
		summary := &metricpb.Summary{}
		for _, point := range data.DataPoints {
			one := &metricpb.SummaryDataPoint{
				Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
				Count: point.Count, Sum: point.Sum,
			}
			for _, quantile := range point.QuantileValues {
				one.QuantileValues = append(one.QuantileValues, &metricpb.SummaryDataPoint_ValueAtQuantile{Quantile: quantile.Quantile, Value: quantile.Value})
			}
			summary.DataPoints = append(summary.DataPoints, one)
		}
		encoded.Data = &metricpb.Metric_Summary{Summary: summary}
	}
	return encoded
}

func numbers(points []metricdata.DataPoint[float64]) []*metricpb.NumberDataPoint {
	var encoded []*metricpb.NumberDataPoint
	for _, point := range points {
		encoded = append(encoded, &metricpb.NumberDataPoint{
			Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
			Value: &metricpb.NumberDataPoint_AsDouble{AsDouble: point.Value},
		})
	}
	return encoded
}
