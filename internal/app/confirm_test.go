package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// A question is what a person is asked, as the client gets it.
type question struct {
	Message         string
	RequestedSchema struct {
		Properties map[string]struct {
			Type string
			Enum []string
		}
	}
}

// A person answers questions: with an action, and with the content of the form.
type person func(question) (action string, content map[string]any)

func yes(question) (string, map[string]any) { return "accept", map[string]any{"confirm": true} }

func acts(action string, content map[string]any) person {
	return func(question) (string, map[string]any) { return action, content }
}

// outcome is what a call ends with.
type outcome struct {
	text      string
	failed    bool
	questions []question
}

// An asking client calls a tool, and lets a person answer what the server asks.
type asking func(t *testing.T, person person, tool string, arguments map[string]any) outcome

// lineClient is a client on stdio.
type lineClient struct {
	in    io.WriteCloser
	lines *bufio.Scanner
	id    int
	ended chan error
}

// onLines starts a server that serves a client on stdio.
func onLines(t *testing.T, outline http.RoundTripper, settings ...string) *lineClient {
	t.Helper()
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_TOOLS=all"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline})
	if err != nil {
		t.Fatal(err)
	}
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	c := &lineClient{in: in, lines: bufio.NewScanner(out), ended: make(chan error, 1)}
	c.lines.Buffer(nil, 16<<20)
	go func() {
		c.ended <- server.ServeStdio(context.Background(), toServer, fromServer)
		fromServer.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		for c.lines.Scan() {
		}
		if err := <-c.ended; err != nil {
			t.Errorf("serving ends with %v", err)
		}
	})
	return c
}

