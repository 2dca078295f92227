package wire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/wire"
)

func TestWhatIsNoMessageIsRefusedWithAReason(t *testing.T) {
	s := newStage(t, false)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const modern = "Mcp-Protocol-Version: 2026-07-28"
	for _, test := range []struct {
		name, body string
		headers    []string
		status     int
		code       int
		id         string
		says       string
	}{
		{"an empty body", "", nil, 400, -32700, "null", "empty"},
		{"blanks", " \n", nil, 400, -32700, "null", "empty"},
		{"invalid JSON", `{"jsonrpc":`, nil, 400, -32700, "null", "JSON"},
		{"two messages", list + list, nil, 400, -32700, "null", "JSON"},
		{"a batch in a version without", "[" + list + "]", []string{"Mcp-Protocol-Version: 2025-11-25"}, 400, -32600, "null", "batches"},
		{"an empty batch", " []", nil, 400, -32600, "null", "1 to 50"},
		{"a long batch", "[" + strings.Repeat(list+",", 50) + list + "]", nil, 400, -32600, "null", "1 to 50"},
		{"a batch in the newest version", "[" + list + "]", []string{modern}, 400, -32600, "null", "batches"},
		{"a string", `"tools/list"`, nil, 400, -32600, "null", "object"},
		{"null", `null`, nil, 400, -32600, "null", "object"},
		{"no JSON-RPC", `{"id":1,"method":"tools/list"}`, nil, 400, -32600, "1", "jsonrpc"},
		{"another JSON-RPC", `{"jsonrpc":"1.0","id":"a","method":"tools/list"}`, nil, 400, -32600, `"a"`, "jsonrpc"},
		{"a method that is none", `{"jsonrpc":"2.0","id":1,"method":5}`, nil, 400, -32600, "null", "strings"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, nil, 400, -32600, "1", "no method"},
		{"an ID of null", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, nil, 400, -32600, "null", "id must be"},
		{"an ID that is an object", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, nil, 400, -32600, "null", "id must be"},
		{"an ID that is a list", `{"jsonrpc":"2.0","id":[1],"method":"tools/list"}`, nil, 400, -32600, "null", "id must be"},
		{"an ID that is true", `{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, nil, 400, -32600, "null", "id must be"},
		{"an ID that is not UTF-8", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"tools/list"}`, nil, 400, -32600, "null", "UTF-8"},
		{"a message that is long", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":"` + strings.Repeat("x", 64<<10) + `"}}}`, nil, 413, -32600, "null", "65536 bytes"},
		{"a long message that is no JSON", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 64<<10), nil, 400, -32700, "null", "JSON"},
		{"parameters in a list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, nil, 400, -32602, "1", "params"},
		{"another type of content", list, []string{"Content-Type: text/plain"}, 415, -32600, "null", "application/json"},
		{"no type of content", list, []string{"Content-Type:"}, 415, -32600, "null", "application/json"},

		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"documents/list"}`, nil, 200, -32601, "1", "documents/list"},
		{"an unknown method with a control character", `{"jsonrpc":"2.0","id":1,"method":"a\u0007"}`, nil, 200, -32601, "1", "not found"},
		{"an unknown method in the newest version", `{"jsonrpc":"2.0","id":1,"method":"documents/list","params":{` + meta + `}}`, []string{modern, "Mcp-Method: documents/list"}, 404, -32601, "1", "documents/list"},
		{"a method of sessions in the newest version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + meta + `}}`, []string{modern, "Mcp-Method: initialize"}, 404, -32601, "1", "initialize"},
		{"an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`, nil, 200, -32602, "1", "nothing"},
		{"an unknown version", list, []string{"Mcp-Protocol-Version: 1999-01-01"}, 400, -32022, "1", "1999-01-01"},
		{"a version to come", list, []string{"Mcp-Protocol-Version: 2099-01-01"}, 400, -32022, "1", "2099-01-01"},
		{"a version that is none", list, []string{"Mcp-Protocol-Version: latest"}, 400, -32022, "1", "latest"},
		{"a version to come in the body", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, []string{modern}, 400, -32020, "1", "2099-01-01"},
		{"no _meta", list, []string{modern, "Mcp-Method: tools/list"}, 400, -32602, "1", "_meta"},
		{"no version in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}`, []string{modern, "Mcp-Method: tools/list"}, 400, -32602, "1", "protocolVersion"},
		{"no capabilities in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{modern, "Mcp-Method: tools/list"}, 400, -32602, "1", "clientCapabilities"},
		{"_meta without the header", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{"Mcp-Method: tools/list"}, 400, -32020, "1", "Mcp-Protocol-Version"},
		{"_meta with another header", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{"Mcp-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list"}, 400, -32020, "1", "match"},
		{"another Mcp-Method", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{modern, "Mcp-Method: tools/call"}, 400, -32020, "1", "Mcp-Method"},
		{"no Mcp-Method", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{modern}, 400, -32020, "1", "Mcp-Method"},
		{"another Mcp-Name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",` + meta + `}}`, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: steps"}, 400, -32020, "1", "Mcp-Name"},
		{"no Mcp-Name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",` + meta + `}}`, []string{modern, "Mcp-Method: tools/call"}, 400, -32020, "1", "Mcp-Name"},
		{"an answer to nothing in the newest version", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{modern}, 202, 0, "", ""},
		{"a stream that is to be resumed in the newest version", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{modern, "Mcp-Method: tools/list", "Last-Event-ID: 5"}, 400, -32020, "1", "Last-Event-ID"},

		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, nil, 202, 0, "", ""},
		{"an error to nothing", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, nil, 202, 0, "", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, 0, "", ""},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/whatever","params":{}}`, nil, 202, 0, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := s.send(t, s.raw(t, test.body, test.headers...))
			if test.code == 0 {
				if a.status != test.status || a.body != "" {
					t.Errorf("status %d: %s", a.status, a.body)
				}
				return
			}
			m := a.last()
			if a.status != test.status || a.header.Get("Content-Type") != "application/json" || m.Error == nil || m.Error.Code != test.code ||
				string(m.ID) != test.id || !strings.Contains(m.Error.Message, test.says) {
				t.Errorf("status %d, %s: %s", a.status, a.header.Get("Content-Type"), a.body)
			}
			if after := s.send(t, s.raw(t, `{"jsonrpc":"2.0","id":"after","method":"ping"}`)); after.status != http.StatusOK {
				t.Errorf("the server does not go on: %d", after.status)
			}
		})
	}
}

