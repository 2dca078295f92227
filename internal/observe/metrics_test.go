package observe_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"outline-mcp/internal/observe"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

func newMetrics() *observe.Metrics {
	return observe.New(observe.Options{
		Version: "1.2.3", Tools: []string{"read_document", "search_documents"}, Outcomes: []string{"ok", "not_found"},
		Refusals: []string{"no_key", "origin"}, LoginEvents: []string{"login", "refresh"}, LoginRefusals: []string{"denied", "expired"},
	})
}

// scrape reads all metrics over HTTP: the value of each series, by its name
// and labels, and _count and _sum of the histograms.
func scrape(t *testing.T, m *observe.Metrics) map[string]float64 {
	t.Helper()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("%s, %s", response.Status, response.Header.Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, family := range families {
		if family.GetHelp() == "" {
			t.Errorf("%s has no help text", family.GetName())
		}
		for _, metric := range family.GetMetric() {
			name := family.GetName() + labels(metric)
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				series[name] = metric.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				series[name] = metric.GetGauge().GetValue()
			case dto.MetricType_HISTOGRAM:
				series[name+"_count"] = float64(metric.GetHistogram().GetSampleCount())
				series[name+"_sum"] = metric.GetHistogram().GetSampleSum()
				for _, bucket := range metric.GetHistogram().GetBucket() {
					series[fmt.Sprintf("%s_le_%v", name, bucket.GetUpperBound())] = float64(bucket.GetCumulativeCount())
				}
			}
		}
	}
	return series
}

func labels(metric *dto.Metric) string {
	var pairs []string
	for _, label := range metric.GetLabel() {
		pairs = append(pairs, label.GetName()+"="+label.GetValue())
	}
	if pairs == nil {
		return ""
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

func expect(t *testing.T, series map[string]float64, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		if got, ok := series[name]; !ok || got != value {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, value)
		}
	}
}

func TestCallsAreCountedByToolAndOutcome(t *testing.T) {
	m := newMetrics()
	for range 4 {
		m.RequestStarted("tool")
	}
	m.RequestEnded("tool", "read_document", "ok", 30*time.Millisecond)
	m.RequestEnded("tool", "read_document", "not_found", 2*time.Second)
	m.RequestEnded("tool", "search_documents", "ok", time.Minute)
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_tool_calls_total{outcome=ok,tool=read_document}":                1,
		"outline_mcp_tool_calls_total{outcome=not_found,tool=read_document}":         1,
		"outline_mcp_tool_calls_total{outcome=ok,tool=search_documents}":             1,
		"outline_mcp_tool_calls_in_flight":                                           1,
		"outline_mcp_tool_call_duration_seconds{tool=read_document}_count":           2,
		"outline_mcp_tool_call_duration_seconds{tool=read_document}_sum":             2.03,
		"outline_mcp_tool_call_duration_seconds{tool=read_document}_le_0.05":         1,
		"outline_mcp_tool_call_duration_seconds{tool=search_documents}_le_50":        0,
		"outline_mcp_tool_call_duration_seconds{tool=search_documents}_le_+Inf":      1,
		"outline_mcp_build_info{go_version=" + runtime.Version() + ",version=1.2.3}": 1,
	})
}

func TestOtherRequestsAreCountedByKindAndName(t *testing.T) {
	m := newMetrics()
	m.RequestStarted("prompt")
	m.RequestEnded("prompt", "catch_up", "ok", 30*time.Millisecond)
	m.RequestEnded("prompt", "catch_up", "made_up", 2*time.Second)
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_requests_total{kind=prompt,name=catch_up,outcome=ok}":        1,
		"outline_mcp_requests_total{kind=prompt,name=catch_up,outcome=other}":     1,
		"outline_mcp_request_duration_seconds{kind=prompt,name=catch_up}_count":   2,
		"outline_mcp_request_duration_seconds{kind=prompt,name=catch_up}_le_0.05": 1,
		"outline_mcp_tool_calls_in_flight":                                        0,
	})
}

func TestOutlineRequestsAreCountedByEndpointAndStatus(t *testing.T) {
	m := newMetrics()
	m.OutlineRequest("documents.info", 200, 40*time.Millisecond, false, 0)
	m.OutlineRequest("documents.info", 429, 10*time.Millisecond, false, 0)
	m.OutlineRequest("documents.info", 200, 50*time.Millisecond, true, 1500*time.Millisecond)
	m.OutlineRequest("documents.info", 0, 0, false, 0)
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_outline_requests_total{endpoint=documents.info,status=200}":      2,
		"outline_mcp_outline_requests_total{endpoint=documents.info,status=429}":      1,
		"outline_mcp_outline_requests_total{endpoint=documents.info,status=0}":        1,
		"outline_mcp_outline_request_duration_seconds{endpoint=documents.info}_count": 4,
		"outline_mcp_outline_retries_total{endpoint=documents.info}":                  1,
		"outline_mcp_rate_limit_waits_total":                                          1,
		"outline_mcp_rate_limit_wait_seconds_total":                                   1.5,
	})
}

