package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestACollectorHasToAcceptTracesAndMetrics(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Api-Key") != "made-up" {
			w.WriteHeader(http.StatusUnauthorized)
		} else if r.URL.Path != "/v1/traces" {
			http.NotFound(w, r)
		}
	}))
	defer collector.Close()
	environment := served(nil, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=made-up")(t)
	_, report := doctorSays(t, false, environment)
	host := strings.TrimPrefix(collector.URL, "http://")
	for _, want := range []string{"✓ telemetry: traces are sent to " + host + "/v1/traces", "! telemetry: metrics cannot be sent to " + host + "/v1/metrics (the collector answers 404 Not Found)"} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	if strings.Contains(report, "made-up") {
		t.Errorf("the header is shown:\n%s", report)
	}
}
