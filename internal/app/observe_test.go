package app_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// noting is a workspace that notes the traces of its requests.
type noting struct {
	http.RoundTripper
	mu     sync.Mutex
	traces []string
}

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.traces = append(n.traces, r.Header.Get("Traceparent")+" "+r.Header.Get("Tracestate"))
	n.mu.Unlock()
	return n.RoundTripper.RoundTrip(r)
}

func newNoting(t *testing.T) *noting {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &noting{RoundTripper: sample.Transport()}
}

const (
	ofHeader = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	ofMeta   = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00"
)

func TestACallIsOneLineOfTheLogWithoutAKey(t *testing.T) {
	outline := newNoting(t)
	s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	s.must(t, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false}}`, "X-Outline-API-Key: "+fakeoutline.MemberKey, "Traceparent: "+ofHeader)
	s.must(t, "tools/call", `{"name":"list_trash","arguments":{}}`, bearer("ol_api_demo_expired"))
	var calls []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `msg="tool call"`) {
			calls = append(calls, line)
		}
	}
	if len(calls) != 2 {
		t.Fatalf("%d lines for 2 calls: %s", len(calls), s.log)
	}
	for i, parts := range [][]string{
		{"level=INFO", "tool=list_collections", "outcome=ok", "duration=", "outline_requests=1", "key=", "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"},
		{"tool=list_trash", "outcome=unauthorized", "outline_requests=1", "key="},
	} {
		for _, part := range parts {
			if !strings.Contains(calls[i], part) {
				t.Errorf("no %s in %s", part, calls[i])
			}
		}
	}
	key := func(line string) string {
		_, rest, _ := strings.Cut(line, "key=")
		return strings.Fields(rest)[0]
	}
	if key(calls[0]) == key(calls[1]) {
		t.Errorf("two keys look alike: %s", calls)
	}
	if log := s.log.String(); strings.Contains(log, "ol_api_") {
		t.Errorf("a key is in the log: %s", log)
	}
}

func TestATraceReachesOutline(t *testing.T) {
	for name, test := range map[string]struct {
		meta    string
		headers []string
		want    string
	}{
		"none":                       {"", nil, " "},
		"header":                     {"", []string{"Traceparent: " + ofHeader, "Tracestate: a=b"}, ofHeader + " a=b"},
		"_meta":                      {`"traceparent":"` + ofMeta + `","tracestate":"c=d"`, nil, ofMeta + " c=d"},
		"_meta before the header":    {`"traceparent":"` + ofMeta + `"`, []string{"Traceparent: " + ofHeader, "Tracestate: a=b"}, ofMeta + " "},
		"no trace":                   {`"traceparent":"x"`, []string{"Traceparent: " + ofHeader}, " "},
		"capitals":                   {"", []string{"Traceparent: " + strings.ToUpper(ofHeader)}, " "},
		"zeros":                      {"", []string{"Traceparent: 00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}, " "},
		"another version":            {"", []string{"Traceparent: 01" + ofHeader[2:]}, " "},
		"state with a line break":    {`"traceparent":"` + ofMeta + `","tracestate":"c=d\r\nX-Evil: 1"`, nil, ofMeta + " "},
		"no text":                    {`"traceparent":1`, nil, " "},
		"state that is far too long": {`"traceparent":"` + ofMeta + `","tracestate":"` + strings.Repeat("c", 513) + `"`, nil, ofMeta + " "},
	} {
		t.Run(name, func(t *testing.T) {
			outline := newNoting(t)
			s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
			headers := append([]string{bearer(fakeoutline.MemberKey)}, test.headers...)
			s.must(t, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false},"_meta":{`+test.meta+`}}`, headers...)
			if !slices.Equal(outline.traces, []string{test.want}) {
				t.Errorf("Outline was sent %q, want %q", outline.traces, test.want)
			}
		})
	}
}

// scrape returns what an address answers a GET with.
func scrape(t *testing.T, address string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestMetricsCountCallsAndRequestsAndRefusals(t *testing.T) {
	s := serveTeam(t, app.Options{Demo: true})
	s.must(t, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false}}`)
	if r, err := s.send(t.Context(), "tools/list", `{}`, "Origin: https://evil.example"); err != nil || r.status != http.StatusForbidden {
		t.Fatal(err, r.status)
	}
	for _, call := range []string{`{"name":"no_such_tool","arguments":{}}`, `{"name":"create_document","arguments":{}}`} {
		if r, err := s.send(t.Context(), "tools/call", call, "X-Outline-Read-Only: true"); err != nil || r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%v %+v", err, r)
		}
	}
	if log := s.log.String(); strings.Count(log, "outcome=unknown_tool") != 2 || strings.Contains(log, "ol_api_") {
		t.Error(log)
	}
	status, body := scrape(t, strings.TrimSuffix(s.url, "/mcp")+"/metrics")
	for _, line := range []string{
		`outline_mcp_tool_calls_total{outcome="ok",tool="list_collections"} 1`,
		`outline_mcp_tool_call_duration_seconds_count{tool="list_collections"} 1`,
		`outline_mcp_outline_requests_total{endpoint="collections.list",status="200"} 1`,
		`outline_mcp_http_refusals_total{reason="origin"} 1`,
		`outline_mcp_tool_calls_total{outcome="unknown_tool",tool="other"} 2`,
		`outline_mcp_tool_calls_in_flight 0`,
		`version="test"`,
	} {
		if !strings.Contains(body, line) {
			t.Errorf("status %d, no %s in\n%s", status, line, body)
		}
	}
}

func TestMetricsMoveToAnAddressOfTheirOwn(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	s := serveTeam(t, app.Options{Demo: true}, "MCP_METRICS_ADDR="+address)
	s.must(t, "tools/list", `{}`) // it serves
	if status, body := scrape(t, "http://"+address+"/metrics"); status != http.StatusOK || !strings.Contains(body, "outline_mcp_build_info") {
		t.Errorf("status %d", status)
	}
	for _, elsewhere := range []string{strings.TrimSuffix(s.url, "/mcp") + "/metrics", "http://" + address + "/mcp"} {
		if status, _ := scrape(t, elsewhere); status != http.StatusNotFound {
			t.Errorf("%s answers %d", elsewhere, status)
		}
	}
	var first net.Conn
	for n := range 100 { // more than there may be; the one that has waited for longest is closed
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		if n == 0 {
			first = connection
		}
	}
	_ = first.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := first.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("100 connections stay open: %v", err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	request.Header.Set("X", strings.Repeat("x", 20<<10))
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a header of 20 KiB: %s", answer.Status)
		}
	}
}