func TestAnIDIsRepeatedAsItCame(t *testing.T) {
	s := newStage(t, false)
	for _, id := range []string{
		`1`, `-1`, `0`, `9007199254740993`, `123456789012345678901234567890`, `1.5`, `1e3`, `-0`, `1.0`,
		`""`, `"1"`, `"é\u00e9\ud83d"`, `"` + strings.Repeat("x", 1000) + `"`,
	} {
		for what, params := range map[string]string{"tools/list": `{}`, "fly": `{}`, "tools/call": `{"name":"steps","arguments":{"steps":2},"_meta":{"progressToken":1}}`} {
			a := s.send(t, s.raw(t, `{"jsonrpc":"2.0","method":"`+what+`","params":`+params+`,"id":`+id+`}`))
			if got := string(a.last().ID); got != id {
				t.Errorf("%s: %.60s is repeated as %.60s", what, id, got)
			}
		}
	}
}

func TestAnUnknownNameIsNotRepeatedAtLength(t *testing.T) {
	s := newStage(t, false)
	long := strings.Repeat("tool", 1000)
	for _, test := range []struct {
		name, body string
		headers    []string
	}{
		{"a method", `{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`, nil},
		{"a tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + long + `"}}`, nil},
		{"a prompt", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + long + `"}}`, nil},
		{"a version", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{"Mcp-Protocol-Version: " + long}},
	} {
		a := s.send(t, s.raw(t, test.body, test.headers...))
		if m := a.last(); m.Error == nil || strings.Contains(a.body, long[:101]) || !strings.Contains(a.body, long[:90]) {
			t.Errorf("%s: status %d: %.300s", test.name, a.status, a.body)
		}
	}
}

func TestAllVersionsAreServedAtOneEndpoint(t *testing.T) {
	s := newStage(t, false)
	for _, version := range append(revisions, "", "2025-03-26") {
		if a := s.send(t, s.request(t, version, `"one"`, "tools/call", `{"name":"steps"}`)); a.status != http.StatusOK || a.text() != "done" || string(a.last().ID) != `"one"` {
			t.Errorf("%q: status %d: %s", version, a.status, a.body)
		}
	}
	a := s.send(t, s.request(t, "2026-07-28", "1", "server/discover", `{}`))
	if got := a.last().Result.SupportedVersions; !slices.Equal(got, []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
		t.Errorf("it discovers %v: %s", got, a.body)
	}
}

