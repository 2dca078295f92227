package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/observe"
)

// A collector keeps what is sent to it by OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu      sync.Mutex
	bodies  [][]byte // without their compression
	headers []http.Header
	spans   []*traces.Span
	service []*common.KeyValue
	refuses int // how many requests it refuses for the moment
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(t, w, r) }))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) serve(t *testing.T, w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses > 0 {
		c.refuses--
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(unzipped)
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Error(err, r.Header)
	}
	c.bodies, c.headers = append(c.bodies, body), append(c.headers, r.Header)
	switch r.URL.Path {
	case "/v1/traces":
		var sent traces.TracesData
		if err := proto.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		for _, resource := range sent.ResourceSpans {
			c.service = resource.Resource.Attributes
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	default:
		t.Errorf("sent to %s", r.URL.Path)
	}
}

// span returns the only span of a name.
func (c *collector) span(t *testing.T, name string) *traces.Span {
	t.Helper()
	var found []*traces.Span
	var names []string
	for _, span := range c.spans {
		names = append(names, span.Name)
		if span.Name == name {
			found = append(found, span)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are named %s: %s", len(found), name, names)
	}
	return found[0]
}

func attribute(all []*common.KeyValue, key string) string {
	for _, one := range all {
		if one.Key == key {
			return one.Value.String()
		}
	}
	return ""
}

// tracesFor starts to send to a collector.
func tracesFor(t *testing.T, log io.Writer, settings ...string) *observe.Traces {
	t.Helper()
	loaded, err := config.Load(append([]string{"OTEL_EXPORTER_OTLP_TIMEOUT=5000"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	started, err := app.StartTraces(app.Options{Config: loaded, Version: "test", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

func TestACallIsATraceOfItsRequestsToOutline(t *testing.T) {
	c, outline := newCollector(t), newNoting(t)
	c.refuses = 1 // for the moment
	sending := tracesFor(t, &lines{}, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=made%20up")
	s := serveTeam(t, app.Options{Transport: outline, Traces: sending}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	s.must(t, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false}}`, bearer(fakeoutline.MemberKey), "Traceparent: "+ofHeader)
	s.must(t, "tools/call", `{"name":"list_trash","arguments":{}}`, bearer("ol_api_demo_expired"))
	sending.Shutdown()

	call, request := c.span(t, "tools/call list_collections"), c.span(t, "POST collections.list")
	if hex.EncodeToString(call.TraceId) != ofHeader[3:35] || hex.EncodeToString(call.ParentSpanId) != ofHeader[36:52] || call.Kind != traces.Span_SPAN_KIND_SERVER {
		t.Errorf("the call does not belong to the client's trace: %v", call)
	}
	if !bytes.Equal(request.TraceId, call.TraceId) || !bytes.Equal(request.ParentSpanId, call.SpanId) || request.Kind != traces.Span_SPAN_KIND_CLIENT ||
		request.StartTimeUnixNano < call.StartTimeUnixNano || request.EndTimeUnixNano > call.EndTimeUnixNano {
		t.Errorf("the request to Outline is no part of the call: %v, %v", request, call)
	}
	if told := outline.traces[0]; !strings.Contains(told, hex.EncodeToString(call.SpanId)) || !strings.Contains(told, ofHeader[3:35]) {
		t.Errorf("Outline was told %q", told)
	}
	failed := c.span(t, "tools/call list_trash")
	if failed.Status.Code != traces.Status_STATUS_CODE_ERROR || !strings.Contains(attribute(failed.Attributes, "error.type"), "unauthorized") {
		t.Errorf("the failure is %v", failed)
	}
	if !strings.Contains(attribute(c.service, "service.name"), "outline-mcp") || !strings.Contains(attribute(c.service, "service.version"), "test") {
		t.Errorf("the service is %v", c.service)
	}
	for _, header := range c.headers {
		if header.Get("Api-Key") != "made up" {
			t.Errorf("sent with %v", header)
		}
	}
	for _, body := range c.bodies {
		for _, secret := range []string{"ol_api_", "Engineering", "made up"} {
			if bytes.Contains(body, []byte(secret)) {
				t.Errorf("%s is sent to the collector", secret)
			}
		}
	}
}

func TestACollectorThatIsAwayCostsNoCallAndOneLine(t *testing.T) {
	log := &lines{}
	sending := tracesFor(t, log, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:1/v1/traces", "OTEL_EXPORTER_OTLP_TIMEOUT=200")
	s := serveTeam(t, app.Options{Demo: true, Traces: sending})
	for range 3 {
		s.must(t, "tools/call", `{"name":"list_collections","arguments":{}}`)
	}
	sending.Shutdown()
	if got := strings.Count(log.String(), "cannot send traces"); got != 1 {
		t.Errorf("%d lines: %s", got, log)
	}
}

func TestNothingIsSentUnlessTheSettingsSayWhere(t *testing.T) {
	for _, settings := range [][]string{
		nil,
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_SDK_DISABLED=true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_TRACES_EXPORTER=none"},
	} {
		if tracesFor(t, io.Discard, settings...) != nil {
			t.Errorf("%s: something would be sent", settings)
		}
	}
}
