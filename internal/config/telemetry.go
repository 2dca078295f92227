package config

import (
	"errors"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// OTLPProtocol is how traces and metrics are sent: "http/protobuf".
type OTLPProtocol string

// OTelExporter says where traces or metrics go: "otlp" or "none".
type OTelExporter string

// TracesURL returns the address to which traces are sent, or "" if none are
// (OpenTelemetry Protocol Exporter, Endpoint URLs for OTLP/HTTP).
func (c *Config) TracesURL() string {
	return c.otlpURL(c.OTelTraces, c.OTLPTracesEndpoint, "v1/traces")
}

// MetricsURL returns the address to which metrics are sent, or "" if none are.
func (c *Config) MetricsURL() string {
	return c.otlpURL(c.OTelMetrics, c.OTLPMetricsEndpoint, "v1/metrics")
}

func (c *Config) otlpURL(exporter OTelExporter, own, path string) string {
	switch {
	case c.OTelDisabled || exporter == "none":
		return ""
	case own != "":
		return own
	case c.OTLPEndpoint != "":
		return strings.TrimSuffix(c.OTLPEndpoint, "/") + "/" + path
	}
	return ""
}

// OTLPHeaderFields returns the headers of requests to the collector. The setting has
// the form of W3C Baggage (OpenTelemetry Protocol Exporter, Specifying headers).
func (c *Config) OTLPHeaderFields() (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(c.OTLPHeaders.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("it is not a list of headers; write api-key=..., separated by commas, with values URL-encoded")
		}
		headers[name] = value
	}
	return headers, nil
}

// checkTelemetry reports addresses and headers of a collector that cannot be used.
func (c *Config) checkTelemetry(found *problems) {
	for name, address := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":         c.OTLPEndpoint,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT":  c.OTLPTracesEndpoint,
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": c.OTLPMetricsEndpoint,
	} {
		if address == "" {
			continue
		}
		if err := validateURL(address); err != nil {
			found.add(name, "%s", err)
		}
	}
	if _, err := c.OTLPHeaderFields(); err != nil {
		found.add("OTEL_EXPORTER_OTLP_HEADERS", "%s", err)
	}
	if c.OTLPCertificate != "" {
		if err := checkCertificates(c.OTLPCertificate); err != nil {
			found.add("OTEL_EXPORTER_OTLP_CERTIFICATE", "%s; set the path of a PEM file", err)
		}
	}
}
