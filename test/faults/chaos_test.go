package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"outline-mcp/internal/observe/audit"
	"outline-mcp/output"
)

// TestNobodyIsToldAnythingWrongWhileEverythingFails has callers read and write over HTTP
// while Outline fails and connections to the server are cut, for OUTLINE_CHAOS_TIME or a few
// seconds. Then it compares what they were told with the workspace and the audit trail.
func TestNobodyIsToldAnythingWrongWhileEverythingFails(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("OUTLINE_CHAOS_TIME"))
	if err != nil {
		length = 3 * time.Second
	}
	c := startChaos(t)
	c.serves("before anything fails")
	c.begin()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var callers sync.WaitGroup
	for n := range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				c.read(n)
			}
		})
	}
	for n := range 12 {
		callers.Go(func() {
			for ctx.Err() == nil {
				c.write(ctx, 10+n, 15)
			}
		})
	}
	callers.Wait()
	c.calm.Store(true)
	c.proxy.Toxics.ResetToxics(t.Context())
	c.serves("when nothing fails any more")
	if err := c.server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := c.server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
	c.check()
	t.Logf("%d calls answered, %d without an answer, failures by code: %v; Outline failed %d of %d requests", len(c.answered), c.lost, c.codes, c.failures.Load(), c.requests.Load())
	if c.failures.Load() == 0 {
		t.Error("nothing has failed")
	}
}

// A chaos is a server between callers and an Outline, and what the callers were told.
type chaos struct {
	t       *testing.T
	outline outlineProcess
	direct  http.Handler // passes requests on to Outline
	server  *exec.Cmd
	proxy   *toxiproxy.Proxy // in front of the server
	trail   string           // of audits
	client  *http.Client

	calm                      atomic.Bool // Outline does not fail
	calls, requests, failures atomic.Int64

	mu       sync.Mutex
	lost     int // calls without an answer
	codes    map[output.Code]int
	answered []string // IDs of calls
	marks    []mark
}

// A mark is what one call appends to a document.
type mark struct {
	document, text, call string
	least, most          int // how often it may be there, by what the caller was told
}

// startChaos starts an Outline and a server, which end with the test.
func startChaos(t *testing.T) *chaos {
	t.Helper()
	c := &chaos{
		t: t, outline: startOutline(t, program(t)), trail: filepath.Join(t.TempDir(), "audit.jsonl"), codes: map[output.Code]int{},
		client: &http.Client{Timeout: 6 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}, // a connection for each call
	}
	c.calm.Store(true)
	to, err := url.Parse(strings.TrimSuffix(c.outline.base, "/api"))
	if err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{}
	c.direct = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: connections}
	upstream := httptest.NewServer(c)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	c.server = exec.Command(c.outline.program)
	c.server.Env = []string{
		"OUTLINE_API_URL=" + upstream.URL + "/api", "OUTLINE_REQUEST_TIMEOUT=500ms", "OUTLINE_CALL_TIMEOUT=5s", "OUTLINE_MAX_RETRIES=2",
		"OUTLINE_STRUCTURED_OUTPUT=true", "MCP_TRANSPORT=http", "MCP_PORT=" + strings.TrimPrefix(address, "127.0.0.1:"), "MCP_AUDIT_LOG=" + c.trail, "LOG_LEVEL=error",
	}
	c.proxy = toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()), t.Name(), "127.0.0.1:0", address)
	for _, err := range []error{c.server.Start(), c.proxy.Start()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_ = c.server.Process.Kill() // unless it has ended
		c.proxy.Stop()
		upstream.Close()
		connections.CloseIdleConnections()
	})
	return c
}

// begin lets Outline fail, and cuts connections to the server.
func (c *chaos) begin() {
	for _, stream := range []string{"upstream", "downstream"} {
		if _, err := c.proxy.Toxics.AddToxicJson(strings.NewReader(`{"name":"cut ` + stream + `","type":"limit_data","stream":"` + stream + `","toxicity":0.05,"attributes":{"bytes":250}}`)); err != nil {
			c.t.Fatal(err)
		}
	}
	c.calm.Store(false)
	c.lost = 0 // calls before the server listened
}

// errorAnswers are answers of networks, gateways and Outline that are no success.
var errorAnswers = []struct {
	status            int
	contentType, body string
}{
	{http.StatusTooManyRequests, "application/json", `{"ok":false,"error":"rate_limit_exceeded","status":429}`},
	{http.StatusInternalServerError, "application/json", `{"ok":false,"error":"internal_error","status":500}`},
	{http.StatusBadGateway, "text/html", "<!doctype html><title>Gateway</title>"},
	{http.StatusServiceUnavailable, "application/json", `{"ok":false,"error":"request_timeout","status":503}`},
	{http.StatusOK, "text/html", "<!doctype html><title>Gateway</title>"},
	{http.StatusOK, "application/json", `{"ok":true,"status":200,"data":{}}`},
}

