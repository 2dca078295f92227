package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

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
		case <-time.After(10 * time.Second):
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
	for _, test := range []struct{ method, params, want string }{
		{"resources/list", `"cursor":5`, "resources/list: wrong type of cursor."},
		{"resources/templates/list", `"cursor":{}`, "resources/templates/list: wrong type of cursor."},
		{"prompts/list", `"cursor":true`, "prompts/list: wrong type of cursor."},
		{"completion/complete", `"ref":5,"argument":{"name":"id","value":"x"}`, "completion/complete: wrong type of "},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"catch_up"},"argument":{"name":"id","value":7}`, "completion/complete: wrong type of argument.value."},
		{"subscriptions/listen", `"notifications":{"resourceSubscriptions":"x"}`, "subscriptions/listen: wrong type of notifications.resourceSubscriptions."},
	} {
		t.Run(test.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				message := `{"jsonrpc":"2.0","id":7,"method":"` + test.method + `","params":{` + test.params + `,` + modernMeta + `}}`
				n := newNewsroom(t, "MCP_TRANSPORT=http")
				n.serve()
				answers := n.post(memberKey, "2026-07-28", message).take()
				n.end()
				local := newNewsroom(t, "OUTLINE_API_KEY="+memberKey)
				c := local.terminal()
				c.send(message)
				answers = append(answers, c.take()...)
				c.close()
				if len(answers) != 2 {
					t.Fatalf("%d answers: %+v", len(answers), answers)
				}
				for _, a := range answers {
					if a.Error == nil || a.Error.Code != -32602 || !strings.HasPrefix(a.Error.Message, test.want) || strings.Contains(a.Error.Message, "Go ") {
						t.Errorf("the answer is %+v %+v", a, a.Error)
					}
				}
			})
		})
	}
}
