package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// outlineServer is an Outline on loopback that can be made to fail.
type outlineServer struct {
	*httptest.Server
	healthy http.Handler
	fault   atomic.Pointer[http.HandlerFunc]
}

func newOutlineServer(t *testing.T) *outlineServer {
	t.Helper()
	healthy, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &outlineServer{healthy: healthy}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := s.fault.Load(); fault != nil {
			(*fault)(w, r)
			return
		}
		healthy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *outlineServer) fail(with http.HandlerFunc) { s.fault.Store(&with) }
func (s *outlineServer) heal()                      { s.fault.Store(nil) }

// connect returns a client of a server with the given settings.
func connect(t *testing.T, log io.Writer, settings ...string) *client.Client {
	t.Helper()
	loaded, err := config.Load(settings)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func status(code int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func refusal(code int, name, message string, headers ...string) http.HandlerFunc {
	body, _ := json.Marshal(map[string]any{"ok": false, "error": name, "status": code, "message": message})
	return status(code, "application/json; charset=utf-8", string(body), headers...)
}

const unknownUUID = "00000000-0000-4000-8000-000000000000"

func TestEachFailureNamesItsCauseAndTheNextStep(t *testing.T) {
	read := func(id string) map[string]any { return map[string]any{"document_id": id} }
	tests := []struct {
		name      string
		fault     http.HandlerFunc // nil: Outline is well
		settings  []string
		tool      string
		arguments map[string]any
		code      output.Code
		says      []string
		after     float64 // retry_after_seconds
	}{
		{name: "unknown argument", tool: "read_document", arguments: map[string]any{"document_id": unknownUUID, "page": 2},
			code: output.InvalidArguments, says: []string{`unknown argument "page"`, "Valid arguments: document_id (required)"}},
		{name: "missing argument", tool: "read_document", arguments: map[string]any{},
			code: output.InvalidArguments, says: []string{`missing argument "document_id"`}},
		{name: "wrong type", tool: "search_documents", arguments: map[string]any{"query": "x", "limit": "many"},
			code: output.InvalidArguments, says: []string{"limit must be a whole number"}},
		{name: "blank query", tool: "search_documents", arguments: map[string]any{"query": "   "},
			code: output.InvalidArguments, says: []string{"query must not be blank"}},
		{name: "limit 0", tool: "search_documents", arguments: map[string]any{"query": "x", "limit": 0},
			code: output.InvalidArguments, says: []string{"from 1 to 100, not 0"}},
		{name: "limit -1", tool: "list_collections", arguments: map[string]any{"limit": -1},
			code: output.InvalidArguments, says: []string{"from 1 to 100, not -1"}},
		{name: "limit 101", tool: "list_collections", arguments: map[string]any{"limit": 101},
			code: output.InvalidArguments, says: []string{"from 1 to 100, not 101"}},
		{name: "max_depth 0", tool: "get_collection_structure", arguments: map[string]any{"collection_id": unknownUUID, "max_depth": 0},
			code: output.InvalidArguments, says: []string{"max_depth must be 1 or more, or -1 for all levels"}},
		{name: "unknown detail level", tool: "search_documents", arguments: map[string]any{"query": "x", "detail_level": "everything"},
			code: output.InvalidArguments, says: []string{"detail_level must be ids, summary or full"}},
		{name: "an id that is no id", tool: "read_document", arguments: read("not an id!"),
			code: output.NotFound, says: []string{"not an id!", "is called", "search_documents"}},
		{name: "an unknown document", tool: "read_document", arguments: read(unknownUUID),
			code: output.NotFound, says: []string{"search_documents", unknownUUID}},
		{name: "a document without access", fault: refusal(403, "authorization_error", "Authorization error"), tool: "read_document", arguments: read(unknownUUID),
			code: output.Forbidden, says: []string{"documents.info", "Authorization error", "scope", unknownUUID}},
		{name: "an expired key", settings: []string{"OUTLINE_API_KEY=ol_api_demo_expired"}, tool: "list_collections",
			code: output.Unauthorized, says: []string{"API key is expired", "OUTLINE_API_KEY"}},
		{name: "no key", settings: []string{"OUTLINE_API_KEY="}, tool: "list_collections",
			code: output.NoKey, says: []string{"OUTLINE_API_KEY", "outline-mcp doctor"}},
		{name: "rate limit of a second, used up again", fault: refusal(429, "rate_limit_exceeded", "Rate limit exceeded for this operation", "Retry-After", "1"),
			settings: []string{"OUTLINE_MAX_RETRIES=1"}, tool: "read_document", arguments: read(unknownUUID),
			code: output.RateLimited, says: []string{"rate limit for documents.info", "again in 1 seconds"}, after: 1},
		{name: "rate limit of ten minutes", fault: refusal(429, "rate_limit_exceeded", "Rate limit exceeded for this operation", "Retry-After", "600"),
			tool: "read_document", arguments: read(unknownUUID),
			code: output.RateLimited, says: []string{"again in 600 seconds"}, after: 600},
		{name: "status 500", fault: refusal(500, "internal_error", "Something broke"), tool: "list_collections",
			code: output.UpstreamError, says: []string{"collections.list", "Something broke", "Try again"}},
		{name: "an HTML answer", fault: status(200, "text/html; charset=utf-8", "<html><title>Sign in</title></html>"), tool: "list_collections",
			code: output.BadAnswer, says: []string{"text/html", "OUTLINE_API_URL"}},
		{name: "a redirect to a login page", fault: status(302, "text/html", "", "Location", "https://login.example.com/"), tool: "list_collections",
			code: output.BadAnswer, says: []string{"login.example.com", "OUTLINE_API_URL"}},
		{name: "an answer cut in the middle by the network", fault: cutAnswer, settings: []string{"OUTLINE_MAX_RETRIES=1"}, tool: "read_document", arguments: read(unknownUUID),
			code: output.Unreachable, says: []string{"documents.info", "before the answer was complete", "Try again"}},
		{name: "an answer cut in the middle by a proxy", fault: status(200, "application/json", `{"data":{"id":"3f0a`), tool: "read_document", arguments: read(unknownUUID),
			code: output.BadAnswer, says: []string{"documents.info", "OUTLINE_API_URL"}},
		{name: "an answer that never comes", fault: func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
			settings: []string{"OUTLINE_REQUEST_TIMEOUT=0.05", "OUTLINE_MAX_RETRIES=0"}, tool: "read_document", arguments: read(unknownUUID),
			code: output.Timeout, says: []string{"did not answer documents.info", "OUTLINE_REQUEST_TIMEOUT"}},
		{name: "an answer that comes after the call's time", fault: func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
			settings: []string{"OUTLINE_CALL_TIMEOUT=0.05", "OUTLINE_REQUEST_TIMEOUT=60", "OUTLINE_MAX_RETRIES=0"}, tool: "read_document", arguments: read(unknownUUID),
			code: output.Timeout, says: []string{"OUTLINE_CALL_TIMEOUT"}},
		{name: "an answer of 40 MB", fault: hugeAnswer, tool: "read_document", arguments: read(unknownUUID),
			code: output.TooLarge, says: []string{"OUTLINE_MAX_ANSWER_BYTES"}},
	}
	for _, test := range tests {
		for _, structured := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, structured %t", test.name, structured), func(t *testing.T) {
				outline := newOutlineServer(t)
				var log bytes.Buffer
				settings := append([]string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, fmt.Sprintf("OUTLINE_STRUCTURED_OUTPUT=%t", structured)}, test.settings...)
				c := connect(t, &log, settings...)
				if test.fault != nil {
					outline.fail(test.fault)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // less than a request may take by itself
				defer cancel()
				answer, err := cli.Call(ctx, c, test.tool, test.arguments)
				if err != nil {
					t.Fatalf("protocol error: %s", err)
				}
				if err := ctx.Err(); err != nil {
					t.Errorf("the call did not end by itself: %s", err)
				}
				if answer.Code == "" {
					t.Fatalf("no failure: %s", answer.Text)
				}
				for _, says := range append(test.says, string(test.code)) {
					if !strings.Contains(answer.Text, says) {
						t.Errorf("text does not say %q: %s", says, answer.Text)
					}
				}
				if structured {
					var failure output.Failure
					if err := json.Unmarshal(answer.Structured, &failure); err != nil {
						t.Fatal(err)
					}
					if failure.Code != test.code || failure.RetryAfterSeconds != test.after || !strings.Contains(answer.Text, failure.Sentence) {
						t.Errorf("structured content is %s", answer.Structured)
					}
				} else if answer.Structured != nil {
					t.Errorf("structured content with the switch off: %s", answer.Structured)
				}
				for _, form := range []string{answer.Text, string(answer.Structured), log.String()} {
					if strings.Contains(form, "ol_api_") {
						t.Errorf("holds a key: %s", form)
					}
				}

				outline.heal()
				if _, err := cli.Call(t.Context(), c, "no_such_tool", nil); err == nil {
					t.Error("an unknown tool is no protocol error")
				}
				again, err := cli.Call(t.Context(), c, "list_trash", nil)
				if err != nil || again.Code != "" && len(test.settings) == 0 {
					t.Errorf("the server does not go on: %s %s", err, again.Text)
				}
			})
		}
	}
}

func cutAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"data":{"id":"3f0a`)
}

func hugeAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"data":{"text":"`)
	block := bytes.Repeat([]byte("x"), 1<<20)
	for range 40 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
	io.WriteString(w, `"}}`)
}

func TestARateLimitOfASecondIsWaitedFor(t *testing.T) {
	outline := newOutlineServer(t)
	refused := refusal(429, "rate_limit_exceeded", "Rate limit exceeded for this operation", "Retry-After", "1")
	outline.fail(func(w http.ResponseWriter, r *http.Request) {
		outline.heal()
		refused(w, r)
	})
	c := connect(t, io.Discard, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+fakeoutline.AdminKey)
	answer, err := cli.Call(t.Context(), c, "search_documents", map[string]any{"query": "buoy"})
	if err != nil || answer.Code != "" {
		t.Errorf("%v: %s", err, answer.Text)
	}
}

// switching is an Outline that answers each request with 101, and keeps its
// connection.
func switching(t *testing.T) *outlineServer {
	t.Helper()
	outline := newOutlineServer(t)
	ctx, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	outline.fail(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		context.AfterFunc(ctx, func() { connection.Close() })
		io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
	})
	return outline
}

func TestANumberOutOfRangeIsRefusedWithTheBounds(t *testing.T) {
	const params = `{"name":"search_documents","arguments":{"query":"x","limit":1e400}}`
	const says = "limit must be a whole number from 1 to 100, not 1e400"
	if r := serveTeam(t, app.Options{Demo: true}).must(t, "tools/call", params); !r.Result.IsError || !strings.Contains(r.text(), says) {
		t.Errorf("over HTTP: %s", r.body)
	}
	loaded, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	local, err := app.New(app.Options{Config: loaded, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := local.ServeStdio(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+"}\n"), &out); err != nil || !strings.Contains(out.String(), says) {
		t.Errorf("on stdio: %v: %s", err, &out)
	}
}

func TestAKeyGivenAsANameIsNotRepeated(t *testing.T) {
	const key = "OL_API_0123456789"
	var requests strings.Builder
	s := serveTeam(t, app.Options{Demo: true})
	for method, params := range map[string]string{
		key:          `{}`,
		"tools/call": `{"name":"` + key + `","arguments":{}}`,
	} {
		if r := s.must(t, method, params); strings.Contains(r.body, key) || !strings.Contains(r.body, "looks like an API key") {
			t.Errorf("over HTTP: %s", r.body)
		}
		fmt.Fprintf(&requests, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params)
	}
	loaded, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	local, err := app.New(app.Options{Config: loaded, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := local.ServeStdio(t.Context(), strings.NewReader(requests.String()), &out); err != nil || strings.Contains(out.String(), key) || strings.Count(out.String(), "looks like an API key") != 2 {
		t.Errorf("on stdio: %v: %s", err, &out)
	}
}

func TestALargeRequestNeedsAKeyThatOutlineHasAccepted(t *testing.T) {
	outline := newOutlineServer(t)
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL, "MCP_MAX_BODY=2MiB")
	entered, leave := make(chan struct{}), make(chan struct{})
	create := `{"name":"create_document","arguments":{"title":"x","publish":false,"text":"` + strings.Repeat("word ", 200_000) + `"}}`
	outline.fail(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-leave
		outline.healthy.ServeHTTP(w, r)
	})
	first := make(chan reply)
	go func() {
		r, err := s.send(t.Context(), "tools/call", create, bearer("ol_api_made_up"))
		if err != nil {
			t.Error(err)
		}
		first <- r
	}()
	<-entered // it takes the place of all strangers
	outline.heal()
	key := bearer(fakeoutline.MemberKey)
	if r := s.must(t, "tools/call", create, key); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "call a tool that reads first") {
		t.Errorf("before the key is accepted: status %d: %.300s", r.status, r.body)
	}
	if r := s.must(t, "tools/call", listCollections, key); r.Result.IsError {
		t.Fatal(r.body)
	}
	if r := s.must(t, "tools/call", create, key); r.status != http.StatusOK || r.Result.IsError {
		t.Errorf("afterwards: status %d: %.300s", r.status, r.body)
	}
	close(leave)
	if r := <-first; r.status != http.StatusOK || !r.Result.IsError {
		t.Errorf("the stranger's: status %d: %.300s", r.status, r.body)
	}
}