// ServeHTTP passes requests on to Outline, but for one in twenty, and 40 in a row of a
// thousand. Those fail in one of nine ways, every other time after Outline has handled them.
func (c *chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	n := c.requests.Add(1)
	fails := !c.calm.Load() && (n%1000 < 40 || rand.IntN(20) == 0)
	if fails {
		n = c.failures.Add(1)
	}
	passed, kind := httptest.NewRecorder(), int(n%9)
	if !fails || kind != 0 && n/9%2 == 0 { // a rate limit is never exceeded by a request that is handled
		c.direct.ServeHTTP(passed, r.WithContext(context.WithoutCancel(r.Context())))
	}
	body := passed.Body.Bytes()
	switch {
	case !fails:
		maps.Copy(w.Header(), passed.Header())
		w.WriteHeader(passed.Code)
		_, _ = w.Write(body)
	case kind < len(errorAnswers):
		w.Header().Set("Content-Type", errorAnswers[kind].contentType)
		w.Header().Set("Retry-After", "1") // has a meaning for 429 and 503
		w.WriteHeader(errorAnswers[kind].status)
		_, _ = io.WriteString(w, errorAnswers[kind].body)
	case kind == 6:
		<-r.Context().Done()
	case kind == 7: // cut in its body
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		_, _ = w.Write(body[:len(body)/2])
		fallthrough
	default:
		panic(http.ErrAbortHandler)
	}
}

// call calls a tool as a member. ok reports whether it succeeded; without an answer, code
// is "".
func (c *chaos) call(member int, tool string, arguments map[string]any) (id, text string, code output.Code, ok bool) {
	number := c.calls.Add(1)
	id = strconv.FormatInt(number, 10)
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	request, _ := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "http://"+c.proxy.Listen+"/mcp", bytes.NewReader(body))
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}, "X-Outline-Api-Key": {memberKey(member)}}
	var answer struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Code output.Code }
			IsError           bool
		}
	}
	response, err := c.client.Do(request)
	if err == nil {
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.lost++
		return id, "", "", false
	}
	c.answered = append(c.answered, id)
	result := answer.Result
	switch {
	case len(result.Content) > 0 && !result.IsError:
		return id, result.Content[0].Text, "", true
	case result.StructuredContent.Code == "":
		c.t.Errorf("%s answers %.300s", tool, body)
	}
	c.codes[result.StructuredContent.Code]++
	return id, "", result.StructuredContent.Code, false
}

// read reads a page of the sample, and reports whether it succeeded.
func (c *chaos) read(member int) bool {
	_, text, _, ok := c.call(member, "read_document", map[string]any{"document_id": "1wPyxUCdt9"})
	if ok && !strings.Contains(text, "Friday soup") {
		c.t.Errorf("another page is read: %.300s", text)
	}
	return ok
}

// write creates a document without the server and appends some marks to it, unless ctx ends.
// It reports whether the last one succeeded, which the next read must see.
func (c *chaos) write(ctx context.Context, member, marks int) (ok bool) {
	var created struct{ ID string }
	if err := c.outline.call(memberKey(member), "documents.create", map[string]any{"title": "Chaos", "text": "Begin.", "publish": true, "collectionId": "8441e5d2-7545-4078-bd93-c21942e16c7f"}, &created); err != nil {
		c.t.Error(err)
	}
	for n := 0; n < marks && ctx.Err() == nil; n++ {
		m := mark{document: created.ID, text: fmt.Sprintf("mark %d of member %d.", n, member), least: 1, most: 1}
		var code output.Code
		m.call, _, code, ok = c.call(member, "update_document", map[string]any{"document_id": created.ID, "text": "\n\n" + m.text, "append": true})
		switch {
		case ok:
			if _, text, _, seen := c.call(member, "read_document", map[string]any{"document_id": created.ID}); seen && !strings.Contains(text, m.text) {
				c.t.Errorf("%s was appended to %s, and is not there", m.text, created.ID)
			}
		case code == "", code == output.OutcomeUnknown, code == output.WriteMismatch:
			m.least = 0
		default:
			m.least, m.most = 0, 0
		}
		c.mu.Lock()
		c.marks = append(c.marks, m)
		c.mu.Unlock()
	}
	return ok
}

// serves waits until a call that reads and one that writes succeed.
func (c *chaos) serves(when string) {
	ctx, stop := context.WithTimeout(c.t.Context(), time.Minute)
	defer stop()
	for ctx.Err() == nil && !(c.read(1) && c.write(ctx, 50, 1)) {
	}
	if ctx.Err() != nil {
		c.t.Fatalf("the server does not serve %s", when)
	}
}

// check compares what callers were told with the workspace and with the audit trail.
func (c *chaos) check() {
	calls, writes := map[string]int{}, map[string]bool{}
	reader := audit.Reader{Found: func(r audit.Record, _ []byte) error {
		if r.Event == audit.EventCall {
			calls[r.RequestID]++
		}
		writes[r.RequestID] = writes[r.RequestID] || r.Event == audit.EventWrite || r.Effect != "reads"
		return nil
	}}
	if err := reader.ReadFile(c.trail); err != nil {
		c.t.Fatal(err)
	}
	if damage, err := reader.End(); err != nil || damage != (audit.Damage{}) {
		c.t.Errorf("the audit trail has %+v, %v", damage, err)
	}
	for _, id := range c.answered {
		if calls[id] != 1 {
			c.t.Errorf("the audit trail has the call %s %d times", id, calls[id])
		}
	}
	for _, m := range c.marks {
		var document struct{ Text string }
		if err := c.outline.call(adminKey, "documents.info", map[string]any{"id": m.document}, &document); err != nil {
			c.t.Fatal(err)
		}
		n := strings.Count(document.Text, m.text)
		if n < m.least || n > m.most {
			c.t.Errorf("%s is %d times in %s, not %d to %d times", m.text, n, m.document, m.least, m.most)
		}
		if n > 0 && !writes[m.call] {
			c.t.Errorf("the audit trail has no change by call %s", m.call)
		}
	}
}