func (c *lineClient) write(t *testing.T, message map[string]any) {
	t.Helper()
	message["jsonrpc"] = "2.0"
	line, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// rpc is any message of the server.
type rpc struct {
	ID     any
	Method string
	Params question
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (c *lineClient) read(t *testing.T) rpc {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the server ends: %v", c.lines.Err())
	}
	var m rpc
	if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (c *lineClient) request(t *testing.T, method string, params map[string]any) {
	t.Helper()
	c.id++
	c.write(t, map[string]any{"id": c.id, "method": method, "params": params})
}

func (c *lineClient) initialize(t *testing.T, capabilities map[string]any) {
	t.Helper()
	c.request(t, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if m := c.read(t); m.Result == nil {
		t.Fatalf("initialize: %+v", m)
	}
	c.write(t, map[string]any{"method": "notifications/initialized"})
}

// legacy calls as clients before 2026-07-28 do, which answer elicitation/create.
func (c *lineClient) legacy(t *testing.T, p person, tool string, arguments map[string]any) (o outcome) {
	t.Helper()
	c.request(t, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	for {
		m := c.read(t)
		if m.Method == "elicitation/create" {
			o.questions = append(o.questions, m.Params)
			action, content := p(m.Params)
			c.write(t, map[string]any{"id": m.ID, "result": map[string]any{"action": action, "content": content}})
			continue
		}
		return o.of(t, m)
	}
}

func (o outcome) of(t *testing.T, m rpc) outcome {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(m.Result, &result); err != nil {
		t.Fatal(err)
	}
	o.text, o.failed = result.Content[0].Text, result.IsError
	return o
}

// required is a result that asks the client for something.
type required struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params question
	}
}

// metaOf is what each request of protocol version 2026-07-28 carries.
func metaOf(capabilities map[string]any) map[string]any {
	return map[string]any{
		mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities: capabilities,
		mcp.MetaKeyClientInfo: map[string]any{"name": "test", "version": "1"},
	}
}

func elicits() map[string]any { return map[string]any{"elicitation": map[string]any{}} }

// modern calls as clients of 2026-07-28 do: with the answers, again and again until the
// server asks no more. send sends the parameters of one tools/call.
func modern(t *testing.T, p person, tool string, arguments map[string]any, send func(params map[string]any) rpc) (o outcome) {
	t.Helper()
	params := map[string]any{"name": tool, "arguments": arguments, "_meta": metaOf(elicits())}
	for range 12 {
		m := send(params)
		var asks required
		if m.Error != nil || json.Unmarshal(m.Result, &asks) != nil || asks.ResultType != "input_required" {
			return o.of(t, m)
		}
		answers := map[string]any{}
		for id, request := range asks.InputRequests {
			o.questions = append(o.questions, request.Params)
			action, content := p(request.Params)
			answers[id] = map[string]any{"action": action, "content": content}
		}
		params["inputResponses"], params["requestState"] = answers, asks.RequestState
	}
	t.Fatal("the server does not stop asking")
	return o
}

func (c *lineClient) send(t *testing.T, params map[string]any) rpc {
	t.Helper()
	c.request(t, "tools/call", params)
	return c.read(t)
}

// overHTTP sends one tools/call of protocol version 2026-07-28 with a key.
func (s *team) overHTTP(t *testing.T, key string, params map[string]any) rpc {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	r := s.must(t, "tools/call", string(raw), bearer(key), "Mcp-Protocol-Version: "+mcp.ProtocolVersion20260728, "Mcp-Method: tools/call", fmt.Sprintf("Mcp-Name: %s", params["name"]))
	var m rpc
	if err := json.Unmarshal([]byte(r.body), &m); err != nil {
		t.Fatalf("%s: %s", err, r.body)
	}
	return m
}

// newWorkspace returns an empty-handed Outline of its own.
func newWorkspace(t *testing.T) *fakeoutline.Workspace {
	t.Helper()
	w, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ways returns a client for each way in which a server with these settings can ask.
func ways(t *testing.T, settings ...string) map[string]asking {
	t.Helper()
	outline := func() http.RoundTripper { return newWorkspace(t).Transport() }
	old := onLines(t, outline(), settings...)
	old.initialize(t, elicits())
	lines := onLines(t, outline(), settings...)
	over := serveTeam(t, app.Options{Transport: outline()}, append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_TOOLS=all"}, settings...)...)
	return map[string]asking{
		"2025-11-25 on stdio": old.legacy,
		"2026-07-28 on stdio": func(t *testing.T, p person, tool string, arguments map[string]any) outcome {
			return modern(t, p, tool, arguments, func(params map[string]any) rpc { return lines.send(t, params) })
		},
		"2026-07-28 over HTTP": func(t *testing.T, p person, tool string, arguments map[string]any) outcome {
			return modern(t, p, tool, arguments, func(params map[string]any) rpc { return over.overHTTP(t, fakeoutline.AdminKey, params) })
		},
	}
}

// soup is a document of the sample workspace with none below it.
const soup = "488d6e14-db91-4e8e-99b4-c468545e6dc7"

func deleting(id string) map[string]any { return map[string]any{"document_id": id} }

func TestThePersonIsAskedInEveryWayThatTheProtocolHas(t *testing.T) {
	for name, call := range ways(t, "OUTLINE_CONFIRM=deletes") {
		t.Run(name, func(t *testing.T) {
			no := call(t, acts("decline", nil), "delete_document", deleting(soup))
			if !no.failed || !strings.Contains(no.text, "no one confirmed it: the user declined") || len(no.questions) != 1 {
				t.Errorf("declined: %+v", no)
			}
			closed := call(t, acts("cancel", nil), "delete_document", deleting(soup))
			if !closed.failed || !strings.Contains(closed.text, "the user closed the question") {
				t.Errorf("closed: %+v", closed)
			}
			agreed := call(t, yes, "delete_document", deleting(soup))
			if agreed.failed || !strings.HasPrefix(agreed.text, "Moved to the trash:") || len(agreed.questions) != 1 {
				t.Fatalf("agreed: %+v", agreed)
			}
			const asked = `Move the document "Friday soup 🍲" in the collection "Handbook" to the trash?`
			if q := agreed.questions[0]; q.Message != asked || len(q.RequestedSchema.Properties) > 0 {
				t.Errorf("asked %+v", q)
			}
			read := call(t, yes, "list_trash", map[string]any{"limit": 1})
			if len(read.questions) > 0 || !strings.Contains(read.text, "Friday soup") {
				t.Errorf("read: %+v", read)
			}
		})
	}
}

// teamThatAsks serves a new workspace over HTTP, and has deletions confirmed.
func teamThatAsks(t *testing.T, outline http.RoundTripper, settings ...string) *team {
	t.Helper()
	return serveTeam(t, app.Options{Transport: outline}, append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_CONFIRM=deletes"}, settings...)...)
}

// asked sends a call that has to be confirmed, and returns the state that the server
// gives with the question.
func (s *team) asked(t *testing.T, key string, params map[string]any) string {
	t.Helper()
	var asks required
	m := s.overHTTP(t, key, params)
	if json.Unmarshal(m.Result, &asks) != nil || asks.RequestState == "" {
		t.Fatalf("the server does not ask: %s %+v", m.Result, m.Error)
	}
	return asks.RequestState
}

func callOf(tool string, arguments map[string]any) map[string]any {
	return map[string]any{"name": tool, "arguments": arguments, "_meta": metaOf(elicits())}
}

// answered adds a state and the user's yes to a call.
func answered(params map[string]any, state string) map[string]any {
	params["requestState"], params["inputResponses"] = state, map[string]any{"answer": map[string]any{"action": "accept", "content": map[string]any{"confirm": true}}}
	return params
}

func TestAStateCountsOnceForTheCallThatItWasGivenFor(t *testing.T) {
	const voyages = "6c9a13a5-06ad-4d34-8fd3-0a4bca9b1ba1"
	const other = "ol_api_demo_user_7"
	outline := newWorkspace(t)
	s := teamThatAsks(t, outline.Transport())
	another := teamThatAsks(t, outline.Transport())
	deleteSoup := func() map[string]any { return callOf("delete_document", deleting(soup)) }
	state := s.asked(t, fakeoutline.AdminKey, deleteSoup())
	changed := []byte(state)
	changed[len(changed)/2] ^= 1
	for name, refused := range map[string]func() rpc{
		"one that was changed":     func() rpc { return s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), string(changed))) },
		"one that was made longer": func() rpc { return s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), state+"A")) },
		"one that is not Base64":   func() rpc { return s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), "{}")) },
		"one that is too long": func() rpc {
			return s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), strings.Repeat("A", 20_000)))
		},
		"another caller's": func() rpc { return s.overHTTP(t, other, answered(deleteSoup(), state)) },
		"another tool's": func() rpc {
			return s.overHTTP(t, fakeoutline.AdminKey, answered(callOf("archive_document", deleting(soup)), state))
		},
		"one of other arguments": func() rpc {
			return s.overHTTP(t, fakeoutline.AdminKey, answered(callOf("delete_document", map[string]any{"document_id": soup, "permanent": true}), state))
		},
		"one of another document": func() rpc {
			return s.overHTTP(t, fakeoutline.AdminKey, answered(callOf("delete_document", deleting(voyages)), state))
		},
		"one of a server without a secret": func() rpc { return another.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), state)) },
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if m := refused(); m.Error == nil || m.Error.Code != mcp.INVALID_PARAMS || !strings.Contains(m.Error.Message, "requestState is not what this server gave for this call") {
				t.Errorf("%s %+v", m.Result, m.Error)
			}
		})
	}
	first := s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), state))
	if o := (outcome{}).of(t, first); o.failed || !strings.Contains(o.text, "Moved to the trash") {
		t.Fatalf("the state itself: %+v", o)
	}
	restored := s.overHTTP(t, fakeoutline.AdminKey, callOf("restore_document", deleting(soup)))
	if o := (outcome{}).of(t, restored); o.failed {
		t.Fatalf("restore: %+v", o)
	}
	again := s.overHTTP(t, fakeoutline.AdminKey, answered(deleteSoup(), state))
	if again.Error != nil || strings.Contains(string(again.Result), "Moved to the trash") {
		t.Errorf("the second time: %s %+v", again.Result, again.Error)
	}
}

