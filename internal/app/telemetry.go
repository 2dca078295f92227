package app

import (
	"time"

	"outline-mcp/internal/telemetry"
)

// StartTelemetry begins to send traces and metrics if the settings ask for it, and
// returns nil if they do not. The caller shuts it down.
func StartTelemetry(o Options) (*telemetry.Telemetry, error) {
	options, err := TelemetryOptions(o)
	if err != nil {
		return nil, err
	}
	return telemetry.Start(options)
}

// TelemetryOptions returns where and how the settings send traces and metrics.
func TelemetryOptions(o Options) (telemetry.Options, error) {
	headers, err := o.Config.OTLPHeaderFields()
	return telemetry.Options{
		TracesURL:  o.Config.TracesURL(),
		MetricsURL: o.Config.MetricsURL(),
		Headers:    headers,
		Timeout:    time.Duration(o.Config.OTLPTimeout) * time.Millisecond,
		CAFile:     o.Config.OTLPCertificate,
		Version:    o.Version,
		Log:        o.Log,
	}, err
}
