package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"outline-mcp/internal/app"
	"outline-mcp/internal/telemetry"
)

// checkTelemetry reports whether the collector accepts traces and metrics, if the
// settings name one. A server works without it.
func checkTelemetry(ctx context.Context, e *examination) {
	const check = "telemetry"
	options, err := app.TelemetryOptions(app.Options{Config: e.settings, Version: e.Version, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return // a problem of the setting
	}
	for _, one := range []struct{ what, address string }{{"traces", options.TracesURL}, {"metrics", options.MetricsURL}} {
		what, address := one.what, one.address
		if address == "" {
			continue
		}
		host := address
		if u, err := url.Parse(address); err == nil {
			host = u.Host + u.Path
		}
		if err := telemetry.Check(ctx, options, address); err != nil {
			e.add(Warning, check, fmt.Sprintf("%s cannot be sent to %s (%s), and are dropped", what, host, cause(err)), "check the OTEL_EXPORTER_OTLP settings, and that the collector receives OTLP over HTTP, by default on port 4318")
			continue
		}
		e.add(OK, check, what+" are sent to "+host, "")
	}
}