func TestRefusalsAreCountedByReasonAndStandAtZeroBefore(t *testing.T) {
	m := newMetrics()
	m.Refused("no_key")
	m.Refused("no_key")
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_http_refusals_total{reason=no_key}": 2,
		"outline_mcp_http_refusals_total{reason=origin}": 0,
	})
}

func TestLoginsAreCountedByEventOrReason(t *testing.T) {
	m := newMetrics()
	m.Login("login", "")
	m.Login("refusal", "denied")
	m.Login("refusal", "denied")
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_login_events_total{event=login}":      1,
		"outline_mcp_login_events_total{event=refresh}":    0,
		"outline_mcp_login_refusals_total{reason=denied}":  2,
		"outline_mcp_login_refusals_total{reason=expired}": 0,
	})
}

func TestUnknownNamesAreCountedTogether(t *testing.T) {
	m := newMetrics()
	m.OutlineRequest("documents.info", 200, 0, false, 0)
	before := len(scrape(t, m))
	for i := range 1000 {
		name := fmt.Sprintf("invented_%d\n\"", i)
		m.RequestStarted("tool")
		m.RequestEnded("tool", name, name, 0)
		m.OutlineRequest("documents.info", 1000+i, 0, true, 0)
		m.Refused(name)
		m.Login(name, "")
		m.Login("refusal", name)
	}
	series := scrape(t, m)
	expect(t, series, map[string]float64{
		"outline_mcp_tool_calls_total{outcome=other,tool=other}":                   1000,
		"outline_mcp_outline_requests_total{endpoint=documents.info,status=other}": 1000,
		"outline_mcp_http_refusals_total{reason=other}":                            1000,
		"outline_mcp_outline_retries_total{endpoint=documents.info}":               1000,
	})
	if grown := len(series) - before; grown > 40 {
		t.Errorf("1000 invented names made %d series", grown)
	}
}

func TestTheProcessItselfIsMeasured(t *testing.T) {
	series := scrape(t, newMetrics())
	if series["go_goroutines"] < 1 {
		t.Error("no goroutines")
	}
	if runtime.GOOS == "linux" && series["process_resident_memory_bytes"] < 1 {
		t.Error("no resident memory")
	}
}

func TestNothingIsLostWhenManyCountAtOnce(t *testing.T) {
	m := newMetrics()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				m.RequestStarted("tool")
				m.OutlineRequest("documents.info", 200, time.Millisecond, false, time.Second)
				m.RequestEnded("tool", "read_document", "ok", time.Millisecond)
			}
		})
	}
	all.Go(func() {
		m.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
	})
	all.Wait()
	expect(t, scrape(t, m), map[string]float64{
		"outline_mcp_tool_calls_total{outcome=ok,tool=read_document}":            4000,
		"outline_mcp_outline_requests_total{endpoint=documents.info,status=200}": 4000,
		"outline_mcp_rate_limit_wait_seconds_total":                              4000,
		"outline_mcp_tool_calls_in_flight":                                       0,
	})
}

func TestTheDocumentationNamesEveryMetric(t *testing.T) {
	documentation, err := os.ReadFile("../../docs/team/operation.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics()
	m.RequestStarted("tool")
	m.RequestEnded("tool", "read_document", "ok", 0)
	m.OutlineRequest("documents.info", 200, 0, true, time.Second)
	names := map[string]bool{}
	for series := range scrape(t, m) {
		if name, _, _ := strings.Cut(series, "{"); strings.HasPrefix(name, "outline_mcp_") {
			names[name] = true
		}
	}
	if len(names) != 15 {
		t.Errorf("%d metrics: %v", len(names), names)
	}
	for name := range names {
		if !strings.Contains(string(documentation), "`"+name+"`") {
			t.Errorf("docs/team/operation.md does not name %s", name)
		}
	}
}

func TestNoMetricsCountNothing(t *testing.T) {
	var m *observe.Metrics
	if allocations := testing.AllocsPerRun(10, func() {
		m.RequestStarted("tool")
		m.RequestEnded("tool", "read_document", "ok", time.Second)
		m.OutlineRequest("documents.info", 200, time.Second, true, time.Second)
		m.Refused("no_key")
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if body, _ := io.ReadAll(recorder.Body); recorder.Code != http.StatusNotFound {
		t.Errorf("%d %s", recorder.Code, body)
	}
}

func BenchmarkCountACall(b *testing.B) {
	m := newMetrics()
	b.ReportAllocs()
	for b.Loop() {
		m.RequestStarted("tool")
		m.OutlineRequest("documents.info", 200, time.Millisecond, false, 0)
		m.RequestEnded("tool", "read_document", "ok", time.Millisecond)
	}
}
