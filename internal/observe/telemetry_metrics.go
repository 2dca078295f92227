package observe

import (
	"context"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
)

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
	encoded := &pb.ResourceMetrics{Resource: &resource.Resource{Attributes: attributesOf(*all.Resource.Set())}}
	for _, scope := range all.ScopeMetrics {
		group := &pb.ScopeMetrics{Scope: &common.InstrumentationScope{Name: scope.Scope.Name, Version: scope.Scope.Version}}
		for _, one := range scope.Metrics {
			group.Metrics = append(group.Metrics, metricOf(one))
		}
		encoded.ScopeMetrics = append(encoded.ScopeMetrics, group)
	}
	e.send(ctx, e.url, &pb.MetricsData{ResourceMetrics: []*pb.ResourceMetrics{encoded}})
	return nil
}

// ForceFlush implements metric.Exporter.
func (metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements metric.Exporter.
func (metricExporter) Shutdown(context.Context) error { return nil }

// metricOf returns a metric as OTLP has it. All of ours come from Prometheus: they
// are counters, gauges, histograms or summaries, and their numbers are floats.
func metricOf(m metricdata.Metrics) *pb.Metric {
	encoded := &pb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[float64]:
		encoded.Data = &pb.Metric_Sum{Sum: &pb.Sum{
			DataPoints: numbers(data.DataPoints), IsMonotonic: data.IsMonotonic,
			AggregationTemporality: pb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
		}}
	case metricdata.Gauge[float64]:
		encoded.Data = &pb.Metric_Gauge{Gauge: &pb.Gauge{DataPoints: numbers(data.DataPoints)}}
	case metricdata.Histogram[float64]:
		histogram := &pb.Histogram{AggregationTemporality: pb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for _, point := range data.DataPoints {
			histogram.DataPoints = append(histogram.DataPoints, &pb.HistogramDataPoint{
				Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
				Count: point.Count, Sum: &point.Sum, BucketCounts: point.BucketCounts, ExplicitBounds: point.Bounds,
			})
		}
		encoded.Data = &pb.Metric_Histogram{Histogram: histogram}
	case metricdata.Summary:
		summary := &pb.Summary{}
		for _, point := range data.DataPoints {
			one := &pb.SummaryDataPoint{
				Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
				Count: point.Count, Sum: point.Sum,
			}
			for _, quantile := range point.QuantileValues {
				one.QuantileValues = append(one.QuantileValues, &pb.SummaryDataPoint_ValueAtQuantile{Quantile: quantile.Quantile, Value: quantile.Value})
			}
			summary.DataPoints = append(summary.DataPoints, one)
		}
		encoded.Data = &pb.Metric_Summary{Summary: summary}
	}
	return encoded
}

func numbers(points []metricdata.DataPoint[float64]) []*pb.NumberDataPoint {
	var encoded []*pb.NumberDataPoint
	for _, point := range points {
		encoded = append(encoded, &pb.NumberDataPoint{
			Attributes: attributesOf(point.Attributes), StartTimeUnixNano: nanoseconds(point.StartTime), TimeUnixNano: nanoseconds(point.Time),
			Value: &pb.NumberDataPoint_AsDouble{AsDouble: point.Value},
		})
	}
	return encoded
}