func TestAnUpstreamThatSwitchesProtocolsHoldsNothingUp(t *testing.T) {
	outline := switching(t)
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY=ol_api_test", "MCP_MAX_CALLS_PER_KEY=1")
	within := func(what string, do func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			do()
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			outline.CloseClientConnections()
			t.Fatal(what + " does not end")
		}
	}
	for range 2 { // the slot of the first is free again
		within("a call", func() {
			r, err := s.send(t.Context(), "tools/call", listCollections)
			if err != nil || !r.Result.IsError || !strings.Contains(r.body, "status 101") {
				t.Errorf("%v: %s", err, r.body)
			}
		})
	}
	within("/ready", func() {
		response, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/ready")
		if err != nil {
			t.Error(err)
			return
		}
		response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("ready: status %d", response.StatusCode)
		}
	})
	within("stopping", func() {
		s.stop()
		s.ended <- <-s.ended
	})
}

func TestTheURLOfAnotherOutlineIsRefusedWithTheSettingThatAllowsIt(t *testing.T) {
	const document = "https://evil.example/doc/x-1wPyxUCdt9"
	calls := []string{
		`{"name":"read_document","arguments":{"document_id":"` + document + `"}}`,
		`{"name":"archive_document","arguments":{"document_id":"` + document + `"}}`,
		`{"name":"delete_document","arguments":{"document_id":"` + document + `"}}`,
		`{"name":"update_document","arguments":{"document_id":"` + document + `","title":"x"}}`,
		`{"name":"update_document","arguments":{"document_id":"` + document + `","text":"x"}}`,
		`{"name":"edit_document","arguments":{"document_id":"` + document + `","edits":[{"old_text":"a","new_text":"b"}]}}`,
		`{"name":"move_document","arguments":{"document_id":"1wPyxUCdt9","parent_document_id":"` + document + `"}}`,
		`{"name":"batch_archive_documents","arguments":{"document_ids":["` + document + `"]}}`,
		`{"name":"restore_document","arguments":{"document_id":"` + document + `"}}`,
		`{"name":"list_document_comments","arguments":{"document_id":"` + document + `"}}`,
		`{"name":"search_documents","arguments":{"query":"x","collection_id":"https://evil.example/collection/x-1wPyxUCdt9"}}`,
		`{"name":"get_collection_structure","arguments":{"collection_id":"https://evil.example/collection/x-1wPyxUCdt9"}}`,
		`{"name":"delete_collection","arguments":{"collection_id":"https://evil.example/collection/x-1wPyxUCdt9"}}`,
	}
	s := serveTeam(t, app.Options{Demo: true})
	for _, call := range calls {
		r := s.must(t, "tools/call", call)
		if !r.Result.IsError || !strings.Contains(r.text(), "an address of evil.example, not of outline.demo.invalid") {
			t.Errorf("%s: %s", call, r.body)
		}
		if !strings.Contains(call, "batch") && !strings.Contains(r.text(), "OUTLINE_URL_ALIASES") {
			t.Errorf("%s does not say what allows it: %s", call, r.text())
		}
	}
	s = serveTeam(t, app.Options{Demo: true}, "OUTLINE_URL_ALIASES=Evil.example")
	if r := s.must(t, "tools/call", calls[0]); r.Result.IsError || !strings.Contains(r.text(), "Friday soup") {
		t.Errorf("an alias: %s", r.body)
	}
}

