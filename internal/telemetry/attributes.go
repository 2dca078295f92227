package telemetry

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	pb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
)

func resourceOf(r *resource.Resource) *pb.Resource {
	return &pb.Resource{Attributes: attributesOf(r.Attributes())}
}

func attributesOf(all []attribute.KeyValue) []*common.KeyValue {
	var encoded []*common.KeyValue
	for _, one := range all {
		encoded = append(encoded, &common.KeyValue{Key: string(one.Key), Value: valueOf(one.Value)})
	}
	return encoded
}

func valueOf(value attribute.Value) *common.AnyValue {
	switch value.Type() {
	case attribute.BOOL:
		return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: value.AsBool()}}
	case attribute.INT64:
		return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value.AsInt64()}}
	case attribute.FLOAT64:
		return &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: value.AsFloat64()}}
	}
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value.String()}} // ours are no lists
}

// nanoseconds returns a time as OTLP has it: in nanoseconds since 1970, 0 if it is
// unknown.
func nanoseconds(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(0, t.UnixNano()))
}