func TestAnOlderVersionIsNegotiated(t *testing.T) {
	s := newStage(t, false)
	for asked, want := range map[string]string{
		`"2025-11-25"`: "2025-11-25", `"2025-06-18"`: "2025-06-18",
		`"2025-03-26"`: "2025-03-26", `"2024-11-05"`: "2024-11-05", `"2026-07-28"`: "2025-11-25", `"1999-01-01"`: "2025-11-25", `""`: "2025-03-26",
	} {
		params := `{"protocolVersion":` + asked + `,"capabilities":{"roots":{}},"clientInfo":{"name":"test","version":"1"}}`
		a := s.send(t, s.request(t, "", "1", "initialize", params))
		if got := a.last().Result.ProtocolVersion; a.status != http.StatusOK || got != want {
			t.Errorf("asked for %s it answers %q: %s", asked, got, a.body)
		}
	}
	if a := s.send(t, s.request(t, "", "1", "initialize", `{"protocolVersion":5}`)); a.last().Error == nil {
		t.Errorf("asked for a number it answers %s", a.body)
	}
	for _, params := range []string{`{}`, `null`} {
		if a := s.send(t, s.request(t, "1999-01-01", "1", "initialize", params)); a.status != http.StatusOK {
			t.Errorf("initialize with %s: status %d, %s", params, a.status, a.body)
		}
	}
}

func TestAStreamIsSentToThoseWhoTakeOne(t *testing.T) {
	s := newStage(t, false)
	for accept, streams := range map[string]bool{
		"application/json, text/event-stream": true,
		"text/event-stream;q=0.5":             true,
		"*/*":                                 true,
		"text/*":                              true,
		"":                                    true,
		"application/json":                    false,
		"application/json, text/event-stream;q=0": false,
	} {
		a := s.send(t, s.request(t, "2025-11-25", "1", "tools/call", `{"name":"steps","arguments":{"steps":3},"_meta":{"progressToken":1}}`, "Accept:"+accept))
		want, kind := 1, "application/json"
		if streams {
			want, kind = 4, "text/event-stream"
		}
		if len(a.messages) != want || a.header.Get("Content-Type") != kind || a.text() != "done" {
			t.Errorf("%q: %s with %d messages: %s", accept, a.header.Get("Content-Type"), len(a.messages), a.body)
		}
	}
	if a := s.send(t, s.request(t, "2025-11-25", "1", "tools/call", `{"name":"steps"}`)); a.header.Get("Content-Type") != "application/json" {
		t.Errorf("a call without progress is answered with %s", a.header.Get("Content-Type"))
	}
}

func TestAnAnswerThatCannotBeEncodedIsAnError(t *testing.T) {
	s := newStage(t, false)
	for steps, status := range map[string]int{"0": http.StatusInternalServerError, "2": http.StatusOK} {
		a := s.send(t, s.request(t, "2025-11-25", "5", "tools/call", `{"name":"broken","arguments":{"steps":`+steps+`},"_meta":{"progressToken":1}}`))
		if m := a.last(); a.status != status || m.Error == nil || m.Error.Code != -32603 || string(m.ID) != "5" {
			t.Errorf("after %s steps: status %d: %s", steps, a.status, a.body)
		}
	}
}

const extension = "example.com/pictures"

// remembering is a server that notes what the client of each request declares of an
// extension, as JSON.
func remembering(t *testing.T) (ask func(body, session string) http.Header, declared *string) {
	t.Helper()
	declared = new(string)
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, _ *mcp.ListToolsResult) {
		encoded, err := json.Marshal(wire.ClientCapabilities(ctx).Extensions[extension])
		if err != nil {
			t.Error(err)
		}
		*declared = string(encoded)
	})
	h := wire.NewHTTP(server.NewMCPServer("test", "1", server.WithToolCapabilities(false), server.WithHooks(hooks)), nil)
	h.Remember = extension
	return func(body, session string) http.Header {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
		r.Header.Set("Content-Type", "application/json")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.Serve(w, r, []byte(body))
		if w.Code != http.StatusOK {
			t.Fatalf("%s is answered with %d %s", body, w.Code, w.Body)
		}
		return w.Header()
	}, declared
}

func declaring(extensions string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{"extensions":` + extensions + `}}}`
}

const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`