func TestParametersOfAWrongTypeAreNamed(t *testing.T) {
	team := serveTeam(t, app.Options{Demo: true})
	for _, test := range []struct{ method, params, want string }{
		{"resources/list", `"cursor":5`, "resources/list: wrong type of cursor."},
		{"resources/templates/list", `"cursor":{}`, "resources/templates/list: wrong type of cursor."},
		{"prompts/list", `"cursor":true`, "prompts/list: wrong type of cursor."},
		{"completion/complete", `"ref":5,"argument":{"name":"id","value":"x"}`, "completion/complete: wrong type of "},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"catch_up"},"argument":{"name":"id","value":7}`, "completion/complete: wrong type of argument.value."},
	} {
		t.Run(test.method, func(t *testing.T) {
			params := `{` + test.params + `,` + modernMeta + `}`
			overHTTP := team.must(t, test.method, params, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: "+test.method)
			var onStdio bytes.Buffer
			line := `{"jsonrpc":"2.0","id":1,"method":"` + test.method + `","params":` + params + `}`
			if err := team.app.ServeStdio(t.Context(), strings.NewReader(line), &onStdio); err != nil {
				t.Fatal(err)
			}
			for _, answer := range []string{overHTTP.body, onStdio.String()} {
				var a reply
				if err := json.Unmarshal([]byte(answer), &a); err != nil {
					t.Fatal(err)
				}
				if a.Error == nil || a.Error.Code != mcp.INVALID_PARAMS || !strings.HasPrefix(a.Error.Message, test.want) || strings.Contains(a.Error.Message, "Go ") {
					t.Errorf("the answer is %s", answer)
				}
			}
		})
	}
}