func TestTheSameCallWithItsArgumentsInAnotherOrderIsTheSame(t *testing.T) {
	s := teamThatAsks(t, newWorkspace(t).Transport())
	send := func(arguments, more string) rpc {
		raw := fmt.Sprintf(`{"name":"delete_document","arguments":%s,"_meta":{"%s":"%s","%s":{"elicitation":{}}}%s}`,
			arguments, mcp.MetaKeyProtocolVersion, mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities, more)
		r := s.must(t, "tools/call", raw, bearer(fakeoutline.AdminKey), "Mcp-Protocol-Version: "+mcp.ProtocolVersion20260728, "Mcp-Method: tools/call", "Mcp-Name: delete_document")
		var m rpc
		if err := json.Unmarshal([]byte(r.body), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	var asks required
	if err := json.Unmarshal(send(`{"document_id":"`+soup+`","permanent":false}`, "").Result, &asks); err != nil {
		t.Fatal(err)
	}
	m := send(`{"permanent":"false","document_id":"`+soup+`"}`, `,"requestState":"`+asks.RequestState+`","inputResponses":{"answer":{"action":"accept","content":{"confirm":true}}}`)
	if o := (outcome{}).of(t, m); o.failed {
		t.Errorf("%+v", o)
	}
}

func TestServersWithOneSecretAcceptEachOthersStates(t *testing.T) {
	const secret = "MCP_STATE_SECRET=0123456789abcdef0123456789abcdef"
	outline := newWorkspace(t)
	one, two := teamThatAsks(t, outline.Transport(), secret), teamThatAsks(t, outline.Transport(), secret)
	state := one.asked(t, fakeoutline.AdminKey, callOf("delete_document", deleting(soup)))
	m := two.overHTTP(t, fakeoutline.AdminKey, answered(callOf("delete_document", deleting(soup)), state))
	if o := (outcome{}).of(t, m); o.failed || !strings.Contains(o.text, "Moved to the trash") {
		t.Errorf("%+v", o)
	}
}

func TestAStateThatIsUsedAtAnotherServerCreatesNothingTwice(t *testing.T) {
	settings := []string{"MCP_STATE_SECRET=0123456789abcdef0123456789abcdef", "OUTLINE_CONFIRM=writes"}
	outline := newWorkspace(t)
	one, two := teamThatAsks(t, outline.Transport(), settings...), teamThatAsks(t, outline.Transport(), settings...)
	create := func() map[string]any {
		return callOf("create_document", map[string]any{"title": "Only once", "publish": false})
	}
	state := one.asked(t, fakeoutline.AdminKey, create())
	for _, s := range []*team{one, two} {
		s.overHTTP(t, fakeoutline.AdminKey, answered(create(), state))
	}
	drafts := one.overHTTP(t, fakeoutline.AdminKey, callOf("list_documents", map[string]any{"status": "draft", "title_contains": "Only once"}))
	if n := strings.Count(string(drafts.Result), "Only once"); n != 1 {
		t.Errorf("%d documents: %s", n, drafts.Result)
	}
}

func TestAClientThatCannotAskIsNeverAsked(t *testing.T) {
	const refusal = "this client cannot show the question"
	s := teamThatAsks(t, newWorkspace(t).Transport())
	for name, capabilities := range map[string]map[string]any{
		"without the capability":                {},
		"that only opens addresses":             {"elicitation": map[string]any{"url": map[string]any{}}},
		"with another capability":               {"sampling": map[string]any{}},
		"that declares it as an extension only": {"extensions": map[string]any{"elicitation": map[string]any{}}},
	} {
		t.Run("a client of 2026-07-28 "+name, func(t *testing.T) {
			params := callOf("delete_document", deleting(soup))
			params["_meta"] = metaOf(capabilities)
			if o := (outcome{}).of(t, s.overHTTP(t, fakeoutline.AdminKey, params)); !o.failed || !strings.Contains(o.text, refusal) {
				t.Errorf("%+v", o)
			}
		})
		t.Run("a client of 2025-11-25 on stdio "+name, func(t *testing.T) {
			c := onLines(t, newWorkspace(t).Transport(), "OUTLINE_CONFIRM=deletes")
			c.initialize(t, capabilities)
			if o := c.legacy(t, yes, "delete_document", deleting(soup)); !o.failed || !strings.Contains(o.text, refusal) || len(o.questions) > 0 {
				t.Errorf("%+v", o)
			}
		})
	}
	t.Run("a client of 2025-11-25 over HTTP", func(t *testing.T) {
		// What a client declares with initialize is not kept: there are no sessions.
		s.must(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}`, bearer(fakeoutline.AdminKey))
		for _, header := range []string{"Accept: application/json", "Accept: application/json, text/event-stream"} {
			r := s.must(t, "tools/call", `{"name":"delete_document","arguments":{"document_id":"`+soup+`"}}`, bearer(fakeoutline.AdminKey), "Mcp-Protocol-Version: 2025-11-25", header)
			if !r.Result.IsError || !strings.Contains(r.text(), refusal) {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("a capability that was declared for another request", func(t *testing.T) {
		c := onLines(t, newWorkspace(t).Transport(), "OUTLINE_CONFIRM=deletes")
		c.initialize(t, elicits())
		params := callOf("delete_document", deleting(soup))
		params["_meta"] = metaOf(map[string]any{})
		if o := (outcome{}).of(t, c.send(t, params)); !o.failed || !strings.Contains(o.text, refusal) {
			t.Errorf("%+v", o)
		}
	})
}

func TestAnArgumentDoesNotConfirmACall(t *testing.T) {
	s := teamThatAsks(t, newWorkspace(t).Transport())
	for _, name := range []string{"confirm", "answer", "requestState", "inputResponses"} {
		m := s.overHTTP(t, fakeoutline.AdminKey, callOf("delete_document", map[string]any{"document_id": soup, name: true}))
		if o := (outcome{}).of(t, m); !o.failed || !strings.Contains(o.text, "unknown argument") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	// An answer without a question counts for nothing.
	params := answered(callOf("delete_document", deleting(soup)), "")
	delete(params, "requestState")
	if state := s.asked(t, fakeoutline.AdminKey, params); state == "" {
		t.Error("the user is not asked")
	}
}

func TestCallsWithOneStateCreateOneThing(t *testing.T) {
	s := teamThatAsks(t, newWorkspace(t).Transport(), "OUTLINE_CONFIRM=writes")
	comment := func() map[string]any {
		return callOf("add_comment", map[string]any{"document_id": soup, "text": "Once."})
	}
	state := s.asked(t, fakeoutline.AdminKey, comment())
	const calls = 8
	var sent sync.WaitGroup
	for range calls {
		sent.Go(func() { s.overHTTP(t, fakeoutline.AdminKey, answered(comment(), state)) })
	}
	sent.Wait()
	m := s.overHTTP(t, fakeoutline.AdminKey, callOf("list_document_comments", map[string]any{"document_id": soup}))
	if n := strings.Count(string(m.Result), "Once."); n != 1 {
		t.Errorf("%d comments are added: %s %+v", n, m.Result, m.Error)
	}
}