func TestWhatAClientDeclaresIsKnownByItsSessionID(t *testing.T) {
	for name, test := range map[string]struct{ extensions, want string }{
		"the extension":     {`{"example.com/pictures":{"types":["png"]},"other":{}}`, `{"types":["png"]}`},
		"another extension": {`{"other":{}}`, ""},
		"none":              {`{}`, ""},
		"too much of it":    {`{"example.com/pictures":"` + strings.Repeat("x", 600) + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ask, declared := remembering(t)
			session := ask(declaring(test.extensions), "").Get("Mcp-Session-Id")
			if (session != "") != (test.want != "") {
				t.Fatalf("the session ID is %q", session)
			}
			if test.want == "" {
				return
			}
			if again := ask(declaring(test.extensions), session).Get("Mcp-Session-Id"); again == session {
				t.Error("two sessions have the same ID")
			}
			if ask(list, session); *declared != test.want {
				t.Errorf("known is %s", *declared)
			}
			if ask(list, ""); *declared != "null" {
				t.Errorf("known without the session ID is %s", *declared)
			}
		})
	}
}

func TestASessionIDThatSaysNothingIsIgnored(t *testing.T) {
	ask, declared := remembering(t)
	for _, session := range []string{"x", ".", "x.!", "x." + base64.RawURLEncoding.EncodeToString([]byte("{")), "x." + base64.RawURLEncoding.EncodeToString([]byte(`"`+strings.Repeat("x", 600)+`"`))} {
		if ask(list, session); *declared != "null" {
			t.Errorf("%.20s: known is %s", session, *declared)
		}
	}
}

// gone is a client that has closed its connection.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestAClientThatHasGoneIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	h := wire.NewHTTP(server.NewMCPServer("stage", "1"), slog.New(slog.NewTextHandler(&log, nil)))
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Content-Type", "application/json")
	h.Serve(gone{httptest.NewRecorder()}, r, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if log.Len() > 0 {
		t.Error(&log)
	}
}

// What this package costs beside the library alone.
func BenchmarkCall(b *testing.B) {
	tools := server.NewMCPServer("stage", "1", server.WithToolCapabilities(false))
	tools.AddTool(mcp.NewTool("echo"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	})
	log := slog.New(slog.DiscardHandler)
	library := server.NewStreamableHTTPServer(tools, server.WithStateLess(true), server.WithDisableStreaming(true), server.WithStreamableHTTPLogger(log))
	ours := wire.NewHTTP(tools, log)
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 200) + `"}}}`)
	request := func() *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		return r
	}
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			library.ServeHTTP(httptest.NewRecorder(), request())
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ours.Serve(httptest.NewRecorder(), request(), body)
		}
	})
}

func FuzzWhateverIsSentIsAnsweredInJSON(f *testing.F) {
	for _, body := range []string{
		"", "[]", "{}", "null", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"tools/call","params":{"name":"x","arguments":{"a":1e400}}}`,
		`{"params":{"arguments":[{}],"name":"x"},"id":9007199254740993,"method":"tools/call","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 100) + `","error":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`,
	} {
		f.Add(body, "2025-11-25", "tools/list")
		f.Add(body, "2026-07-28", "tools/list")
		f.Add(body, "", "")
	}
	handler := wire.NewHTTP(server.NewMCPServer("stage", "1", server.WithToolCapabilities(false)), slog.New(slog.DiscardHandler))
	handler.HoldArguments = true
	f.Fuzz(func(t *testing.T, body, version, method string) {
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Header["Content-Type"] = []string{"application/json"}
		if version != "" {
			request.Header["Mcp-Protocol-Version"] = []string{version}
		}
		request.Header["Mcp-Method"] = []string{method}
		recorder := httptest.NewRecorder()
		handler.Serve(recorder, request, []byte(body))
		got := recorder.Body.String()
		switch {
		case recorder.Code == http.StatusAccepted && got == "":
		case recorder.Header().Get("Content-Type") == "text/event-stream":
			if !strings.HasPrefix(got, "event: message\ndata: {") || !strings.HasSuffix(got, "}\n\n") {
				t.Errorf("%q: %q", body, got)
			}
		case recorder.Header().Get("Content-Type") != "application/json" || !json.Valid([]byte(got)) || !strings.Contains(got, `"jsonrpc":"2.0"`):
			t.Errorf("%q is answered with status %d, %s: %q", body, recorder.Code, recorder.Header().Get("Content-Type"), got)
		}
	})
}
