package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/workspace"
)

// A wire is what the server reaches the workspace by. It keeps a record of
// what went over it, and breaks what its plan says.
type wire struct {
	mu        sync.Mutex
	workspace *workspace.Workspace
	network   http.RoundTripper      // leads to the workspace; nil: it is called in memory
	plan      func(*exchange) *fault // nil, or nil from it: nothing breaks
	handled   func()                 // after each write that the workspace carried out; one goes at a time then
	exchanges []*exchange
	attempts  map[string]int
	cancel    context.CancelFunc // takes the tool call back

	human    func(mark string) error // what somebody else does meanwhile
	humans   int                     // how often they did
	accepted []string                // the marks of what the workspace took of it

	// Writes and humans that take turns. Channels, because time goes on in a
	// synctest bubble for who waits for one, and not for who waits for a mutex.
	oneWrite, oneHuman chan struct{}

	late sync.WaitGroup // requests that are still on their way
}

// An exchange is one request of the server and its outcome.
type exchange struct {
	endpoint string
	target   string // what it is about: an ID, or the title of what is new
	writes   bool
	keeps    bool   // it changes nothing, but has Outline keep a revision of what is there
	step     string // what it does to that; the steps of a call differ in it
	attempt  int    // among the requests like it, from 1
	fault    *fault // nil: none
	status   int    // the workspace's answer; 0: it got no request
}

// String tells what became of a request, for the report of a failed run.
func (x *exchange) String() string {
	text := fmt.Sprintf("%s %s (%d)", x.endpoint, x.target, x.attempt)
	if x.fault != nil {
		text += ", " + x.fault.name
	}
	return fmt.Sprintf("%s, workspace: %d", text, x.status)
}

// lost reports whether the server cannot know whether a write was done.
func (x *exchange) lost() bool { return x.writes && x.fault != nil && x.fault.lost }

func newWire() *wire {
	return &wire{oneWrite: make(chan struct{}, 1), oneHuman: make(chan struct{}, 1)}
}

// reset begins a new run on another workspace.
func (w *wire) reset(to *workspace.Workspace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.workspace, w.plan, w.handled, w.human = to, nil, nil, nil
	w.exchanges, w.accepted, w.humans, w.attempts = nil, nil, 0, map[string]int{}
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	p := &passage{wire: w, request: r, body: body, exchange: w.note(r, body)}
	f := p.exchange.fault
	if f == nil {
		f = &healthy
	}
	// What net/http tells those who follow a request.
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		if trace.GetConn != nil {
			trace.GetConn(r.URL.Host)
		}
		if trace.GotConn != nil && !f.unconnected {
			trace.GotConn(httptrace.GotConnInfo{})
		}
	}
	response, err := f.breaks(p)
	if response != nil {
		response.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return response, err
}

// note begins the record of a request.
func (w *wire) note(r *http.Request, body []byte) *exchange {
	var about struct {
		ID, DocumentID, Title, Name, FindText string
		Permanent                             bool
	}
	_ = json.Unmarshal(body, &about) // what is no JSON is about nothing
	var fields map[string]any
	_ = json.Unmarshal(body, &fields)
	x := &exchange{endpoint: strings.TrimPrefix(r.URL.Path, "/api/")}
	switch _, verb, _ := strings.Cut(x.endpoint, "."); verb {
	case "create":
		x.writes, x.target = true, about.DocumentID+about.Title+about.Name
	case "update", "move", "archive", "restore", "unarchive", "delete", "resolve", "unresolve", "unpublish", "duplicate", "templatize":
		// With an ID that nothing has, the server is asked what it knows.
		x.writes, x.target = about.ID != "00000000-0000-4000-8000-000000000000", about.ID
	default:
		x.target = about.ID
	}
	if x.endpoint == "documents.update" && fields["done"] == true && len(fields) == 2 {
		x.writes, x.keeps = false, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.step = fmt.Sprintf("%s %s %v %v %s", x.endpoint, x.target, x.keeps, about.Permanent, about.FindText)
	w.attempts[x.step]++
	x.attempt = w.attempts[x.step]
	w.exchanges = append(w.exchanges, x)
	if w.plan != nil {
		x.fault = w.plan(x)
	}
	return x
}

// somebodyElse changes the workspace beside the server, if the run has
// somebody who does. Two of these changes are never made at the same time, in
// which one could overwrite the other.
func (w *wire) somebodyElse() {
	w.oneHuman <- struct{}{}
	defer func() { <-w.oneHuman }()
	w.mu.Lock()
	human := w.human
	w.humans++
	mark := fmt.Sprintf("HUMAN-%d", w.humans)
	w.mu.Unlock()
	if human == nil || human(mark) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accepted = append(w.accepted, mark)
}

// A passage is a request on its way.
type passage struct {
	wire     *wire
	request  *http.Request
	body     []byte
	exchange *exchange
}

// handle hands the request to the workspace, which carries it out whatever
// becomes of the connection.
func (p *passage) handle() *http.Response {
	request := p.request.Clone(context.WithoutCancel(p.request.Context()))
	request.Body = io.NopCloser(bytes.NewReader(p.body))
	if p.wire.handled != nil {
		p.wire.oneWrite <- struct{}{}
		defer func() { <-p.wire.oneWrite }()
	}
	response, err := p.wire.workspace.Transport().RoundTrip(request)
	if err != nil {
		panic(err) // it fails for a context that has ended only
	}
	p.exchange.status = response.StatusCode
	if p.exchange.writes && p.wire.handled != nil {
		p.wire.handled()
	}
	return response
}

// pass lets the request and its answer pass.
func (p *passage) pass() (*http.Response, error) {
	if p.wire.network == nil {
		return p.handle(), nil
	}
	request := p.request.Clone(p.request.Context())
	request.Body = io.NopCloser(bytes.NewReader(p.body))
	return p.wire.network.RoundTrip(request)
}

// answer is an answer that does not come from the workspace.
func (p *passage) answer(status int, contentType, body string, headers ...string) (*http.Response, error) {
	header := http.Header{"Content-Type": {contentType}}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		Status: fmt.Sprint(status, " ", http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: p.request,
	}, nil
}
