package wire_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// lost sends calls that end with their last progress, and counts the
// notifications that did not arrive and those that belong to another call.
func lost(t *testing.T, s *stage, version string, calls, steps int) (missing, strange int) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	for caller := range 8 {
		all.Go(func() {
			for n := range calls / 8 {
				token := fmt.Sprintf("caller %d call %d", caller, n)
				// The same ID for all, as those of different clients are.
				a := s.send(t, s.request(t, version, "1", "tools/call", fmt.Sprintf(`{"name":"steps","arguments":{"steps":%d},"_meta":{"progressToken":%q}}`, steps, token)))
				if a.text() != "done" {
					t.Errorf("the answer is %s", a.body)
				}
				mu.Lock()
				missing += steps + 1 - len(a.messages)
				for i, m := range a.messages[:max(0, len(a.messages)-1)] {
					if m.Params.ProgressToken != token || m.Params.Progress != i+1 && missing == 0 {
						strange++
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return missing, strange
}

func TestNoProgressIsLostOrMetByAnotherCall(t *testing.T) {
	s := newStage(t, false)
	for _, version := range revisions {
		for _, test := range []struct{ calls, steps int }{{160, 1}, {160, 3}, {16, 100}} {
			if missing, strange := lost(t, s, version, test.calls, test.steps); missing != 0 || strange != 0 {
				t.Errorf("%s: of %d calls with %d notifications %d are missing and %d strange", version, test.calls, test.steps, missing, strange)
			}
		}
	}
}

// The test above is of use because the library alone does lose some.
func TestTheLibraryAloneLosesProgress(t *testing.T) {
	s := newStage(t, true)
	for range 20 {
		if missing, _ := lost(t, s, "2025-11-25", 160, 3); missing > 0 {
			return
		}
	}
	t.Error("the library alone loses none any more: exchange.go may be simpler")
}

// cancelled tells whether a stranger who names the ID of a running call ends
// it. A call that continues is let go.
func cancelled(t *testing.T, s *stage, version string) bool {
	t.Helper()
	answered := make(chan answer, 1)
	go func() {
		answered <- s.send(t, s.request(t, version, "7", "tools/call", `{"name":"wait","arguments":{"name":"victim"}}`))
	}()
	if name := <-s.entered; name != "victim" {
		t.Fatalf("%q runs", name)
	}
	for _, from := range append(revisions, "") {
		stranger := s.request(t, from, "7", "notifications/cancelled", `{"requestId":7,"reason":"mine was 7, too"}`)
		for _, body := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			`{"jsonrpc":"2.0","METHOD":"notifications/cancelled","params":{"requestId":7}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized","method":"notifications/cancelled","params":{"requestId":7}}`,
		} {
			request := s.raw(t, body)
			request.Header = stranger.Header
			a := s.send(t, request)
			if a.status != http.StatusAccepted || a.body != "" {
				t.Errorf("%s is answered with status %d, %s", body, a.status, a.body)
			}
		}
	}
	select {
	case <-s.entered:
		<-answered
		return true
	case <-time.After(100 * time.Millisecond): // it had its chance
	}
	close(s.leave)
	if a := <-answered; a.text() != "waited" {
		t.Errorf("the answer is %s", a.body)
	}
	return false
}

func TestNobodyCancelsACallByItsID(t *testing.T) {
	for _, version := range revisions {
		if cancelled(t, newStage(t, false), version) {
			t.Errorf("%s: a stranger cancels a call", version)
		}
	}
}

// The test above is of use because the library alone lets a stranger do so.
func TestTheLibraryAloneCancelsForStrangers(t *testing.T) {
	s := newStage(t, true)
	answered := make(chan answer, 1)
	go func() {
		answered <- s.send(t, s.request(t, "2025-11-25", "7", "tools/call", `{"name":"wait","arguments":{}}`))
	}()
	<-s.entered
	s.send(t, s.raw(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`))
	select {
	case <-s.entered:
	case <-time.After(time.Minute):
		t.Error("the library alone lets no stranger cancel any more: the handler may be simpler")
		close(s.leave)
	}
	<-answered
}

func TestClosingARequestCancelsIt(t *testing.T) {
	s := newStage(t, false)
	for _, version := range revisions {
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			request := s.request(t, version, "1", "tools/call", `{"name":"wait","arguments":{"name":"leaves"}}`)
			response, err := s.Client().Do(request.WithContext(ctx))
			if err == nil {
				response.Body.Close()
			}
			ended <- err
		}()
		if name := <-s.entered; name != "leaves" {
			t.Fatalf("%q runs", name)
		}
		leave()
		if err := <-ended; err == nil {
			t.Error("a closed request is answered")
		}
		select {
		case name := <-s.entered:
			if name != "cancelled" {
				t.Errorf("%q runs", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the call goes on", version)
		}
	}
}

func TestCallsWithOneIDEndOneByOne(t *testing.T) {
	s := newStage(t, false)
	first, second := make(chan answer, 1), make(chan answer, 1)
	call := func(answered chan<- answer, name string) {
		answered <- s.send(t, s.request(t, "2025-11-25", "1", "tools/call", `{"name":"`+name+`","arguments":{"name":"waits"}}`))
	}
	go call(first, "wait")
	<-s.entered
	go call(second, "steps")
	if a := <-second; a.text() != "done" {
		t.Errorf("the second is answered with %s", a.body)
	}
	select {
	case a := <-first:
		t.Errorf("the first ends with the second: %s", a.body)
	default:
	}
	close(s.leave)
	if a := <-first; a.text() != "waited" {
		t.Errorf("the first is answered with %s", a.body)
	}
}

func TestACallThatPanicsLeavesNothingBehind(t *testing.T) {
	s := newStage(t, false)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	response, err := s.Client().Do(s.request(t, "2025-11-25", "1", "tools/call", `{"name":"panics","_meta":{"progressToken":1}}`))
	if err == nil {
		response.Body.Close()
	}
	if a := s.send(t, s.request(t, "2025-11-25", "1", "tools/call", `{"name":"steps"}`)); a.text() != "done" {
		t.Errorf("the server does not go on: %s", a.body)
	}
	// That no goroutine is left is seen when all tests have ended.
}

// Whatever the library keeps by session is kept for one call.
func TestEachCallHasASessionOfItsOwn(t *testing.T) {
	s := newStage(t, false)
	seen := map[string]bool{}
	for range 3 {
		for _, version := range revisions {
			id := s.send(t, s.request(t, version, "1", "tools/call", `{"name":"session"}`, "Mcp-Session-Id: mine")).text()
			if id == "" || id == "mine" || seen[id] {
				t.Errorf("%s: the session is %q", version, id)
			}
			seen[id] = true
		}
	}
}

func TestToolsSeeNoKey(t *testing.T) {
	s := newStage(t, false)
	for _, version := range revisions {
		a := s.send(t, s.request(t, version, "1", "tools/call", `{"name":"header"}`, "Authorization: Bearer ol_api_test", "X-Outline-API-Key: ol_api_test", "X-MCP-Token: secret", "Cookie: a=b", "Mcp-Session-Id: another"))
		if text := a.text(); a.status != http.StatusOK || text != fmt.Sprint(http.Header{}, "", "") {
			t.Errorf("tools see %s", text)
		}
		if a.header.Get("Mcp-Session-Id") != "" {
			t.Error("there is a session")
		}
	}
}

func TestACallIsReadOnceSoThatNothingElseInTheMessageCounts(t *testing.T) {
	s := newStage(t, false)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"params":{"name":"session"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"wait"},"PARAMS":{"name":"session"}}`,
	} {
		if text := s.send(t, s.raw(t, body, "Mcp-Protocol-Version: 2025-11-25")).text(); !strings.HasPrefix(text, "call-") {
			t.Errorf("%s is answered with %s", body, text)
		}
	}
}

func TestToolsSeeTheTraceOfARequestInEveryVersion(t *testing.T) {
	s := newStage(t, false)
	for _, version := range revisions {
		a := s.send(t, s.request(t, version, "1", "tools/call", `{"name":"header"}`, "Traceparent: 00-1-2-01", "Tracestate: a=b"))
		if text := a.text(); text != fmt.Sprint(http.Header{}, "00-1-2-01", "a=b") {
			t.Errorf("%s: tools see %s", version, text)
		}
	}
}

// An aborting writer aborts an answer at the first notification, as that of a server does
// whose client reads nothing.
type aborting struct{ http.ResponseWriter }

// Write implements http.ResponseWriter.
func (a aborting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "notifications/") {
		panic(http.ErrAbortHandler)
	}
	return a.ResponseWriter.Write(p)
}

func TestAnAnswerThatIsAbortedAtANotificationEndsItsRequestOnly(t *testing.T) {
	s := newStage(t, false)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(aborting{w}, r) })
	call := func(params string) (string, error) {
		response, err := s.Client().Do(s.request(t, "2025-11-25", "1", "tools/call", params))
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return string(body), err
	}
	if body, err := call(`{"name":"steps","arguments":{"steps":3},"_meta":{"progressToken":1}}`); err == nil {
		t.Errorf("the client takes %q for the whole answer", body)
	}
	if body, err := call(`{"name":"steps","arguments":{}}`); err != nil || !strings.Contains(body, "done") {
		t.Errorf("the next call: %q, %v", body, err)
	}
}
